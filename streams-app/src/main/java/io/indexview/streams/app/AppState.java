package io.indexview.streams.app;

/** Where an {@link IndexViewApp} is in its life. */
public enum AppState {
  /** View files, schemas, topics; or waiting for one of them. */
  STARTING,
  /** Partitions move or state is restored; nothing is lost, freshness suffers. */
  REBALANCING,
  RUNNING,
  /** Ended by an error, see {@link IndexViewApp#failure()}. */
  FAILED,
  CLOSED
}
