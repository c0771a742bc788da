package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.SourcePartition;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;

/** What Connect keeps an offset for: one source partition of one record set. */
record KvStoreSourcePartition(String source, String topic, String sourcePartition) {
  private static final String SOURCE = "source";
  private static final String TOPIC = "topic";
  private static final String PARTITION = "sourcePartition";

  static KvStoreSourcePartition of(SourcePartition sourcePartition) {
    return new KvStoreSourcePartition(
        sourcePartition.source(), sourcePartition.topic(), sourcePartition.sourcePartition());
  }

  Map<String, String> toMap() {
    return SourcePartition.inConnect(
        Map.of(SOURCE, source, TOPIC, topic, PARTITION, sourcePartition));
  }

  /**
   * @throws ConnectException naming the field that is missing or no text
   */
  static KvStoreSourcePartition fromMap(Map<String, ?> partition) {
    return new KvStoreSourcePartition(
        text(partition, SOURCE), text(partition, TOPIC), text(partition, PARTITION));
  }

  private static String text(Map<String, ?> partition, String field) {
    if (partition != null && partition.get(field) instanceof String text) {
      return text;
    }
    throw new ConnectException(
        "source partition %s: field \"%s\" must be a text".formatted(partition, field));
  }
}
