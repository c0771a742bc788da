package io.indexview.schemas.serde;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Deserializer;

/**
 * Reads Avro records in the Confluent wire format. Values of logical types come as their plain Avro
 * types, strings as {@link org.apache.avro.util.Utf8}. Null stays null. Safe for use by several
 * threads.
 */
public final class AvroDeserializer implements Deserializer<GenericRecord> {
  private final ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);
  private final Map<Integer, GenericDatumReader<Object>> readers = new ConcurrentHashMap<>();
  private final boolean owned;
  private final Schema readerSchema;
  private SchemaRegistry registry;

  /** For {@link #configure}, which takes the keys of {@code RegistryConfig}. */
  public AvroDeserializer() {
    this.owned = true;
    this.readerSchema = null;
  }

  /** Reads every record with the schema it was written with. */
  public AvroDeserializer(SchemaRegistry registry) {
    this(registry, null);
  }

  /**
   * @param registry stays open when this is closed
   * @param readerSchema what the records are resolved to; null: the schema each was written with
   */
  public AvroDeserializer(SchemaRegistry registry, Schema readerSchema) {
    this.owned = false;
    this.registry = Objects.requireNonNull(registry, "registry");
    this.readerSchema = readerSchema;
  }

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    if (owned) {
      registry = SchemaRegistries.create(configs);
    }
  }

  /**
   * @throws SerializationException if the bytes are wrong: not in the wire format, of a schema that
   *     the registry does not have, not of that schema, or not readable with the reader schema
   * @throws RegistryException if the registry cannot be asked, which says nothing about the bytes
   */
  @Override
  public GenericRecord deserialize(String topic, byte[] data) {
    if (data == null) {
      return null;
    }
    int schemaId;
    try {
      schemaId = WireFormat.schemaId(data);
    } catch (SerializationException e) {
      throw new SerializationException("topic " + topic + ": " + e.getMessage(), e);
    }
    GenericDatumReader<Object> reader = readers.get(schemaId);
    if (reader == null) {
      reader = addReader(topic, schemaId);
    }
    return scratch.get().read(topic, schemaId, reader, data);
  }

  @Override
  public void close() {
    if (owned && registry != null) {
      registry.close();
    }
  }

  private GenericDatumReader<Object> addReader(String topic, int schemaId) {
    Schema writerSchema;
    try {
      writerSchema = registry.byId(schemaId);
    } catch (RegistryException.NotFound | RegistryException.Rejected e) {
      throw new SerializationException(
          "topic %s: schema id %d: %s".formatted(topic, schemaId, e.getMessage()), e);
    }
    if (writerSchema.getType() != Schema.Type.RECORD) {
      throw new SerializationException(
          "topic %s: schema id %d is of type %s, expected a record"
              .formatted(topic, schemaId, writerSchema.getType()));
    }
    GenericDatumReader<Object> reader =
        new GenericDatumReader<>(writerSchema, readerSchema == null ? writerSchema : readerSchema);
    readers.put(schemaId, reader);
    return reader;
  }

  /** What one thread uses again for each record. */
  private static final class Scratch {
    private BinaryDecoder decoder;

    GenericRecord read(
        String topic, int schemaId, GenericDatumReader<Object> reader, byte[] message) {
      decoder =
          DecoderFactory.get()
              .binaryDecoder(
                  message,
                  WireFormat.HEADER_LENGTH,
                  message.length - WireFormat.HEADER_LENGTH,
                  decoder);
      try {
        GenericRecord decoded = (GenericRecord) reader.read(null, decoder);
        if (!decoder.isEnd()) {
          throw new SerializationException(
              "topic %s: bytes are left after a record of schema id %d: not written with that schema"
                  .formatted(topic, schemaId));
        }
        return decoded;
      } catch (IOException
          | AvroRuntimeException
          | IndexOutOfBoundsException
          | NegativeArraySizeException
          | UnsupportedOperationException e) {
        throw new SerializationException(
            "topic %s: not a record of schema id %d%s: %s"
                .formatted(
                    topic,
                    schemaId,
                    reader.getExpected() == reader.getSchema() ? "" : " (or not readable as ours)",
                    e),
            e);
      }
    }
  }
}
