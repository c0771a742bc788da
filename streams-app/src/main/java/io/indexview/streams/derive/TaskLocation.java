package io.indexview.streams.derive;

import io.indexview.schemas.change.RecordFormat;

/**
 * Which part of a record set a task has.
 *
 * @param topic the primary-change topic
 */
public record TaskLocation(String recordSet, String topic, RecordFormat format, int partition) {

  /** Text for log messages. */
  @Override
  public String toString() {
    return "Record set " + recordSet + ", partition " + partition;
  }
}
