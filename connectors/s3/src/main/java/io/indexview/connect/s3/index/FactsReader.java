package io.indexview.connect.s3.index;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.FramedValue.ValueSchemas;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import java.io.IOException;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Takes from file records what the index keeps of them. For one thread. */
final class FactsReader {
  private static final Logger LOGGER = LoggerFactory.getLogger(FactsReader.class);

  private final ValueSchemas schemas;
  private final Map<Schema, GenericDatumReader<GenericRecord>> readers = new HashMap<>();

  FactsReader(SchemaRegistry registry) {
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

  /** With a sequencer the time is the notification's, which is not quite the object's. */
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
