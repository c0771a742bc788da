package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.write.MultiDelete;
import io.indexview.client.write.MultiDelete.MultiDeleteException;
import io.indexview.client.write.WriteOperation;
import io.indexview.client.write.Writer;
import io.indexview.client.write.Written;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvPartialKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.serde.Nesting;
import io.indexview.schemas.serde.UnionAttempts;
import io.indexview.server.json.Json;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The records of one record set in the KV store. Safe for use by several threads. */
final class WritableSet implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(WritableSet.class);

  /** Longest time of one removal; clients wait longer than that. */
  private static final Duration MAX_TIME = Duration.ofSeconds(20);

  private static final Duration RETRY = Duration.ofSeconds(5);

  private final KvStore store;
  private final KvKeySet keys;
  private final Schema schema;
  private final Nesting nesting;
  private final Supplier<ValueDecoder> decoders;
  private final Writer writer;

  /**
   * @param store stays open
   * @param decoders of its values
   * @param writer closed with this
   */
  WritableSet(
      KvStore store, KvKeySet keys, Schema schema, Supplier<ValueDecoder> decoders, Writer writer) {
    this.store = store;
    this.keys = keys;
    this.schema = schema;
    this.nesting = new Nesting(schema);
    this.decoders = decoders;
    this.writer = writer;
  }

  String schemaName() {
    return schema.getFullName();
  }

  /** Leading run of all keys. */
  KvKey prefix() {
    return keys.prefix();
  }

  /** What is wrong with a key, for the user; empty: nothing. */
  Optional<String> problem(KvKey key) {
    Optional<String> outside = problemOfPartial(key);
    return outside.isPresent() || keys.hasMinorOf(key)
        ? outside
        : Optional.of("use a key with one of the minor paths " + keys.minorTexts());
  }

  /** What is wrong with the start of a partial key, likewise. */
  Optional<String> problemOfPartial(KvKey start) {
    return keys.prefix().isMajorPrefixOf(start)
        ? Optional.empty()
        : Optional.of("use a key that begins with " + keys.prefix());
  }

  /**
   * Reads a record of a request.
   *
   * @param attempts of the whole request
   * @param problems gets what is wrong with it
   */
  GenericRecord read(
      JsonNode json, String path, UnionAttempts attempts, List<ProblemDetails.Item> problems) {
    return JsonToRecord.read(schema, nesting, json, path, attempts, problems);
  }

  /** Reads a record with the given consistency. */
  RecordAnswer get(KvKey key, KvConsistency consistency) {
    KvRecord record = store.get(checked(key), consistency).orElseThrow(() -> notFound(key));
    return new RecordAnswer(
        key.toString(), record.version().toString(), json(record, decoders.get()));
  }

  private JsonNode json(KvRecord record, ValueDecoder decoder) {
    try {
      return Json.of(decoder.decode(record.value()));
    } catch (UndecodableException | RuntimeException | StackOverflowError e) {
      if (e instanceof RegistryException.Unavailable unavailable) {
        throw unavailable;
      }
      // A value that fits the schema may still be none of its logical types.
      throw new ProblemException(
          ProblemDetails.of(
              ProblemType.UNREADABLE_RECORD,
              "the value at %s is no %s: %s"
                  .formatted(record.key(), schema.getFullName(), e.getMessage())),
          null,
          e);
    }
  }

  /**
   * Reads some records; one that cannot be read says so.
   *
   * @param after null: from the first
   */
  RecordAnswer.Page page(KvPartialKey partial, KvKey after, int limit) {
    KvPartialKey.Page page = partial.page(store, keys, after, limit);
    ValueDecoder decoder = decoders.get();
    return new RecordAnswer.Page(
        page.records().stream().map(record -> listed(record, decoder)).toList(),
        page.next().map(KvKey::toString).orElse(null));
  }

  private RecordAnswer.Listed listed(KvRecord record, ValueDecoder decoder) {
    String key = record.key().toString();
    String version = record.version().toString();
    try {
      return new RecordAnswer.Listed(key, version, json(record, decoder), null);
    } catch (ProblemException e) {
      return new RecordAnswer.Listed(key, version, null, e.getMessage());
    }
  }

  /** Removes some of the records that begin with a partial key. */
  RecordAnswer.Removal multiDelete(KvPartialKey partial, int limit) {
    try {
      return removal(orUnknown(true, () -> writer.multiDelete(partial, limit, MAX_TIME)));
    } catch (MultiDeleteException e) {
      ProblemType type = type(e.getCause());
      if (type == ProblemType.INTERNAL) {
        LOGGER.error(
            "The KV store failed while records under {} were removed; mend the cause, then remove"
                + " those that are left by the same request",
            partial,
            e);
      }
      throw new ProblemException(
          ProblemDetails.of(type, e.getMessage()).with("removed", removal(e.done()).removed()),
          type == ProblemType.UNAVAILABLE ? RETRY : null,
          e);
    }
  }

  private static ProblemType type(Throwable failure) {
    if (failure instanceof KvStoreException.Unavailable) {
      return ProblemType.UNAVAILABLE;
    }
    return failure instanceof KvStoreException.Refused
        ? ProblemType.BAD_REQUEST
        : ProblemType.INTERNAL;
  }

  private static RecordAnswer.Removal removal(MultiDelete done) {
    return new RecordAnswer.Removal(
        done.removed().stream().map(RecordAnswer.Write::of).toList(), done.atomic(), done.more());
  }

  /** Does all of them or none. */
  RecordAnswer.Results execute(List<WriteOperation> operations) {
    List<RecordAnswer.Result> results = new ArrayList<>();
    try {
      List<Optional<Written>> written = orUnknown(false, () -> writer.execute(operations));
      for (int i = 0; i < written.size(); i++) {
        results.add(RecordAnswer.Result.of(operations.get(i).key(), written.get(i)));
      }
    } catch (KvExecutionException e) {
      throw Operations.conflict(e.index(), operations.get(e.index()), e.actual());
    }
    return new RecordAnswer.Results(results);
  }

  /** Writes a record if the condition holds. */
  Written put(KvKey key, JsonNode value, Condition condition) {
    GenericRecord record = JsonToRecord.read(schema, nesting, value);
    checked(key);
    if (condition.absent()) {
      return orUnknown(false, () -> writer.putIfAbsent(key, record))
          .orElseThrow(() -> conflict(key, "there is a record already"));
    }
    if (condition.version().isPresent()) {
      KvVersion version = condition.version().get();
      return orUnknown(false, () -> writer.putIfVersion(key, record, version))
          .orElseThrow(() -> conflict(key, "the record is not at version " + version));
    }
    return orUnknown(true, () -> writer.put(key, record));
  }

  /** Removes a record, if it has the version. */
  Written delete(KvKey key, Optional<KvVersion> expected) {
    checked(key);
    return expected.isPresent()
        ? orUnknown(false, () -> writer.deleteIfVersion(key, expected.get()))
            .orElseThrow(() -> conflict(key, "the record is not at version " + expected.get()))
        : orUnknown(false, () -> writer.delete(key)).orElseThrow(() -> notFound(key));
  }

  /**
   * A store that does not answer may have written all the same: whoever sends a conditional write
   * again would take its own record for somebody else's.
   *
   * @param repeatable whether the same request may be sent again whatever became of this one
   */
  private static <T> T orUnknown(boolean repeatable, Supplier<T> write) {
    try {
      return write.get();
    } catch (KvStoreException.Unavailable e) {
      LOGGER.warn("It is not known whether a write was done: {}", e.getMessage());
      throw new ProblemException(
          ProblemDetails.of(
              ProblemType.UNAVAILABLE,
              e.getMessage()
                  + "; it is not known whether it was written: "
                  + (repeatable
                      ? "send the request again"
                      : "read the record before you send the request again")),
          repeatable ? RETRY : null,
          e);
    }
  }

  private KvKey checked(KvKey key) {
    problem(key)
        .ifPresent(
            problem -> {
              throw ProblemException.badParameters(
                  List.of(new ProblemDetails.Item("key", key.toString(), problem)));
            });
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
