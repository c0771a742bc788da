package io.indexview.connect.s3.index;

import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.FramedValue.ValueSchemas;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What tells one content of an object from another, compared for equality only. The index keeps
 * them in the place of the record.
 *
 * @param size bytes; null if it is not known
 * @param eTag null if it is not known
 * @param lastModified seconds since the epoch; null if nobody read the object
 */
record Facts(Long size, String eTag, Long lastModified) {
  /** Facts of a record that cannot be read; they match no object. */
  static final Facts UNKNOWN = new Facts(null, null, null);

  private static final int NO_SCHEMA = 0;
  private static final String SEPARATOR = ",";

  static Facts of(ObjectInfo object) {
    return new Facts(object.size(), object.eTag(), seconds(object.lastModified()));
  }

  /** A HEAD tells whole seconds, a listing may tell more. */
  static Long seconds(Instant lastModified) {
    return lastModified.getEpochSecond();
  }

  /** Whether an object may be what this was taken of. A notification does not tell the time. */
  boolean fits(ObjectInfo object) {
    return Objects.equals(size, object.size())
        && Objects.equals(eTag, object.eTag())
        && (lastModified == null || lastModified.equals(seconds(object.lastModified())));
  }

  FramedValue encode() {
    byte[] text =
        String.join(
                SEPARATOR,
                Objects.toString(size, ""),
                Objects.toString(lastModified, ""),
                Objects.toString(eTag, ""))
            .getBytes(StandardCharsets.UTF_8);
    return new FramedValue(NO_SCHEMA, text, 0, text.length);
  }

  /** Reads {@link #encode} back. */
  static Facts decode(FramedValue value) {
    String text =
        new String(value.buffer(), value.offset(), value.length(), StandardCharsets.UTF_8);
    String[] parts = text.split(SEPARATOR, 3);
    return new Facts(number(parts[0]), parts[2].isEmpty() ? null : parts[2], number(parts[1]));
  }

  private static Long number(String text) {
    return text.isEmpty() ? null : Long.valueOf(text);
  }

  /** Takes from file records what the index keeps of them. For one thread. */
  static final class Reader {
    private static final Logger LOGGER = LoggerFactory.getLogger(Reader.class);

    private final ValueSchemas schemas;
    private final Map<Schema, GenericDatumReader<GenericRecord>> readers = new HashMap<>();

    Reader(SchemaRegistry registry) {
      this.schemas = new ValueSchemas(registry);
    }

    /**
     * The facts of a record; {@link Facts#UNKNOWN} of one that is no file record.
     *
     * @throws RegistryException if the registry does not answer or refuses this client, which says
     *     nothing about the record
     */
    Facts read(FramedValue value) {
      try {
        return decode(value, schemas.writerSchema(value.schemaId(), RecordFormat.ENVELOPE));
      } catch (RegistryException.NotFound
          | RegistryException.Rejected
          | IllegalArgumentException
          | MalformedEventException e) {
        LOGGER.debug("A record that is no file record", e);
        return Facts.UNKNOWN;
      }
    }

    private Facts decode(FramedValue value, Schema writer) throws MalformedEventException {
      try {
        GenericRecord file =
            reader(writer)
                .read(
                    null,
                    DecoderFactory.get()
                        .binaryDecoder(value.buffer(), value.offset(), value.length(), null));
        return new Facts((Long) file.get("size"), text(file.get("eTag")), lastModified(file));
      } catch (IOException | RuntimeException | StackOverflowError e) {
        // Avro throws of all kinds for bytes that are not what their schema says.
        throw new MalformedEventException("value: the bytes are not what their schema says", e);
      }
    }

    private GenericDatumReader<GenericRecord> reader(Schema writer) {
      return readers.computeIfAbsent(
          writer, schema -> new GenericDatumReader<>(schema, ControlSchemas.FILE_RECORD));
    }

    /**
     * Time of last modification. With a sequencer the record's time is the notification's, which is
     * not quite the object's.
     */
    private static Long lastModified(GenericRecord file) {
      Object time = file.get("uploadTime");
      return file.get("sequencer") != null || time == null
          ? null
          : Facts.seconds(Instant.ofEpochMilli((Long) time));
    }

    private static String text(Object value) {
      return value == null ? null : value.toString();
    }
  }
}
