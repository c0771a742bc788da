package io.indexview.server.record;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.client.write.WriteOperation;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.serde.UnionAttempts;
import io.indexview.server.json.JsonBody;
import io.indexview.server.json.JsonBody.Form;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import io.indexview.server.problem.ProblemType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.avro.generic.GenericRecord;

/** Several writes of one request, which are done all or none. For one request. */
final class Operations {
  static final int MAX_OPERATIONS = 1_000;

  private static final String OPERATIONS = "operations";
  private static final String OP = "op";
  private static final String PUT = "put";
  private static final String DELETE = "delete";
  private static final String KEY = "key";
  private static final String VALUE = "value";
  private static final String IF_VERSION = "ifVersion";
  private static final String IF_ABSENT = "ifAbsent";

  private final WritableSet set;
  private final List<ProblemDetails.Item> records = new ArrayList<>();
  private final UnionAttempts attempts = new UnionAttempts();
  private final Map<KvKey, String> keys = new HashMap<>();
  private KvKey first;

  private Operations(WritableSet set) {
    this.set = set;
  }

  /**
   * Reads a request.
   *
   * @throws ProblemException naming everything that is wrong with any operation
   */
  static List<WriteOperation> parse(String text, WritableSet set) {
    JsonBody body = JsonBody.parse(text, Set.of(OPERATIONS));
    Operations reading = new Operations(set);
    List<WriteOperation> operations = new ArrayList<>();
    for (JsonBody step :
        body.objects(OPERATIONS, MAX_OPERATIONS, Set.of(OP, KEY, VALUE, IF_VERSION, IF_ABSENT))) {
      reading.step(step).ifPresent(operations::add);
    }
    if (body.isRight() && !reading.records.isEmpty()) {
      throw new ProblemException(
          ProblemDetails.of(ProblemType.INVALID_RECORD, "a value is no " + set.schemaName())
              .with(reading.records));
    }
    reading.records.forEach(body::wrong);
    body.verify();
    return operations;
  }

  private Optional<WriteOperation> step(JsonBody step) {
    Optional<String> op =
        step.require(OP, Form.text(Operations::op, "use \"%s\" or \"%s\"".formatted(PUT, DELETE)));
    Optional<KvKey> key =
        step.require(KEY, new Form<>(RecordKeys::isKey, RecordKeys::key, RecordKeys.REMEDY));
    key.ifPresent(found -> check(found, step));
    Optional<KvVersion> version =
        step.get(IF_VERSION, Form.text(RecordKeys::version, RecordKeys.versionRemedy()));
    boolean absent = step.get(IF_ABSENT, Form.BOOLEAN).orElse(false);
    if (absent && version.isPresent()) {
      step.wrong(IF_ABSENT, "contradicts ifVersion; use one of them");
    }
    if (op.isEmpty()) {
      return Optional.empty();
    }
    if (op.get().equals(DELETE)) {
      step.refuse(VALUE, "a delete has none; leave it out");
      if (absent) {
        step.wrong(IF_ABSENT, "a delete has none; leave it out, or use ifVersion");
      }
      return key.map(found -> delete(found, version));
    }
    Optional<GenericRecord> record =
        step.require(VALUE, Form.OBJECT).map(value -> record(value, step));
    return key.isPresent() && record.isPresent()
        ? Optional.of(put(key.get(), record.get(), absent, version))
        : Optional.empty();
  }

  private static String op(String text) {
    if (!text.equals(PUT) && !text.equals(DELETE)) {
      throw new IllegalArgumentException("use \"%s\" or \"%s\"".formatted(PUT, DELETE));
    }
    return text;
  }

  private GenericRecord record(JsonNode value, JsonBody step) {
    return set.read(value, step.path(VALUE), attempts, records);
  }

  private void check(KvKey key, JsonBody step) {
    set.problem(key).ifPresent(problem -> step.wrong(KEY, problem));
    if (key.isLob()) {
      step.wrong(KEY, "belongs to a large object, which is no record");
    }
    first = first == null ? key : first;
    if (!key.major().equals(first.major())) {
      step.wrong(
          KEY,
          "has another major path than %s; one request writes records of one major path"
              .formatted(first));
    }
    String before = keys.putIfAbsent(key, step.path(KEY));
    if (before != null) {
      step.wrong(KEY, "is that of %s; use each key once".formatted(before));
    }
  }

  private static WriteOperation put(
      KvKey key, GenericRecord record, boolean absent, Optional<KvVersion> version) {
    if (absent) {
      return new WriteOperation.PutIfAbsent(key, record);
    }
    return version.isPresent()
        ? new WriteOperation.PutIfVersion(key, record, version.get())
        : new WriteOperation.Put(key, record);
  }

  private static WriteOperation delete(KvKey key, Optional<KvVersion> version) {
    return version.isPresent()
        ? new WriteOperation.DeleteIfVersion(key, version.get())
        : new WriteOperation.Delete(key);
  }

  /** What ends a request of which an operation's condition does not hold. */
  static ProblemException conflict(int index, WriteOperation operation, String actual) {
    String field =
        "%s[%d].%s"
            .formatted(
                OPERATIONS,
                index,
                operation instanceof WriteOperation.PutIfAbsent ? IF_ABSENT : IF_VERSION);
    return new ProblemException(
        ProblemDetails.of(
                ProblemType.VERSION_CONFLICT,
                "%s of %s does not hold; nothing was written".formatted(field, operation.key()))
            .with(
                List.of(
                    new ProblemDetails.Item(
                        field, operation.key().toString(), actual + "; nothing was written"))));
  }
}
