package io.indexview.schemas.serde;

import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * {@link MessageReader} of records for Kafka's clients. Null stays null. Safe for use by several
 * threads.
 */
public final class AvroDeserializer implements Deserializer<GenericRecord> {
  private SchemaRegistry owned;
  private MessageReader reader;

  /** Creates an instance for {@link #configure}, which takes the keys of {@code RegistryConfig}. */
  public AvroDeserializer() {}

  /** Reads every record with the schema it was written with; the registry stays open. */
  public AvroDeserializer(SchemaRegistry registry) {
    this(registry, null);
  }

  /**
   * @param registry stays open when this is closed
   * @param readerSchema what the records are resolved to; null: the schema each was written with
   */
  public AvroDeserializer(SchemaRegistry registry, Schema readerSchema) {
    this.reader = new MessageReader(registry, readerSchema);
  }

  /** Does nothing if a registry was given. */
  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    if (reader == null) {
      owned = SchemaRegistries.create(configs);
      reader = new MessageReader(owned);
    }
  }

  @Override
  public GenericRecord deserialize(String topic, byte[] data) {
    if (data == null) {
      return null;
    }
    MessageReader.Message message = reader.read(topic, data);
    if (message.value() instanceof GenericRecord value) {
      return value;
    }
    throw new SerializationException(
        "topic %s: a value of type %s instead of a record"
            .formatted(topic, message.schema().getType()));
  }

  @Override
  public void close() {
    if (owned != null) {
      owned.close();
    }
  }
}
