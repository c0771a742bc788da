package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvVersion;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import oracle.kv.KVStore;
import oracle.kv.Key;
import oracle.kv.Operation;
import oracle.kv.OperationExecutionException;
import oracle.kv.OperationFactory;
import oracle.kv.OperationResult;
import oracle.kv.ReturnValueVersion;
import oracle.kv.ReturnValueVersion.Choice;
import oracle.kv.Value;
import oracle.kv.Version;

/** Writes in the client's words, and their results back. */
final class ClientOperations {
  private final OperationFactory factory;

  ClientOperations(OperationFactory factory) {
    this.factory = factory;
  }

  /** Writes a single operation, as {@link io.indexview.kvstore.KvStore#write} does. */
  static Optional<KvVersion> write(KVStore store, KvOperation operation) {
    Key key = Translation.key(operation.key());
    Value value = operation.newValue().map(Value::createValue).orElse(null);
    if (operation instanceof KvOperation.Put) {
      return version(store.put(key, value));
    }
    if (operation instanceof KvOperation.PutIfAbsent) {
      return version(store.putIfAbsent(key, value));
    }
    if (operation instanceof KvOperation.PutIfVersion put) {
      return version(store.putIfVersion(key, value, Translation.version(put.expected())));
    }
    if (operation instanceof KvOperation.DeleteIfVersion delete) {
      boolean deleted = store.deleteIfVersion(key, Translation.version(delete.expected()));
      return deleted ? Optional.of(delete.expected()) : Optional.empty();
    }
    ReturnValueVersion previous = new ReturnValueVersion(Choice.VERSION);
    boolean deleted = store.delete(key, previous, null, 0, null);
    return deleted ? Optional.of(Translation.version(previous.getVersion())) : Optional.empty();
  }

  private static Optional<KvVersion> version(Version version) {
    return Optional.ofNullable(version).map(Translation::version);
  }

  List<Operation> all(List<KvOperation> operations) {
    List<Operation> translated = new ArrayList<>(operations.size());
    for (KvOperation operation : operations) {
      translated.add(one(operation));
    }
    return translated;
  }

  private Operation one(KvOperation operation) {
    Key key = Translation.key(operation.key());
    Value value = operation.newValue().map(Value::createValue).orElse(null);
    if (operation instanceof KvOperation.Put) {
      return factory.createPut(key, value, Choice.VERSION, true);
    }
    if (operation instanceof KvOperation.PutIfAbsent) {
      return factory.createPutIfAbsent(key, value, Choice.VERSION, true);
    }
    if (operation instanceof KvOperation.PutIfVersion put) {
      Version expected = Translation.version(put.expected());
      return factory.createPutIfVersion(key, value, expected, Choice.VERSION, true);
    }
    if (operation instanceof KvOperation.DeleteIfVersion delete) {
      Version expected = Translation.version(delete.expected());
      return factory.createDeleteIfVersion(key, expected, Choice.VERSION, true);
    }
    return factory.createDelete(key, Choice.VERSION, false);
  }

  static List<KvResult> results(List<KvOperation> operations, List<OperationResult> results) {
    List<KvResult> translated = new ArrayList<>(results.size());
    for (int i = 0; i < results.size(); i++) {
      KvOperation operation = operations.get(i);
      OperationResult result = results.get(i);
      Optional<KvVersion> version =
          operation.newValue().map(value -> Translation.version(result.getNewVersion()));
      translated.add(new KvResult(version, previousVersion(operation, result)));
    }
    return translated;
  }

  /** A version-bound write that held replaced the version it names, which the store leaves out. */
  private static Optional<KvVersion> previousVersion(
      KvOperation operation, OperationResult result) {
    if (operation instanceof KvOperation.PutIfVersion put) {
      return Optional.of(put.expected());
    }
    if (operation instanceof KvOperation.DeleteIfVersion delete) {
      return Optional.of(delete.expected());
    }
    return version(result.getPreviousVersion());
  }

  static KvExecutionException failure(List<KvOperation> operations, OperationExecutionException e) {
    int index = e.getFailedOperationIndex();
    Version current = e.getFailedOperationResult().getPreviousVersion();
    String actual =
        current == null
            ? "the key has no record, or none of that version"
            : "the key has version " + Translation.version(current);
    return new KvExecutionException(index, operations.get(index), actual, e);
  }
}
