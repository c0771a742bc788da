package io.indexview.kvstore.oracle;

import static io.indexview.kvstore.oracle.FakeMaster.KEYS;
import static io.indexview.kvstore.oracle.FakeMaster.SHARD;
import static io.indexview.kvstore.oracle.FakeMaster.STORE;
import static io.indexview.kvstore.oracle.FakeMaster.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.oracle.OracleChanges.WantedKeys;
import io.indexview.schemas.fixtures.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who reads the log of a shard for whom, with an engine that has the log in memory. */
@Timeout(120)
class LogReaderTest {
  private static final Duration SOON = Duration.ofSeconds(30);
  private static final Duration INTERVAL = Duration.ofMillis(200);

  private final FakeMaster master = new FakeMaster();
  private final List<Somebody> everybody = new ArrayList<>();

  @AfterEach
  void endReaders() {
    everybody.forEach(Somebody::leave);
    soon().until(() -> master.readers() == 0);
  }

  @Test
  void whoFollowALogEndOnOneReader() {
    master.write("before");
    Somebody first = new Somebody();
    Somebody second = new Somebody();
    soon().until(() -> master.readers() == 1);

    master.write("a");
    assertThat(first.namedUntil("a")).contains("a");
    assertThat(second.namedUntil("a")).contains("a");
    soon().until(() -> first.isProven() && second.isProven());
    assertThat(master.begun()).as("streams that were begun").isEqualTo(2);
  }

  @Test
  void theSecondGoesOnWhenTheFirstLeaves() {
    master.write("before");
    Somebody first = new Somebody();
    Somebody second = new Somebody();
    soon().until(() -> master.readers() == 1);

    first.leave();
    master.write("a");
    assertThat(second.namedUntil("a")).contains("a");
    soon().until(second::isProven);
    assertThat(first.hints.poll(0).keys()).as("named to who has left").doesNotContain(key("a"));
    assertThat(master.begun()).isEqualTo(2);
  }

  @Test
  void whoStillReadsByHimselfIsTheSharedOneWhenThatEnds() {
    master.write("before");
    Somebody first = new Somebody();
    master.holdBack(true);
    Somebody second = new Somebody(Thread::new);
    soon().until(() -> master.readers() == 2);
    first.leave();
    soon().until(() -> master.readers() == 1);

    master.holdBack(false);
    master.write("a");
    assertThat(second.namedUntil("a")).contains("a");
    Somebody third = new Somebody();
    soon().until(() -> master.begun() == 3 && master.readers() == 1);
    master.write("b");
    assertThat(second.namedUntil("b")).contains("b");
    assertThat(third.namedUntil("b")).contains("b");
  }

  @Test
  void readsAgainForAllWhenAStreamEnds() {
    master.write("before");
    Somebody first = new Somebody();
    Somebody second = new Somebody();
    soon().until(() -> master.readers() == 1);

    master.breakOff();
    master.write("a");
    assertThat(first.namedUntil("a")).contains("a");
    assertThat(second.namedUntil("a")).contains("a");
    assertThat(master.begun()).isEqualTo(3);
  }

  /** The others may have a master of their own, who takes writes. */
  @Test
  void provesNothingByAMasterWhomNoMajorityFollows() {
    master.write("before");
    Somebody first = new Somebody();
    soon().until(first::isProven);

    master.loseFollowers();
    long alone = System.nanoTime();
    int asked = master.asked();
    master.write("a");
    assertThat(first.namedUntil("a")).contains("a");
    soon().until(() -> master.asked() >= asked + 3);
    assertThat(first.isProvenSince(alone)).isFalse();
  }

  @Test
  void asksTheClientsInTurnForTheMaster() {
    master.write("before");
    Somebody first = new Somebody();
    Somebody second = new Somebody();
    soon().until(() -> master.readers() == 1);

    first.failure.set(new KvStoreException.Unavailable("the first client knows nobody"));
    master.breakOff();
    master.write("a");
    assertThat(first.namedUntil("a")).contains("a");
    assertThat(second.namedUntil("a")).contains("a");

    second.failure.set(new KvStoreException.Unavailable("nor does the second"));
    master.breakOff();
    // One at a time: each may wait long for nodes that do not answer.
    for (String failure : List.of("the first client knows nobody", "nor does the second")) {
      for (Somebody each : everybody) {
        soon()
            .untilAsserted(
                () ->
                    assertThatExceptionOfType(KvStoreException.Unavailable.class)
                        .isThrownBy(() -> each.hints.poll(0))
                        .withMessageContaining(failure));
      }
    }

    first.failure.set(null);
    master.write("b");
    assertThat(second.namedUntil("b")).contains("b");
  }

  @Test
  void tellsNoFailureToWhoLeavesMeanwhile() throws Exception {
    master.write("before");
    AtomicReference<Thread> reading = new AtomicReference<>();
    Somebody first =
        new Somebody(
            task -> {
              reading.set(new Thread(task));
              return reading.get();
            });
    first.awaitStart();
    Somebody second = new Somebody();
    soon().until(() -> master.readers() == 1);

    everybody.forEach(
        each -> each.failure.set(new KvStoreException.Unavailable("nobody knows the master")));
    master.breakOff();
    // From now on it has nothing to prove either, only failures to tell.
    soon().until(() -> master.readers() == 0);
    // Whose client was asked is told last.
    second.asking.lock();
    soon().until(second.asking::hasQueuedThreads);
    Thread leaving;
    synchronized (first.hints) {
      second.asking.unlock();
      // It tells the first, and has yet to tell the second.
      soon().until(() -> reading.get().getState() == Thread.State.BLOCKED);
      leaving =
          new Thread(
              () -> {
                second.leave();
                second.hints.remove(SHARD);
              });
      leaving.start();
      leaving.join(SOON.toMillis());
      assertThat(leaving.isAlive()).as("a reader makes nobody wait who leaves").isFalse();
    }
    // It hides a failure, and comes once.
    assertThat(second.hints.poll(0).hasGap()).isTrue();
    first.leave();
    reading.get().join(SOON.toMillis());
    assertThat(reading.get().isAlive()).isFalse();
    assertThat(second.hints.poll(0).keys()).as("and no failure").isEmpty();
  }

  @Test
  void followsAgainWhenThereWasNoThread() {
    master.write("before");
    Somebody first =
        new Somebody(
            task ->
                new Thread(task) {
                  @Override
                  public void start() {
                    throw new OutOfMemoryError("unable to create native thread");
                  }
                });
    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(first::awaitStart)
        .withMessageContaining("unable to create native thread");
    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(() -> first.hints.poll(0));

    first.follow(Thread::new);
    first.follow(Thread::new);
    soon().until(() -> master.readers() == 1);
    Somebody second = new Somebody();
    soon().until(() -> master.begun() == 2 && master.readers() == 1);
    master.write("a");
    assertThat(first.namedUntil("a")).contains("a");
    assertThat(second.namedUntil("a")).contains("a");
  }

  @Test
  void saysOnceThatALogIsReadNoMoreAndOnceThatItIsAgain() {
    master.write("before");
    Somebody first = new Somebody();
    List<String> said;
    try (LogLines log = LogLines.of(LogReader.class)) {
      // Who asks for a log that cannot be read hears it, and asks again.
      Somebody second = somebodyWithoutMaster();
      first.failure.set(new KvStoreException.Unavailable("no master"));
      master.breakOff();
      soon().until(() -> !log.get().isEmpty());
      first.wasRefused = false;
      soon().until(() -> first.wasRefused);
      first.failure.set(null);
      soon().until(() -> log.get().size() > 1);
      second.leave();
      said = log.get();
    }
    assertThat(said)
        .containsExactly(
            "The changes of shard rg1 cannot be followed now; it is tried again until they can be: no master",
            "The changes of shard rg1 are followed again.");
  }

  private Somebody somebodyWithoutMaster() {
    Somebody somebody = new Somebody(Thread::new, new KvStoreException.Unavailable("none here"));
    assertThatExceptionOfType(KvStoreException.Unavailable.class)
        .isThrownBy(somebody::awaitStart)
        .withMessageContaining("none here");
    return somebody;
  }

  private static ConditionFactory soon() {
    return Awaitility.await().atMost(SOON).pollInterval(INTERVAL.dividedBy(10));
  }

  /** Who follows the log with a client of his own. */
  private final class Somebody {
    final ChangeHints hints = new ChangeHints();
    final AtomicReference<RuntimeException> failure = new AtomicReference<>();

    /** Held, it holds up who asks with this client. */
    final ReentrantLock asking = new ReentrantLock();

    private volatile boolean wasRefused;
    private final long began = System.nanoTime();
    private final LogFollower follower =
        new LogFollower(
            SHARD,
            new ShardLog(SHARD, null, 1, new WantedKeys(KEYS), hints),
            hints,
            this::knownMaster);

    /** Returns when the log is read for him. */
    Somebody() {
      this(Thread::new);
      awaitStart();
    }

    Somebody(ThreadFactory threads) {
      this(threads, null);
    }

    Somebody(ThreadFactory threads, RuntimeException failureAtFirst) {
      failure.set(failureAtFirst);
      everybody.add(this);
      follow(threads);
    }

    void follow(ThreadFactory threads) {
      follower.follow(master, STORE, INTERVAL, threads);
    }

    void awaitStart() {
      follower.awaitStart(System.nanoTime() + SOON.toNanos(), SOON);
    }

    private Optional<Shards.Master> knownMaster() {
      asking.lock();
      try {
        RuntimeException thrown = failure.get();
        if (thrown != null) {
          wasRefused = true;
          throw thrown;
        }
        return Optional.of(master.known());
      } finally {
        asking.unlock();
      }
    }

    /** His client is closed then. */
    void leave() {
      follower.leave();
      failure.set(new IllegalStateException("the client is closed"));
    }

    boolean isProven() {
      return isProvenSince(began);
    }

    boolean isProvenSince(long nanos) {
      hints.poll(0);
      return hints
          .provenAge()
          .map(age -> System.nanoTime() - age.toNanos() - nanos > 0)
          .orElse(false);
    }

    Set<String> namedUntil(String last) {
      Set<String> named = new HashSet<>();
      soon()
          .ignoreException(KvStoreException.Unavailable.class)
          .until(
              () -> {
                Batch batch = hints.poll(0);
                batch.keys().forEach(key -> named.add(key.major().get(1)));
                return named.contains(last);
              });
      return named;
    }
  }
}
