package io.indexview.kvstore.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.sleepycat.je.DbInternal;
import com.sleepycat.je.EnvironmentFailureException;
import com.sleepycat.je.dbi.EnvironmentImpl;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvExecutionException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.open.KvStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the changes of an embedded store do when it is closed, fails or has too many. */
@Timeout(120)
class EmbeddedChangesTest {
  /** What was committed is named as soon as a thread comes to it. */
  private static final Duration SOON = Duration.ofSeconds(60);

  private static final KvKey KEY = KvKey.ofMajor("a");
  private static final KvKeySet ALL = KvKeySet.under(KEY);
  private static final byte[] VALUE = {1};

  @TempDir Path directory;

  @Test
  void goesOnWithoutAGapAfterTheStoreWasClosedInOrder() {
    KvChangePosition position;
    try (KvStore store = open(directory);
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      store.put(KEY, VALUE);
      position = changes.poll(Duration.ZERO).next();
    }
    try (KvStore store = open(directory)) {
      store.put(child("1"), VALUE);
      assertThatNamed(store, position, child("1"));
    }
    try (KvStore store = open(directory)) {
      assertThat(first(store, position).hasGap()).as("since then there was a change").isTrue();
    }
  }

  @Test
  void hasAGapAfterACrash() throws IOException {
    Path crashed = directory.resolve("crashed");
    KvChangePosition position;
    try (KvStore store = open(directory.resolve("store"));
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      store.put(KEY, VALUE);
      position = changes.poll(Duration.ZERO).next();
      store.put(child("1"), VALUE);
      copy(directory.resolve("store"), crashed);
    }
    try (KvStore store = open(crashed)) {
      Batch first = first(store, position);
      assertThat(first.hasGap()).isTrue();
      store.put(child("2"), VALUE);
      assertThatNamed(store, first.next(), child("2"));
    }
  }

  @Test
  void hasAGapWhenTheEngineFailed() {
    try (KvStore store = open(directory);
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      store.put(KEY, VALUE);
      breakEngine();
      store.put(child("1"), VALUE);

      assertThat(changes.poll(SOON).hasGap()).isTrue();
      store.put(child("2"), VALUE);
      assertThat(changes.poll(SOON).keys()).containsExactly(child("2"));
    }
  }

  @Test
  void hasAGapInABackupThatIsOlder() throws IOException {
    Path backup = directory.resolve("backup");
    try (KvStore store = open(directory.resolve("store"))) {
      store.put(KEY, VALUE);
    }
    copy(directory.resolve("store"), backup);
    KvChangePosition position;
    try (KvStore store = open(directory.resolve("store"));
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      store.put(KEY, VALUE);
      position = changes.poll(Duration.ZERO).next();
    }
    try (KvStore store = open(backup)) {
      assertThat(first(store, position).hasGap()).isTrue();
    }
  }

  /** Its commits have the numbers of others. */
  @Test
  void hasAGapInABackupThatHasGrownSince() throws IOException {
    Path backup = directory.resolve("backup");
    try (KvStore store = open(directory.resolve("store"))) {
      store.put(KEY, VALUE);
    }
    copy(directory.resolve("store"), backup);
    KvChangePosition position;
    try (KvStore store = open(directory.resolve("store"));
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      store.put(child("1"), VALUE);
      position = changes.poll(Duration.ZERO).next();
    }
    try (KvStore store = open(backup)) {
      store.put(child("2"), VALUE);
      store.put(child("3"), VALUE);

      assertThat(first(store, position).hasGap()).isTrue();
    }
  }

  @Test
  void goesOnWithoutAGapAfterOpeningsThatChangedNothing() {
    KvChangePosition position;
    try (KvStore store = open(directory);
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      store.put(KEY, VALUE);
      position = changes.poll(Duration.ZERO).next();
    }
    for (int i = 0; i < 2; i++) {
      try (KvStore store = open(directory)) {
        assertThat(store.get(KEY)).isPresent();
      }
    }
    try (KvStore store = open(directory)) {
      store.put(child("1"), VALUE);
      assertThatNamed(store, position, child("1"));
    }
  }

  @Test
  void hasAGapAfterATransactionThatIsTooLarge() {
    try (KvStore store = open(directory)) {
      Map<KvKey, byte[]> records = new HashMap<>();
      for (int i = 0; i < 400; i++) {
        records.put(child("x".repeat(30_000) + i), new byte[0]);
      }
      store.putAll(records);
      try (KvChanges changes = store.changes(ALL, Optional.empty())) {
        assertThat(store.multiDelete(KvSelection.of(KEY))).isEqualTo(400);
        store.put(child("after"), VALUE);

        assertThat(changes.poll(SOON).hasGap()).isTrue();
        store.put(child("later"), VALUE);
        Batch next = changes.poll(SOON);
        assertThat(next.hasGap()).isFalse();
        assertThat(next.keys()).contains(child("later"));
      }
    }
  }

  @Test
  void takesMemoryForTheLastChangesOnly() {
    try (KvStore store = open(directory);
        KvChanges slow = store.changes(ALL, Optional.empty());
        KvChanges fast = store.changes(ALL, Optional.empty())) {
      int written = RecentChanges.MAX_BYTES / 20_200;
      for (int i = 0; i < written; i++) {
        store.put(child("x".repeat(20_000) + i), new byte[0]);
        Batch batch = fast.poll(SOON);
        assertThat(batch.hasGap()).isFalse();
        assertThat(batch.keys()).hasSize(1);
      }
      assertThat(slow.poll(Duration.ZERO).hasGap()).as("just within memory").isFalse();
      for (int i = 0; i < written + 10; i++) {
        store.put(child("x".repeat(20_000) + i), new byte[0]);
      }
      assertThat(slow.poll(Duration.ZERO).hasGap()).isTrue();
    }
  }

  @Test
  void namesNothingOfWhatWasNotDone() {
    KvVersion never = new KvVersion("s", 1);
    try (KvStore store = open(directory);
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      assertThatExceptionOfType(KvExecutionException.class)
          .isThrownBy(
              () ->
                  store.execute(
                      List.of(
                          new KvOperation.Put(KEY, VALUE),
                          new KvOperation.PutIfVersion(child("none"), VALUE, never))));
      store.putIfVersion(child("none"), VALUE, never);
      store.delete(child("none"));

      assertThat(changes.poll(Duration.ZERO).keys()).isEmpty();
    }
  }

  @Test
  void endsWithItsStore() throws Exception {
    KvStore store = open(directory);
    KvChanges changes = store.changes(ALL, Optional.empty());
    FutureTask<Batch> waiting = new FutureTask<>(() -> changes.poll(Duration.ofHours(1)));
    Thread reader = new Thread(waiting);
    reader.start();
    await().until(() -> reader.getState() == Thread.State.TIMED_WAITING);

    store.close();

    assertThat(waiting.get(30, TimeUnit.SECONDS).keys()).isEmpty();
    assertThatIllegalStateException().isThrownBy(() -> changes.poll(Duration.ZERO));
  }

  @Test
  void isNotOpenedAgainByWhoComesTooLate() {
    SharedEnvironment environment =
        SharedEnvironment.acquire(directory, EmbeddedKvStoreTest.config(directory));
    environment.release();

    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(() -> environment.call(Handles::changes))
        .withMessageContaining("is closed");
    try (KvStore store = open(directory)) {
      store.put(KEY, VALUE);
    }
  }

  @Test
  void saysThatItWasInterrupted() {
    try (KvStore store = open(directory);
        KvChanges changes = store.changes(ALL, Optional.empty())) {
      Thread.currentThread().interrupt();

      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> changes.poll(Duration.ofHours(1)))
          .withMessageContaining("interrupted");
      assertThat(Thread.interrupted()).isTrue();
      store.put(KEY, VALUE);
      assertThat(changes.poll(SOON).keys()).containsExactly(KEY);
    }
  }

  private static void assertThatNamed(KvStore store, KvChangePosition after, KvKey key) {
    Batch batch = first(store, after);
    assertThat(batch.hasGap()).isFalse();
    assertThat(batch.keys()).containsExactly(key);
  }

  private static Batch first(KvStore store, KvChangePosition after) {
    try (KvChanges changes = store.changes(ALL, Optional.of(after))) {
      return changes.poll(SOON);
    }
  }

  private void breakEngine() {
    SharedEnvironment environment =
        SharedEnvironment.acquire(directory, EmbeddedKvStoreTest.config(directory));
    environment.call(
        handles -> {
          EnvironmentImpl engine = DbInternal.getNonNullEnvImpl(handles.environment());
          return EnvironmentFailureException.unexpectedState(engine, "broken by the test");
        });
    environment.release();
  }

  /** The files as a crash would leave them, or as a backup has them. */
  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.filter(f -> f.toString().endsWith(".jdb")).toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private static KvKey child(String minor) {
    return KEY.child(minor);
  }

  private static KvStore open(Path directory) {
    return KvStores.open(EmbeddedKvStoreTest.config(directory));
  }
}
