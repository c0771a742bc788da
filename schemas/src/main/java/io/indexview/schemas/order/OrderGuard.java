package io.indexview.schemas.order;

import io.indexview.schemas.change.ChangeEvent;

/**
 * Decides which change of a primary record counts. Pure and thread-safe; the streams app and the
 * sources' indexes fold the same history with it and reach the same entries.
 */
public final class OrderGuard {

  /**
   * Folds one event into the entry of its key.
   *
   * @param current null: no entry
   * @param offset Kafka offset of the event
   * @param nowMs wall clock, ms since the epoch; the new revision is the larger of it and the
   *     stored revision + 1
   */
  public Decision decide(Entry current, ChangeEvent event, long offset, long nowMs) {
    throw new IllegalStateException("not built yet");
  }
}
