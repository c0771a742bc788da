package io.indexview.schemas.serde;

import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Map;
import org.apache.avro.generic.IndexedRecord;
import org.apache.kafka.common.serialization.Serializer;

/**
 * {@link MessageWriter} of records for Kafka's clients. Null stays null. Safe for use by several
 * threads.
 *
 * @param <T> kind of record
 */
public final class AvroSerializer<T extends IndexedRecord> implements Serializer<T> {
  private SchemaRegistry owned;
  private MessageWriter writer;

  /** Creates an instance for {@link #configure}, which takes the keys of {@code RegistryConfig}. */
  public AvroSerializer() {}

  /**
   * @param registry stays open when this is closed
   * @param isKey whether the subjects are those of keys
   */
  public AvroSerializer(SchemaRegistry registry, boolean isKey) {
    this.writer = new MessageWriter(registry, isKey);
  }

  /** Does nothing if a registry was given. */
  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    if (writer == null) {
      owned = SchemaRegistries.create(configs);
      writer = new MessageWriter(owned, isKey);
    }
  }

  @Override
  public byte[] serialize(String topic, T data) {
    return data == null ? null : writer.write(topic, data.getSchema(), data);
  }

  @Override
  public void close() {
    if (owned != null) {
      owned.close();
    }
  }
}
