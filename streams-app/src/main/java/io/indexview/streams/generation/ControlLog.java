package io.indexview.streams.generation;

import io.indexview.schemas.control.PublishedGeneration;
import java.util.List;
import java.util.Set;

/**
 * The control topics {@code view-generations} and {@code view-states}, read and written at start.
 * Methods throw {@link org.apache.kafka.common.KafkaException}; the retriable ones are worth a
 * retry.
 */
public interface ControlLog extends AutoCloseable {

  /** Every generation whose rows are not gone. */
  List<PublishedGeneration> generations();

  /** The views that have a state. */
  Set<String> viewsWithState();

  /** Returns when the cluster has it. */
  void publish(PublishedGeneration generation);

  /** Publishes the state BUILDING; returns when the cluster has it. */
  void publishBuilding(String view, int generation, long nowMs);

  @Override
  void close();
}
