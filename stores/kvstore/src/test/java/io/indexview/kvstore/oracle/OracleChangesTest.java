package io.indexview.kvstore.oracle;

import static io.indexview.kvstore.oracle.FakeMaster.KEYS;
import static io.indexview.kvstore.oracle.FakeMaster.SHARD;
import static io.indexview.kvstore.oracle.FakeMaster.STORE;
import static io.indexview.kvstore.oracle.FakeMaster.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.fixtures.LogLines;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What becomes of shards that come and of a store that does not name them. */
@Timeout(120)
class OracleChangesTest {
  private static final Duration SOON = Duration.ofSeconds(30);

  private final FakeMaster master = new FakeMaster();

  @Test
  void provesNothingWhileAShardThatCameCannotBeRead() {
    master.write("before");
    GrowingStore store = new GrowingStore();
    try (OracleChanges changes =
        OracleChanges.open(
            master, store, KEYS, Optional.empty(), closed -> {}, Duration.ofMillis(100))) {
      await()
          .until(
              () -> {
                changes.poll(Duration.ZERO);
                return changes.provenAge().isPresent();
              });
      store.hasGrown = true;
      await().until(() -> store.wasAsked);
      for (String name : List.of("a", "b", "c")) {
        master.write(name);
        Batch batch = changes.poll(SOON);
        assertThat(batch.keys()).containsExactly(key(name));
        assertThat(batch.next().shards()).containsOnlyKeys(SHARD, GrowingStore.NEW);
        assertThat(changes.provenAge()).isEmpty();
      }
    }
  }

  @Test
  void saysOncePerOutageThatTheStoreDoesNotNameItsShards() {
    master.write("before");
    GrowingStore store = new GrowingStore();
    try (LogLines log = LogLines.of(OracleChanges.class);
        OracleChanges changes =
            OracleChanges.open(
                master, store, KEYS, Optional.empty(), closed -> {}, Duration.ofMillis(20))) {
      for (int outage = 1; outage <= 2; outage++) {
        store.isDown = true;
        store.awaitQuestions(3);
        store.isDown = false;
        store.awaitQuestions(3);

        assertThat(log.get())
            .hasSize(outage)
            .allMatch(
                line ->
                    line.startsWith(
                            "The store does not say which shards it has, and is asked again")
                        && line.endsWith("no answer"));
      }
      master.write("a");
      await().until(() -> changes.poll(Duration.ZERO).keys().contains(key("a")));
    }
  }

  /** A store that gets a shard without a master. */
  private final class GrowingStore extends Shards {
    static final String NEW = "rg2";

    private final AtomicInteger questions = new AtomicInteger();
    private volatile boolean isDown;
    private volatile boolean hasGrown;
    private volatile boolean wasAsked;

    GrowingStore() {
      super(null, null);
    }

    @Override
    Store store() {
      return STORE;
    }

    @Override
    SortedSet<String> names() {
      questions.incrementAndGet();
      if (isDown) {
        throw new KvStoreException.Unavailable("no answer");
      }
      return new TreeSet<>(hasGrown ? Set.of(SHARD, NEW) : Set.of(SHARD));
    }

    /** What the one before the last was answered is processed then. */
    void awaitQuestions(int more) {
      int enough = questions.get() + more;
      await().until(() -> questions.get() >= enough);
    }

    @Override
    Optional<Shards.Master> master(String shard) {
      if (shard.equals(NEW)) {
        wasAsked = true;
        throw new KvStoreException.Unavailable("no master");
      }
      return Optional.of(master.known());
    }
  }
}
