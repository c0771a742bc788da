package io.indexview.schemas.serde;

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
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;
import org.apache.kafka.common.errors.SerializationException;

/**
 * Writes messages in the Confluent wire format and registers their schemas under {@code
 * <topic>-key} or {@code <topic>-value}. Values of logical types are expected as their plain Avro
 * types. Safe for use by several threads.
 *
 * <p>Schemas are recognized by identity first: reuse the instance, or every message costs a
 * comparison of schemas.
 */
public final class MessageWriter {
  private static final int MAX_IDENTITIES = 1_000;

  private final SchemaRegistry registry;
  private final String suffix;
  private final Map<String, Subject> subjects = new ConcurrentHashMap<>();
  private final ThreadLocal<Scratch> scratch = ThreadLocal.withInitial(Scratch::new);

  /**
   * @param isKey whether the subjects are those of keys
   */
  public MessageWriter(SchemaRegistry registry, boolean isKey) {
    this.registry = Objects.requireNonNull(registry, "registry");
    this.suffix = Subjects.suffix(isKey);
  }

  /**
   * One message.
   *
   * @throws io.indexview.schemas.registry.RegistryException if the schema cannot be registered
   * @throws SerializationException if the value does not fit the schema
   */
  public byte[] write(String topic, Schema schema, Object value) {
    Subject subject = subjects.get(topic);
    if (subject == null) {
      subject = subjects.computeIfAbsent(topic, name -> new Subject(name + suffix));
    }
    return scratch.get().write(topic, subject.writer(schema), value);
  }

  private record Writer(int schemaId, GenericDatumWriter<Object> datumWriter) {}

  /** The writers of one subject by schema identity; read without a lock. */
  private final class Subject {
    private final String name;
    private volatile Map<Schema, Writer> byIdentity = new IdentityHashMap<>();

    Subject(String name) {
      this.name = name;
    }

    Writer writer(Schema schema) {
      Writer known = byIdentity.get(schema);
      return known != null ? known : add(schema);
    }

    private Writer add(Schema schema) {
      int id = registry.register(name, schema);
      Writer writer = new Writer(id, new GenericDatumWriter<>(schema));
      synchronized (this) {
        Map<Schema, Writer> copy = new IdentityHashMap<>();
        // Whoever makes a new schema instance per message must not fill the memory.
        if (byIdentity.size() < MAX_IDENTITIES) {
          copy.putAll(byIdentity);
        }
        copy.put(schema, writer);
        byIdentity = copy;
      }
      return writer;
    }
  }

  /** What one thread uses again for each message. */
  private static final class Scratch {
    private static final int MAX_KEPT = 1 << 20;

    private final byte[] header = new byte[WireFormat.HEADER_LENGTH];
    private ByteArrayOutputStream out = new ByteArrayOutputStream(512);
    private BinaryEncoder encoder;

    byte[] write(String topic, Writer writer, Object value) {
      out.reset();
      WireFormat.writeHeader(writer.schemaId(), header);
      out.writeBytes(header);
      encoder = EncoderFactory.get().binaryEncoder(out, encoder);
      try {
        writer.datumWriter().write(value, encoder);
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
