package io.indexview.kvstore;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvOperation.KvResult;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** One change, made to a store and to the model. */
record ModelStep(
    Kind kind, List<String> major, List<String> minor, KvRange range, boolean includesParent) {
  private static final KvVersion NEVER = new KvVersion("00000000-0000-0000-0000-000000000001", 1);

  enum Kind {
    PUT,
    PUT_IF_ABSENT,
    PUT_IF_VERSION,
    PUT_IF_WRONG_VERSION,
    DELETE,
    DELETE_IF_VERSION,
    MULTI_DELETE,
    EXECUTE
  }

  void run(KvStore store, KvStoreModel model, String root) {
    KvKey key = new KvKey(below(root, major), minor);
    byte[] value = (kind + "" + minor).getBytes(StandardCharsets.UTF_8);
    Optional<KvVersion> current = model.version(key);
    switch (kind) {
      case PUT -> model.put(key, value, store.put(key, value));
      case PUT_IF_ABSENT ->
          written(model, key, value, store.putIfAbsent(key, value), current.isEmpty());
      case PUT_IF_VERSION ->
          written(
              model,
              key,
              value,
              store.putIfVersion(key, value, current.orElse(NEVER)),
              current.isPresent());
      case PUT_IF_WRONG_VERSION ->
          written(model, key, value, store.putIfVersion(key, value, NEVER), false);
      case DELETE -> {
        assertThat(store.delete(key)).isEqualTo(current);
        model.delete(key);
      }
      case DELETE_IF_VERSION -> {
        assertThat(store.deleteIfVersion(key, current.orElse(NEVER)))
            .isEqualTo(current.isPresent());
        model.delete(key);
      }
      case MULTI_DELETE -> {
        KvSelection selection = new KvSelection(key, range, includesParent);
        List<KvRecord> doomed = model.select(selection);
        assertThat(store.multiDelete(selection)).isEqualTo(doomed.size());
        doomed.forEach(r -> model.delete(r.key()));
      }
      case EXECUTE -> execute(store, model, key, value);
    }
  }

  private static void execute(KvStore store, KvStoreModel model, KvKey key, byte[] value) {
    KvKey other = key.child("executed");
    boolean absent = model.get(other).isEmpty();
    List<KvOperation> operations =
        List.of(new KvOperation.Put(key, value), new KvOperation.PutIfAbsent(other, value));
    if (!absent) {
      assertThat(failureIndex(store, operations)).isEqualTo(1);
      return;
    }
    List<KvResult> results = store.execute(operations);
    assertThat(results.get(0).previousVersion()).isEqualTo(model.version(key));
    model.put(key, value, results.get(0).version().orElseThrow());
    model.put(other, value, results.get(1).version().orElseThrow());
  }

  private static int failureIndex(KvStore store, List<KvOperation> operations) {
    try {
      store.execute(operations);
      return -1;
    } catch (KvExecutionException e) {
      return e.index();
    }
  }

  private static void written(
      KvStoreModel model, KvKey key, byte[] value, Optional<KvVersion> given, boolean expected) {
    assertThat(given.isPresent()).isEqualTo(expected);
    given.ifPresent(version -> model.put(key, value, version));
  }

  static List<String> below(String root, List<String> path) {
    List<String> full = new ArrayList<>();
    full.add(KvStoreModelContract.PREFIX);
    full.add(root);
    full.addAll(path);
    return full;
  }
}
