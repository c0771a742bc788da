package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.write.Writer;
import io.indexview.client.write.Written;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;

/** The records of one record set in the KV store. Safe for use by several threads. */
final class WritableSet implements AutoCloseable {
  private final KvStore store;
  private final KvKey prefix;
  private final Schema schema;
  private final Writer writer;

  /**
   * @param store stays open
   * @param writer closed with this
   */
  WritableSet(KvStore store, KvKey prefix, Schema schema, Writer writer) {
    this.store = store;
    this.prefix = prefix;
    this.schema = schema;
    this.writer = writer;
  }

  Schema schema() {
    return schema;
  }

  /** Reads a record with the given consistency. */
  RecordAnswer get(KvKey key, KvConsistency consistency) {
    KvRecord record = store.get(checked(key), consistency).orElseThrow(() -> notFound(key));
    return new RecordAnswer(key.toString(), record.version().toString(), json(record));
  }

  private JsonNode json(KvRecord record) {
    try {
      return RecordToJson.write(
          new GenericDatumReader<GenericRecord>(schema)
              .read(null, DecoderFactory.get().binaryDecoder(record.value(), null)));
    } catch (IOException | RuntimeException | StackOverflowError e) {
      // Bytes that do not fit the schema make Avro fail in any way.
      throw new ProblemException(
          ProblemDetails.of(
              ProblemType.UNREADABLE_RECORD,
              "the value at %s is no %s".formatted(record.key(), schema.getFullName())),
          null,
          e);
    }
  }

  /** Writes a record if the condition holds. */
  Written put(KvKey key, JsonNode value, Condition condition) {
    GenericRecord record = JsonToRecord.read(schema, value);
    checked(key);
    if (condition.absent()) {
      return writer
          .putIfAbsent(key, record)
          .orElseThrow(() -> conflict(key, "there is a record already"));
    }
    if (condition.version().isPresent()) {
      KvVersion version = condition.version().get();
      return writer
          .putIfVersion(key, record, version)
          .orElseThrow(() -> conflict(key, "the record is not at version " + version));
    }
    return writer.put(key, record);
  }

  /** Removes a record, if it has the version. */
  Written delete(KvKey key, Optional<KvVersion> expected) {
    checked(key);
    return expected.isPresent()
        ? writer
            .deleteIfVersion(key, expected.get())
            .orElseThrow(() -> conflict(key, "the record is not at version " + expected.get()))
        : writer.delete(key).orElseThrow(() -> notFound(key));
  }

  private KvKey checked(KvKey key) {
    if (!prefix.isMajorPrefixOf(key)) {
      throw ProblemException.badParameters(
          List.of(
              new ProblemDetails.Item(
                  "key", key.toString(), "use a key that begins with " + prefix)));
    }
    return key;
  }

  private static ProblemException notFound(KvKey key) {
    return ProblemException.of(ProblemType.RECORD_NOT_FOUND, "there is no record at " + key);
  }

  private static ProblemException conflict(KvKey key, String detail) {
    return ProblemException.of(ProblemType.VERSION_CONFLICT, "at %s %s".formatted(key, detail));
  }

  @Override
  public void close() {
    writer.close();
  }

  /**
   * What must hold for a put.
   *
   * @param absent there is no record
   * @param version the record has it; empty: nothing is asked
   */
  record Condition(boolean absent, Optional<KvVersion> version) {}
}
