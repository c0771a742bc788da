package io.indexview.kvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.indexview.kvstore.KvChanges.Batch;
import java.lang.Thread.State;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** How a store names the records that change. */
@Timeout(120)
abstract class KvChangesContract extends KvStoreModelContract {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration NOT_AT_ALL = Duration.ZERO;

  private final String root = "changes-" + UUID.randomUUID();
  private final KvKeySet all = KvKeySet.under(KvKey.ofMajor(PREFIX, root));

  /** A store that tells no changes in this set-up skips the tests that need it to. */
  protected KvChanges follow(KvKeySet keys, Optional<KvChangePosition> from) {
    return store().changes(keys, from);
  }

  /**
   * Whether one reads for all who follow, so that those who came late were handed over. A store
   * that does not show it says so.
   */
  protected boolean isReadOnce() {
    return true;
  }

  @AfterEach
  void removeChanged() {
    remove(KvKey.ofMajor(PREFIX, root));
    remove(KvKey.ofMajor(PREFIX, "not-" + root));
  }

  @Test
  void namesWhateverWrites() {
    KvVersion present = store().put(key("present"), new byte[] {1});
    store().put(key("deleted"), new byte[0]);
    KvVersion doomed = store().put(key("deleted if"), new byte[0]);
    for (int i = 0; i < 5; i++) {
      store().put(key("many", "" + i), new byte[0]);
      store().put(key("gone", "" + i), new byte[0]);
    }

    try (KvChanges changes = follow(all, Optional.empty())) {
      store().put(key("put"), new byte[] {1});
      store().putAll(Map.of(key("all", "1"), new byte[0], key("all", "2"), new byte[0]));
      store().putIfAbsent(key("absent"), new byte[0]);
      store().delete(key("deleted"));
      store().deleteAll(List.of(key("gone", "1"), key("gone", "2"), key("never there")));
      store().deleteIfVersion(key("deleted if"), doomed);
      store()
          .execute(
              List.of(
                  new KvOperation.Put(key("m", "a"), new byte[0]),
                  new KvOperation.PutIfAbsent(key("m", "b"), new byte[0])));
      store().execute(List.of(new KvOperation.Delete(key("m", "b"))));
      store().multiDelete(KvSelection.below(key("many"), KvRange.to("3", true)));
      store().putIfVersion(key("present"), new byte[0], present);

      assertThat(namedUntil(changes, key("many", "3"), key("present")))
          .containsExactlyInAnyOrder(
              key("put"),
              key("all", "1"),
              key("all", "2"),
              key("absent"),
              key("present"),
              key("deleted"),
              key("gone", "1"),
              key("gone", "2"),
              key("deleted if"),
              key("m", "a"),
              key("m", "b"),
              key("many", "0"),
              key("many", "1"),
              key("many", "2"),
              key("many", "3"));
    }
  }

  @Test
  void namesNoKeyThatIsNotAskedFor() {
    KvKeySet contacts = KvKeySet.of(KvKey.ofMajor(PREFIX, root, "p"), List.of("/-/contact", "/-"));
    KvKey longer =
        new KvKey(List.of(PREFIX, root, "p", "q\u0000/é\uD83D\uDE00"), List.of("contact"));

    try (KvChanges changes = follow(contacts, Optional.empty())) {
      store().put(key("p", "photo"), new byte[0]);
      store().put(key("p"), new byte[0]);
      store().put(key("pp", "contact"), new byte[0]);
      store().put(KvKey.ofMajor(PREFIX, root), new byte[0]);
      store().put(longer, new byte[0]);
      store().put(key("p", "contact", "more"), new byte[0]);
      store().put(key("p", "contact"), new byte[0]);

      assertThat(namedUntil(changes, key("p", "contact")))
          .containsExactlyInAnyOrder(key("p"), longer, key("p", "contact"));
    }
  }

  @Test
  void namesAKeyOnceInABatch() {
    try (KvChanges changes = follow(all, Optional.empty())) {
      for (int i = 0; i < 100; i++) {
        store().put(key("again"), new byte[] {(byte) i});
      }
      store().put(key("last"), new byte[0]);
      boolean last = false;
      while (!last) {
        Batch batch = changes.poll(SOON);
        assertThat(batch.hasGap()).isFalse();
        assertThat(batch.keys()).isNotEmpty().doesNotHaveDuplicates();
        last = batch.keys().contains(key("last"));
      }
    }
  }

  @Test
  void saysWhereItIsWhenNothingChanges() {
    KvChangePosition position;
    try (KvChanges changes = follow(all, Optional.empty())) {
      Batch first = changes.poll(NOT_AT_ALL);
      assertThat(first.keys()).isEmpty();
      assertThat(first.hasGap()).isFalse();
      assertThat(changes.poll(Duration.ofMillis(50)).keys()).isEmpty();
      position = first.next();
    }
    store().put(key("a"), new byte[0]);

    try (KvChanges changes = follow(all, resumed(position))) {
      assertThat(namedUntil(changes, key("a"))).containsExactly(key("a"));
    }
  }

  @Test
  void goesOnWhereABatchEnded() {
    KvChangePosition position;
    try (KvChanges changes = follow(all, Optional.empty())) {
      store().put(key("before"), new byte[0]);
      position = lastOf(changes, key("before")).next();
    }
    store().put(key("meanwhile"), new byte[0]);
    store().delete(key("before"));

    try (KvChanges changes = follow(all, resumed(position))) {
      assertThat(namedUntil(changes, key("before"))).contains(key("meanwhile"), key("before"));
      position = changes.poll(NOT_AT_ALL).next();
    }
    try (KvChanges changes = follow(all, resumed(position))) {
      store().put(key("after"), new byte[0]);
      assertThat(namedUntil(changes, key("after"))).contains(key("after"));
    }
  }

  @Test
  void keepsWhatWasNotDealtWith() {
    try (KvChanges changes = follow(all, Optional.empty())) {
      KvChangePosition before = changes.poll(NOT_AT_ALL).next();
      store().put(key("a"), new byte[0]);
      lastOf(changes, key("a"));

      try (KvChanges again = follow(all, resumed(before))) {
        assertThat(namedUntil(again, key("a"))).contains(key("a"));
      }
    }
  }

  @Test
  void provesAMomentOnlyWhenEveryChangeBeforeItWasNamed() {
    try (KvChanges changes = follow(all, Optional.empty())) {
      assertThat(changes.provenAge()).as("before the first poll").isEmpty();
      for (int i = 0; i < 20; i++) {
        store().put(key("a" + i), new byte[0]);
        long acknowledged = System.nanoTime();
        Set<KvKey> named = new HashSet<>(changes.poll(NOT_AT_ALL).keys());
        while (!isProven(changes, acknowledged)) {
          named.addAll(changes.poll(Duration.ofMillis(10)).keys());
        }
        assertThat(named).contains(key("a" + i));
      }
    }
  }

  @Test
  void provesMomentsWhileChangesKeepComing() {
    try (KvChanges changes = follow(all, Optional.empty())) {
      long began = System.nanoTime();
      await()
          .pollInterval(Duration.ofMillis(1))
          .until(
              () -> {
                store().put(key("a"), new byte[0]);
                namedUntil(changes, key("a"));
                return isProven(changes, began);
              });
    }
  }

  /** Whether everything before a moment of {@link System#nanoTime} was named. */
  private static boolean isProven(KvChanges changes, long moment) {
    long now = System.nanoTime();
    return changes.provenAge().map(age -> now - age.toNanos() - moment >= 0).orElse(false);
  }

  @Test
  void hasAGapAfterAPositionOfAnotherStore() {
    KvChangePosition elsewhere =
        KvChangePosition.of("elsewhere", new KvChangePosition.Entry(42, 7));

    try (KvChanges changes = follow(all, Optional.of(elsewhere))) {
      Batch first = changes.poll(SOON);
      assertThat(first.hasGap()).isTrue();
      store().put(key("a"), new byte[0]);
      assertThat(namedUntil(changes, key("a"))).contains(key("a"));

      try (KvChanges again = follow(all, resumed(first.next()))) {
        assertThat(namedUntil(again, key("a"))).as("and no gap again").contains(key("a"));
      }
    }
  }

  @Test
  void hasAGapAfterAChangeThatTheStoreDoesNotHave() {
    KvChangePosition position;
    try (KvChanges changes = follow(all, Optional.empty())) {
      store().put(key("a"), new byte[0]);
      position = lastOf(changes, key("a")).next();
    }
    TreeMap<String, KvChangePosition.Entry> others = new TreeMap<>();
    position
        .shards()
        .forEach(
            (shard, at) ->
                others.put(
                    shard,
                    new KvChangePosition.Entry(at.resumeAt(), at.sequence(), at.check() ^ 2)));

    try (KvChanges changes = follow(all, Optional.of(new KvChangePosition(others)))) {
      assertThat(changes.poll(SOON).hasGap()).isTrue();
      // Again as long as transactions may be open that began before what is read of the log.
      await().atMost(Duration.ofMinutes(2)).until(() -> namesWithoutAGap(changes, key("b")));
    }
  }

  /** Whether a write is named, or there is a gap instead. */
  private boolean namesWithoutAGap(KvChanges changes, KvKey key) {
    store().put(key, new byte[0]);
    Batch batch = changes.poll(SOON);
    while (!batch.hasGap() && !batch.keys().contains(key)) {
      assertThat(batch.keys()).as("what comes for %s", key).isNotEmpty();
      batch = changes.poll(SOON);
    }
    return !batch.hasGap();
  }

  @Test
  void hasAGapWhenMoreCameThanItKeeps() {
    try (KvChanges changes = follow(all, Optional.empty())) {
      Set<KvKey> written = new HashSet<>();
      for (int i = 0; i < 600; i++) {
        KvKey large = key("large", "%s%d".formatted("x".repeat(30_000), i));
        store().put(large, new byte[0]);
        written.add(large);
      }
      Set<KvKey> named = new HashSet<>();
      boolean hasGap = false;
      while (!hasGap) {
        Batch batch = changes.poll(SOON);
        named.addAll(batch.keys());
        hasGap = batch.hasGap();
        assertThat(hasGap || !batch.keys().isEmpty()).isTrue();
      }
      assertThat(written).as("not all were named").hasSizeGreaterThan(named.size());
      store().put(key("after"), new byte[0]);
      lastOf(changes, key("after"));
    }
  }

  @Test
  void endsAPollThatWaitsWhenItIsClosed() throws Exception {
    KvChanges changes = follow(all, Optional.empty());
    FutureTask<Batch> waiting = new FutureTask<>(() -> changes.poll(Duration.ofHours(1)));
    Thread reader = new Thread(waiting);
    reader.setDaemon(true);
    reader.start();
    await().until(() -> EnumSet.of(State.WAITING, State.TIMED_WAITING).contains(reader.getState()));
    store().put(KvKey.ofMajor(PREFIX, "not-" + root), new byte[0]);
    await().during(Duration.ofMillis(200)).until(() -> !waiting.isDone());

    changes.close();
    changes.close();

    assertThat(waiting.get(30, TimeUnit.SECONDS).keys()).isEmpty();
    assertThatIllegalStateException().isThrownBy(() -> changes.poll(NOT_AT_ALL));
  }

  @Test
  void namesEveryWriteOfManyThreadsOverPausesOfTheReader() throws Exception {
    Set<KvKey> named = new HashSet<>();
    List<Thread> writers = new ArrayList<>();
    Map<KvKey, byte[]> expected = new HashMap<>();
    AtomicBoolean failed = new AtomicBoolean();
    for (int w = 0; w < 4; w++) {
      String major = "w" + w;
      for (int i = 0; i < 200; i++) {
        expected.put(key(major, "" + i), new byte[0]);
      }
      Thread writer =
          new Thread(
              () -> {
                for (int i = 0; i < 200; i += 2) {
                  store()
                      .execute(
                          List.of(
                              new KvOperation.Put(key(major, "" + i), new byte[0]),
                              new KvOperation.Put(key(major, "" + (i + 1)), new byte[0])));
                }
              });
      writer.setUncaughtExceptionHandler((thread, e) -> failed.set(true));
      writers.add(writer);
    }
    KvChanges changes = follow(all, Optional.empty());
    writers.forEach(Thread::start);
    try {
      while (!named.equals(expected.keySet())) {
        Batch batch = changes.poll(SOON);
        assertThat(batch.hasGap()).isFalse();
        assertThat(batch.keys()).as("something comes until all are named").isNotEmpty();
        named.addAll(batch.keys());
        changes.close();
        changes = follow(all, resumed(batch.next()));
      }
      assertThat(failed).isFalse();
    } finally {
      changes.close();
      for (Thread writer : writers) {
        writer.join();
      }
    }
  }

  @Test
  void namesToEachOfSeveralWhatHeAskedForWhoeverComesOrGoes() {
    KvKeySet ofA = KvKeySet.under(KvKey.ofMajor(PREFIX, root, "a"));
    KvKeySet ofB = KvKeySet.under(KvKey.ofMajor(PREFIX, root, "b"));
    KvChanges first = follow(ofA, Optional.empty());
    try {
      KvChangePosition before = first.poll(NOT_AT_ALL).next();
      Set<KvKey> early = new HashSet<>();
      for (int i = 0; i < 50; i++) {
        store().put(key("a", "" + i), new byte[0]);
        store().put(key("b", "" + i), new byte[0]);
        early.add(key("b", "" + i));
      }
      try (KvChanges second = follow(ofB, resumed(before))) {
        assertThat(namedUntil(second, key("b", "49"))).isEqualTo(early);
        assertThat(namedUntil(first, key("a", "49"))).hasSize(50);
        for (int i = 50; i < 100 || !isReadOnce(); i++) {
          store().put(key("a", "" + i), new byte[0]);
          store().put(key("b", "" + i), new byte[0]);
          assertThat(namedUntil(first, key("a", "" + i))).allMatch(ofA::contains);
          assertThat(namedUntil(second, key("b", "" + i))).allMatch(ofB::contains);
        }
        first.close();
        store().put(key("b", "last"), new byte[0]);
        assertThat(namedUntil(second, key("b", "last"))).allMatch(ofB::contains);
      }
    } finally {
      first.close();
    }
  }

  private KvKey key(String major, String... minor) {
    return new KvKey(List.of(PREFIX, root, major), List.of(minor));
  }

  /** As from where it was kept. */
  private static Optional<KvChangePosition> resumed(KvChangePosition position) {
    return Optional.of(KvChangePosition.parse(position.toText()));
  }

  /** The keys until all of these were named. */
  private static Set<KvKey> namedUntil(KvChanges changes, KvKey... last) {
    Set<KvKey> named = new HashSet<>();
    while (!named.containsAll(List.of(last))) {
      Batch batch = changes.poll(SOON);
      assertThat(batch.hasGap()).isFalse();
      assertThat(batch.keys()).as("what comes after %s", named).isNotEmpty();
      named.addAll(batch.keys());
    }
    return named;
  }

  /** The batch that names the key. */
  private static Batch lastOf(KvChanges changes, KvKey key) {
    Batch batch = changes.poll(SOON);
    while (!batch.keys().contains(key)) {
      assertThat(batch.keys().isEmpty() && !batch.hasGap()).isFalse();
      batch = changes.poll(SOON);
    }
    return batch;
  }
}
