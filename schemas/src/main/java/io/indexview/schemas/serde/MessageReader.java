package io.indexview.schemas.serde;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import java.io.IOException;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.kafka.common.errors.SerializationException;

/**
 * Reads messages in the Confluent wire format. Values of logical types come as their plain Avro
 * types, strings as {@link org.apache.avro.util.Utf8}. Safe for use by several threads.
 */
public final class MessageReader {
  private final SchemaRegistry registry;
  private final Schema readerSchema;
  private final Map<Integer, GenericDatumReader<Object>> readers = new ConcurrentHashMap<>();
  private final ThreadLocal<BinaryDecoder> decoders = new ThreadLocal<>();

  /** Reads every message with the schema it was written with. */
  public MessageReader(SchemaRegistry registry) {
    this(registry, null);
  }

  /**
   * @param readerSchema what messages are resolved to; null: the schema each was written with
   */
  public MessageReader(SchemaRegistry registry, Schema readerSchema) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.readerSchema = readerSchema;
  }

  /**
   * One message.
   *
   * @throws SerializationException if the bytes are wrong: not in the wire format, of a schema that
   *     the registry does not have, not of that schema, or not readable with the reader schema
   * @throws RegistryException if the registry cannot be asked, which says nothing about the bytes
   */
  public Message read(String topic, byte[] bytes) {
    int schemaId = schemaId(topic, bytes);
    GenericDatumReader<Object> reader = readers.get(schemaId);
    if (reader == null) {
      reader = addReader(topic, schemaId);
    }
    return new Message(reader.getExpected(), decode(topic, schemaId, reader, bytes));
  }

  private static int schemaId(String topic, byte[] bytes) {
    try {
      return WireFormat.schemaId(bytes);
    } catch (SerializationException e) {
      throw new SerializationException("topic " + topic + ": " + e.getMessage(), e);
    }
  }

  private GenericDatumReader<Object> addReader(String topic, int schemaId) {
    Schema writerSchema;
    try {
      writerSchema = registry.byId(schemaId);
    } catch (RegistryException.NotFound | RegistryException.Rejected e) {
      throw new SerializationException("topic %s: %s".formatted(topic, e.getMessage()), e);
    }
    GenericDatumReader<Object> reader =
        new GenericDatumReader<>(writerSchema, readerSchema == null ? writerSchema : readerSchema);
    readers.put(schemaId, reader);
    return reader;
  }

  private Object decode(
      String topic, int schemaId, GenericDatumReader<Object> reader, byte[] bytes) {
    BinaryDecoder decoder =
        DecoderFactory.get()
            .binaryDecoder(
                bytes,
                WireFormat.HEADER_LENGTH,
                bytes.length - WireFormat.HEADER_LENGTH,
                decoders.get());
    decoders.set(decoder);
    Object value;
    boolean whole;
    try {
      value = reader.read(null, decoder);
      whole = decoder.isEnd();
    } catch (IOException
        | AvroRuntimeException
        | IndexOutOfBoundsException
        | NegativeArraySizeException
        | UnsupportedOperationException e) {
      throw new SerializationException(
          "topic %s: the bytes are not of schema id %d%s: %s"
              .formatted(
                  topic,
                  schemaId,
                  readerSchema == null ? "" : ", or that schema cannot be read as the one expected",
                  e),
          e);
    } catch (StackOverflowError e) {
      // Only a schema that holds itself gets here, by bytes that nest without end.
      throw new SerializationException(
          "topic %s: a value of schema id %d that is nested too deeply".formatted(topic, schemaId),
          e);
    }
    if (!whole) {
      throw new SerializationException(
          "topic %s: bytes are left after a value of schema id %d: not written with that schema"
              .formatted(topic, schemaId));
    }
    return value;
  }

  /**
   * What a message held.
   *
   * @param schema of the value: the reader schema if there is one, else the writer's
   * @param value as Avro's generic data
   */
  public record Message(Schema schema, Object value) {}
}
