package io.indexview.streams.topology;

import org.apache.kafka.streams.processor.RecordContext;
import org.apache.kafka.streams.processor.TopicNameExtractor;

/** Sends every row to the topic of its own generation. */
final class RowTopic implements TopicNameExtractor<OutgoingRow, byte[]> {

  @Override
  public String extract(OutgoingRow row, byte[] value, RecordContext context) {
    return row.topic();
  }

  /** Shown in descriptions of the topology, which must not change from run to run. */
  @Override
  public String toString() {
    return "RowTopic";
  }
}
