package io.indexview.schemas.serde;

import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.common.errors.SerializationException;
import org.apache.kafka.common.serialization.Serializer;

/**
 * Writes Avro records in the Confluent wire format and registers their schemas under {@code
 * <topic>-key} or {@code <topic>-value}. Values of logical types are expected as their plain Avro
 * types. Null stays null. Safe for use by several threads.
 *
 * <p>Schemas are recognized by identity first: reuse the instance, or every record costs a
 * comparison of schemas.
 *
 * @param <T> kind of record
 */
public final class AvroSerializer<T extends IndexedRecord> implements Serializer<T> {
  private static final int MAX_IDENTITIES = 1_000;

  private final ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);
  private final Map<String, Writers> writersByTopic = new ConcurrentHashMap<>();
  private final boolean owned;
  private SchemaRegistry registry;
  private String suffix;

  /** For {@link #configure}, which takes the keys of {@code RegistryConfig}. */
  public AvroSerializer() {
    this.owned = true;
  }

  /**
   * @param registry stays open when this is closed
   * @param isKey whether the subjects are those of keys
   */
  public AvroSerializer(SchemaRegistry registry, boolean isKey) {
    this.owned = false;
    this.registry = Objects.requireNonNull(registry, "registry");
    this.suffix = Subjects.suffix(isKey);
  }

  @Override
  public void configure(Map<String, ?> configs, boolean isKey) {
    if (owned) {
      registry = SchemaRegistries.create(configs);
      suffix = Subjects.suffix(isKey);
    }
  }

  /**
   * @throws io.indexview.schemas.registry.RegistryException if the schema cannot be registered
   * @throws SerializationException if the record does not fit its schema
   */
  @Override
  public byte[] serialize(String topic, T data) {
    if (data == null) {
      return null;
    }
    Writers writers = writersByTopic.get(topic);
    if (writers == null) {
      writers = writersByTopic.computeIfAbsent(topic, name -> new Writers(name + suffix));
    }
    return scratch.get().write(topic, writers.of(data.getSchema()), data);
  }

  @Override
  public void close() {
    if (owned && registry != null) {
      registry.close();
    }
  }

  private record Writer(int schemaId, GenericDatumWriter<Object> datumWriter) {}

  /** The writers of one subject by schema identity; read without a lock. */
  private final class Writers {
    private final String subject;
    private volatile Map<Schema, Writer> byIdentity = new IdentityHashMap<>();

    Writers(String subject) {
      this.subject = subject;
    }

    Writer of(Schema schema) {
      Writer known = byIdentity.get(schema);
      return known != null ? known : add(schema);
    }

    private Writer add(Schema schema) {
      int id = registry.register(subject, schema);
      Writer writer = new Writer(id, new GenericDatumWriter<>(schema));
      synchronized (this) {
        Map<Schema, Writer> copy = new IdentityHashMap<>();
        // Whoever makes a new schema instance per record must not fill the memory.
        if (byIdentity.size() < MAX_IDENTITIES) {
          copy.putAll(byIdentity);
        }
        copy.put(schema, writer);
        byIdentity = copy;
      }
      return writer;
    }
  }

  /** What one thread uses again for each record. */
  private static final class Scratch {
    private static final int MAX_KEPT = 1 << 20;

    private final byte[] header = new byte[WireFormat.HEADER_LENGTH];
    private ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    private BinaryEncoder encoder;

    byte[] write(String topic, Writer writer, Object data) {
      out.reset();
      WireFormat.writeHeader(writer.schemaId(), header);
      out.writeBytes(header);
      encoder = EncoderFactory.get().binaryEncoder(out, encoder);
      try {
        writer.datumWriter().write(data, encoder);
        encoder.flush();
      } catch (IOException | AvroRuntimeException | ClassCastException | NullPointerException e) {
        encoder = null;
        throw new SerializationException(
            "topic %s: the record does not fit its schema (id %d): %s"
                .formatted(topic, writer.schemaId(), e.getMessage()),
            e);
      }
      byte[] message = out.toByteArray();
      if (message.length > MAX_KEPT) {
        out = new ByteArrayOutputStream(512);
      }
      return message;
    }
  }
}
