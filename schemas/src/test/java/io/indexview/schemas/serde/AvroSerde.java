package io.indexview.schemas.serde;

import io.indexview.schemas.registry.SchemaRegistry;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.serialization.Deserializer;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serializer;

/** {@link AvroSerializer} and {@link AvroDeserializer} together. */
public final class AvroSerde implements Serde<GenericRecord> {
  private final AvroSerializer<GenericRecord> serializer;
  private final AvroDeserializer deserializer;

  /** For {@link #configure}, which takes the keys of {@code RegistryConfig}. */
  public AvroSerde() {
    this(new AvroSerializer<>(), new AvroDeserializer());
  }

  private AvroSerde(AvroSerializer<GenericRecord> serializer, AvroDeserializer deserializer) {
    this.serializer = serializer;
    this.deserializer = deserializer;
  }

  /** For record keys. The registry stays open when the serde is closed. */
  public static AvroSerde forKeys(SchemaRegistry registry) {
    return new AvroSerde(new AvroSerializer<>(registry, true), new AvroDeserializer(registry));
  }

  /** For record values. The registry stays open when the serde is closed. */
  public static AvroSerde forValues(SchemaRegistry registry) {
    return forValues(registry, null);
  }

  /**
   * For record values.
   *
   * @param readerSchema what the records read are resolved to; null: the schema each was written
   *     with
   */
  public static AvroSerde forValues(SchemaRegistry registry, Schema readerSchema) {
    return new AvroSerde(
        new AvroSerializer<>(registry, false), new AvroDeserializer(registry, readerSchema));
  }

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    serializer.configure(configs, isKey);
    deserializer.configure(configs, isKey);
  }

  @Override
  public void close() {
    serializer.close();
    deserializer.close();
  }

  @Override
  public Serializer<GenericRecord> serializer() {
    return serializer;
  }

  @Override
  public Deserializer<GenericRecord> deserializer() {
    return deserializer;
  }
}
