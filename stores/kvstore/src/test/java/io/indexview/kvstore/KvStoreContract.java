package io.indexview.kvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.kvstore.KvOperation.KvResult;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * What every {@link KvStore} does. A subclass gives the store; the tests use keys under components
 * of their own, so that the store may hold anything else, and remove them.
 */
public abstract class KvStoreContract extends KvChangesContract {
  private final String root = UUID.randomUUID().toString();

  @AfterEach
  void removeAll() {
    remove(own());
  }

  @Test
  void returnsWhatWasPut() {
    KvVersion version = store().put(key("a"), bytes("1"));

    assertThat(store().get(key("a"))).contains(new KvRecord(key("a"), bytes("1"), version));
    assertThat(store().get(key("a"), KvConsistency.NONE)).isPresent();
    assertThat(store().get(key("b"))).isEmpty();
  }

  @Test
  void keepsAnEmptyValue() {
    store().put(key("a"), new byte[0]);

    assertThat(store().get(key("a"))).get().extracting(KvRecord::value).isEqualTo(new byte[0]);
  }

  @Test
  void keepsALargeValue() {
    byte[] value = new byte[300_000];
    value[299_999] = 7;
    store().put(key("a"), value);

    assertThat(store().get(key("a"))).get().extracting(KvRecord::value).isEqualTo(value);
  }

  @Test
  void raisesTheVersionWithEveryWrite() {
    KvVersion first = store().put(key("a"), bytes("1"));
    KvVersion second = store().put(key("a"), bytes("1"));
    store().delete(key("a"));
    KvVersion third = store().put(key("a"), bytes("1"));

    assertThat(List.of(second.shard(), third.shard())).containsOnly(first.shard());
    assertThat(second.vlsn()).isGreaterThan(first.vlsn());
    assertThat(third.vlsn()).as("a delete takes a number too").isGreaterThan(second.vlsn() + 1);
    assertThat(second).isNotEqualTo(first);
  }

  @Test
  void readsAtLeastAVersionThatWasWritten() {
    KvVersion version = store().put(key("a"), bytes("1"));
    KvConsistency consistency = KvConsistency.atLeast(version, Duration.ofSeconds(5));

    assertThat(store().get(key("a"), consistency)).isPresent();
  }

  @Test
  void putsManyRecordsOverWhateverIsThere() {
    KvVersion before = store().put(key("a", "0"), bytes("old"));
    Map<KvKey, byte[]> records = new HashMap<>();
    for (int i = 0; i < 1_000; i++) {
      records.put(i % 2 == 0 ? key("a", "" + i) : key("m" + i), bytes("" + i));
    }

    store().putAll(records);

    records.forEach(
        (key, value) ->
            assertThat(store().get(key)).get().extracting(KvRecord::value).isEqualTo(value));
    assertThat(store().get(key("a", "0")).orElseThrow().version().vlsn())
        .isGreaterThan(before.vlsn());
    store().putAll(Map.of());
  }

  @Test
  void refusesToPutALargeObjectAmongMany() {
    Map<KvKey, byte[]> records = Map.of(key("a"), bytes("1"), key("b", "photo.lob"), bytes("2"));

    assertThatExceptionOfType(KvStoreException.Refused.class)
        .isThrownBy(() -> store().putAll(records))
        .withMessageContaining("photo.lob");
    assertThat(store().get(key("a"))).isEmpty();
  }

  @Test
  void removesManyRecordsAndOnlyThose() {
    List<KvKey> keys = new ArrayList<>();
    for (int i = 0; i < 250; i++) {
      keys.add(i % 2 == 0 ? key("a", "" + i) : key("m" + i));
    }
    store().put(key("a"), bytes("parent"));
    keys.stream().skip(10).forEach(key -> store().put(key, bytes("1")));

    store().deleteAll(keys);

    assertThat(keys).allSatisfy(key -> assertThat(store().get(key)).isEmpty());
    assertThat(store().get(key("a"))).isPresent();
    store().deleteAll(List.of());
  }

  @Test
  void refusesToRemoveALargeObjectAmongMany() {
    store().put(key("a"), bytes("1"));

    assertThatExceptionOfType(KvStoreException.Refused.class)
        .isThrownBy(() -> store().deleteAll(List.of(key("a"), key("b", "photo.lob"))))
        .withMessageContaining("photo.lob");
    assertThat(store().get(key("a"))).isPresent();
  }

  @Test
  void putsOnlyWhenAbsent() {
    Optional<KvVersion> first = store().putIfAbsent(key("a"), bytes("1"));

    assertThat(first).isPresent();
    assertThat(store().putIfAbsent(key("a"), bytes("2"))).isEmpty();
    assertThat(store().get(key("a"))).get().extracting(KvRecord::version).isEqualTo(first.get());
  }

  @Test
  void putsOnlyOverTheExpectedVersion() {
    KvVersion first = store().put(key("a"), bytes("1"));
    Optional<KvVersion> second = store().putIfVersion(key("a"), bytes("2"), first);

    assertThat(second).isPresent();
    assertThat(store().putIfVersion(key("a"), bytes("3"), first)).isEmpty();
    assertThat(store().putIfVersion(key("none"), bytes("3"), first)).isEmpty();
    assertThat(value(key("a"))).isEqualTo("2");
  }

  @Test
  void deletesAndTellsThePreviousVersion() {
    KvVersion version = store().put(key("a"), bytes("1"));

    assertThat(store().delete(key("a"))).contains(version);
    assertThat(store().delete(key("a"))).isEmpty();
    assertThat(store().get(key("a"))).isEmpty();
  }

  @Test
  void deletesOnlyTheExpectedVersion() {
    KvVersion first = store().put(key("a"), bytes("1"));
    KvVersion second = store().put(key("a"), bytes("2"));

    assertThat(store().deleteIfVersion(key("a"), first)).isFalse();
    assertThat(store().deleteIfVersion(key("a"), second)).isTrue();
    assertThat(store().deleteIfVersion(key("a"), second)).isFalse();
  }

  @Test
  void tellsTheVersionThatAWriteMadeOrRemoved() {
    KvKey key = key("a");

    Optional<KvVersion> first = store().write(new KvOperation.PutIfAbsent(key, bytes("1")));
    assertThat(first).isEqualTo(version(key));
    assertThat(store().write(new KvOperation.PutIfAbsent(key, bytes("2")))).isEmpty();
    Optional<KvVersion> second = store().write(new KvOperation.Put(key, bytes("2")));
    assertThat(second).isEqualTo(version(key)).isNotEqualTo(first);
    assertThat(store().write(new KvOperation.PutIfVersion(key, bytes("3"), first.get()))).isEmpty();
    Optional<KvVersion> third =
        store().write(new KvOperation.PutIfVersion(key, bytes("3"), second.get()));
    assertThat(third).isEqualTo(version(key));
    assertThat(store().write(new KvOperation.DeleteIfVersion(key, second.get()))).isEmpty();
    assertThat(store().write(new KvOperation.DeleteIfVersion(key, third.get()))).isEqualTo(third);
    assertThat(store().write(new KvOperation.Delete(key))).isEmpty();
    Optional<KvVersion> last = store().write(new KvOperation.Put(key, bytes("4")));
    assertThat(store().write(new KvOperation.Delete(key))).isEqualTo(last);
    assertThat(store().get(key)).isEmpty();
  }

  private Optional<KvVersion> version(KvKey key) {
    return store().get(key).map(KvRecord::version);
  }

  @Test
  void refusesToWriteLargeObjectKeys() {
    KvKey lob = key("a", "picture.lob");

    assertThatExceptionOfType(KvStoreException.Refused.class)
        .isThrownBy(() -> store().put(lob, bytes("1")))
        .withMessageContaining("picture.lob");
    assertThatExceptionOfType(KvStoreException.Refused.class).isThrownBy(() -> store().delete(lob));
    assertThatExceptionOfType(KvStoreException.Refused.class)
        .isThrownBy(() -> store().execute(List.of(new KvOperation.Put(lob, bytes("1")))));
    assertThat(store().get(lob)).isEmpty();
  }

  @Test
  void executesAllOperationsTogether() {
    KvVersion old = store().put(key("m", "replaced"), bytes("1"));
    KvVersion doomed = store().put(key("m", "deleted"), bytes("1"));

    List<KvResult> results =
        store()
            .execute(
                List.of(
                    new KvOperation.PutIfVersion(key("m", "replaced"), bytes("2"), old),
                    new KvOperation.Delete(key("m", "deleted")),
                    new KvOperation.Delete(key("m", "never there")),
                    new KvOperation.PutIfAbsent(key("m", "new"), bytes("3"))));

    assertThat(results).hasSize(4);
    assertThat(results)
        .extracting(r -> r.version().isPresent())
        .containsExactly(true, false, false, true);
    assertThat(results)
        .extracting(KvResult::previousVersion)
        .containsExactly(Optional.of(old), Optional.of(doomed), Optional.empty(), Optional.empty());
    assertThat(values(KvSelection.of(key("m")))).containsExactly("3", "2");
    assertThat(store().get(key("m", "new")))
        .get()
        .extracting(KvRecord::version)
        .isEqualTo(results.get(3).version().get());
  }

  @Test
  void changesNothingWhenAConditionFails() {
    KvVersion stale = store().put(key("m", "b"), bytes("1"));
    store().put(key("m", "b"), bytes("2"));

    assertThatExceptionOfType(KvExecutionException.class)
        .isThrownBy(
            () ->
                store()
                    .execute(
                        List.of(
                            new KvOperation.Put(key("m", "a"), bytes("x")),
                            new KvOperation.PutIfVersion(key("m", "b"), bytes("x"), stale),
                            new KvOperation.Put(key("m", "c"), bytes("x")))))
        .withMessageContaining("PutIfVersion")
        .withMessageContaining(key("m", "b").toString())
        .satisfies(e -> assertThat(e.index()).isEqualTo(1));
    assertThat(values(KvSelection.of(key("m")))).containsExactly("2");
  }

  @Test
  void refusesMultiOperationsThatCannotBeAtomic() {
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                store()
                    .execute(
                        List.of(
                            new KvOperation.Put(key("m", "a"), bytes("x")),
                            new KvOperation.Put(key("n", "a"), bytes("x")))))
        .withMessageContaining("major path");
    assertThatIllegalArgumentException()
        .isThrownBy(
            () ->
                store()
                    .execute(
                        List.of(
                            new KvOperation.Put(key("m"), bytes("x")),
                            new KvOperation.Delete(key("m")))))
        .withMessageContaining("twice");
    assertThatIllegalArgumentException().isThrownBy(() -> store().execute(List.of()));
  }

  @Test
  void readsBelowAPartialMinorPathInOrder() {
    for (String minor : List.of("2", "10", "1", "")) {
      store().put(key("m", "x", minor), bytes("x" + minor));
    }
    store().put(key("m"), bytes("major"));
    store().put(key("m", "x"), bytes("x"));
    store().put(key("m", "xx"), bytes("other"));
    store().put(key("m", "x", "1", "deep"), bytes("deep"));

    assertThat(values(KvSelection.of(key("m", "x"))))
        .containsExactly("x", "x", "x1", "deep", "x10", "x2");
    assertThat(values(KvSelection.below(key("m", "x"), KvRange.ALL)))
        .containsExactly("x", "x1", "deep", "x10", "x2");
    assertThat(values(KvSelection.below(key("m", "x"), KvRange.closed("1", "10"))))
        .containsExactly("x1", "deep", "x10");
    assertThat(values(KvSelection.below(key("m", "x"), KvRange.closed("1", "1"))))
        .as("two equal bounds are no prefix")
        .containsExactly("x1", "deep");
    assertThat(values(KvSelection.below(key("m", "x"), KvRange.prefix("1"))))
        .containsExactly("x1", "deep", "x10");
    assertThat(values(new KvSelection(key("m"), KvRange.from("xx", true), true)))
        .containsExactly("major", "other");
  }

  @Test
  void iteratesInBothDirections() {
    KvSelection selection = KvSelection.below(key("m"), KvRange.from("n03", false));
    for (int i = 0; i < 20; i++) {
      store().put(key("m", "n%02d".formatted(i)), bytes(String.valueOf(i)));
    }

    assertThat(iterated(selection, KvDirection.FORWARD, 3)).hasSize(16).startsWith("4", "5");
    assertThat(iterated(selection, KvDirection.REVERSE, 3)).hasSize(16).startsWith("19", "18");
  }

  @Test
  void scansEverythingUnderAPartialMajorPath() {
    KvKey parent = own("p");
    List<KvKey> expected =
        List.of(
            parent,
            parent.child("minor"),
            own("p", "q"),
            own("p", "q").child("minor"),
            own("p", "q", "r"));
    expected.forEach(key -> store().put(key, bytes(key.toString())));
    store().put(own("pp"), bytes("other"));
    store().put(own(), bytes("other"));

    assertThat(scanned(KvScan.under(parent)))
        .extracting(KvRecord::key)
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(scannedKeys(KvScan.under(parent).withConcurrency(4).withBatchSize(2)))
        .containsExactlyInAnyOrderElementsOf(expected);
    assertThat(scannedKeys(KvScan.under(parent).withRange(KvRange.closed("q", "q"))))
        .containsExactlyInAnyOrderElementsOf(expected.subList(2, 5));
  }

  @Test
  void endsAScanThatIsClosed() {
    for (int i = 0; i < 10; i++) {
      store().put(key("s" + i), bytes("x"));
    }
    KvIterator<KvRecord> scan = store().storeIterator(KvScan.under(own()).withBatchSize(2));
    scan.next();
    scan.close();
    scan.close();

    assertThat(scan.hasNext()).isFalse();
  }

  @Test
  void deletesASelectionOfOneMajorPath() {
    for (int i = 0; i < 10; i++) {
      store().put(key("m", "n" + i), bytes("x"));
    }
    store().put(key("m"), bytes("major"));

    assertThat(store().multiDelete(KvSelection.below(key("m"), KvRange.to("n4", true))))
        .isEqualTo(5);
    assertThat(store().multiGet(KvSelection.of(key("m")), KvConsistency.ABSOLUTE)).hasSize(6);
    assertThat(store().multiDelete(KvSelection.of(key("m")))).isEqualTo(6);
    assertThat(store().multiDelete(KvSelection.of(key("m")))).isZero();
  }

  private KvKey own(String... major) {
    List<String> path = new ArrayList<>(List.of(PREFIX, root));
    path.addAll(List.of(major));
    return new KvKey(path, List.of());
  }

  private KvKey key(String major, String... minor) {
    return new KvKey(own(major).major(), List.of(minor));
  }

  private String value(KvKey key) {
    return text(store().get(key).orElseThrow());
  }

  private List<String> values(KvSelection selection) {
    return store().multiGet(selection, KvConsistency.ABSOLUTE).stream()
        .map(KvStoreContract::text)
        .toList();
  }

  private List<String> iterated(KvSelection selection, KvDirection direction, int batchSize) {
    List<String> values = new ArrayList<>();
    try (KvIterator<KvRecord> iterator =
        store().iterator(selection, direction, KvConsistency.ABSOLUTE, batchSize)) {
      iterator.forEachRemaining(r -> values.add(text(r)));
    }
    return values;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(KvRecord found) {
    return new String(found.value(), StandardCharsets.UTF_8);
  }
}
