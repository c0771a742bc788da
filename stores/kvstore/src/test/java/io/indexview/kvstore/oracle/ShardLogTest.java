package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.oracle.OracleChanges.WantedKeys;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

/** Logs of a shard whose masters die and take what nobody else has with them. */
class ShardLogTest {
  private static final String SHARD = "rg1";
  private static final KvKeySet ALL = KvKeySet.under(KvKey.ofMajor("k"));

  /** What is in a log at one number. */
  private record Entry(long number, Kind kind, long transaction, long time, KvKey key) {
    void into(ShardLog.Stream stream) {
      switch (kind) {
        case CHANGE ->
            stream.changed(number, transaction, time, Translation.key(key).toByteArray());
        case COMMIT -> stream.committed(number, transaction, time);
        case ABORT -> stream.aborted(number, transaction, time);
      }
    }
  }

  private enum Kind {
    CHANGE,
    COMMIT,
    ABORT
  }

  /**
   * Transactions begin, change and end, as many at a time as may; the stream delivers more or less
   * of them, breaks off, and begins again at a master that has less of the log, the same or another
   * tail; the reader stops and goes on from a position that it kept. At the end the reader knows of
   * every record what the log says, by hints and by the scans that gaps ask for.
   */
  @Property(tries = 3_000)
  void knowsEveryRecordAfterWhateverHappened(@ForAll(supplier = Seeds.class) long seed) {
    new Simulation(new Random(seed)).run();
  }

  private final ChangeHints hints = new ChangeHints();

  private ShardLog log(KvChangePosition.Entry from) {
    return new ShardLog(SHARD, from, 1, new WantedKeys(ALL), hints);
  }

  private ShardLog.Stream ofNewStore() {
    ShardLog.Stream stream = log(null).begin(0);
    stream.beginsWithLog();
    return stream;
  }

  private static byte[] bytes(String minor) {
    return Translation.key(KvKey.ofMajor("k", minor)).toByteArray();
  }

  @Example
  void namesATransactionWhenItIsCommitted() {
    ShardLog.Stream stream = ofNewStore();
    stream.changed(1, -1, 0, bytes("a"));
    stream.changed(2, -2, 0, bytes("b"));
    stream.aborted(3, -2, 0);
    assertThat(hints.poll(0).keys()).isEmpty();

    stream.changed(4, -1, 0, bytes("c"));
    stream.committed(5, -1, 0);

    assertThat(hints.poll(0).keys())
        .containsExactly(KvKey.ofMajor("k", "a"), KvKey.ofMajor("k", "c"));
  }

  @Example
  void readsOnFromTheFirstTransactionThatIsOpen() {
    ShardLog.Stream stream = ofNewStore();
    stream.changed(1, -1, 0, bytes("a"));
    stream.changed(2, -2, 0, bytes("b"));
    stream.committed(3, -2, 0);

    KvChangePosition.Entry kept = hints.poll(0).next().shards().get(SHARD);
    ShardLog.Stream resumed = log(kept).begin(3);
    assertThat(resumed.startAt()).isEqualTo(1);
    assertThat(resumed.isExact()).isTrue();
    resumed.changed(1, -1, 0, bytes("a"));
    resumed.changed(2, -2, 0, bytes("b"));
    resumed.committed(3, -2, 0);
    assertThat(hints.poll(0).keys()).as("dealt with").isEmpty();
    resumed.committed(4, -1, 0);

    Batch batch = hints.poll(0);
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "a"));
    assertThat(batch.hasGap()).isFalse();
  }

  @Example
  void hasAGapAfterAPositionWhoseEntryIsLost() {
    ShardLog.Stream stream = ofNewStore();
    stream.changed(1, -1, 0, bytes("a"));
    stream.committed(2, -1, 0);
    KvChangePosition.Entry kept = hints.poll(0).next().shards().get(SHARD);

    ShardLog shorter = log(kept);
    assertThat(shorter.begin(1).isExact()).isFalse();
    assertThat(hints.poll(0).hasGap()).isTrue();

    ShardLog other = log(kept);
    ShardLog.Stream different = other.begin(2);
    different.committed(2, -1, 7);
    assertThat(different.isOver()).isTrue();
    other.begin(2);
    assertThat(hints.poll(0).hasGap()).isTrue();
  }

  @Example
  void hasAGapWhenATransactionMayHaveBegunBeforeTheStream() {
    ShardLog.Stream stream = log(null).begin(100);
    stream.changed(99, -1, 1_000, bytes("a"));
    stream.committed(101, -1, 1_000);
    assertThat(hints.poll(0).hasGap()).isTrue();

    long later = 1_000 + ShardLog.MAX_TRANSACTION_MS;
    stream.changed(102, -2, later, bytes("b"));
    stream.committed(103, -2, later);
    Batch batch = hints.poll(0);
    assertThat(batch.hasGap()).isFalse();
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "b"));
  }

  @Example
  void canGoOnFromALogInWhichNothingIsWritten() {
    ShardLog.Stream stream = log(null).begin(100);
    stream.committed(100, -1, 1_000);
    assertThat(log(kept()).begin(100).isExact()).as("a transaction may be open").isFalse();

    stream.outlivesStrangers();
    ShardLog.Stream resumed = log(kept()).begin(101);
    assertThat(resumed.isExact()).isTrue();
    resumed.committed(100, -1, 1_000);
    resumed.changed(101, -2, 1_000, bytes("a"));
    resumed.committed(102, -2, 1_000);
    Batch batch = hints.poll(0);
    assertThat(batch.hasGap()).isFalse();
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "a"));
  }

  private KvChangePosition.Entry kept() {
    return hints.poll(0).next().shards().get(SHARD);
  }

  @Example
  void hasAGapAfterATransactionThatIsTooLarge() {
    ShardLog.Stream stream = ofNewStore();
    long number = 1;
    for (int i = 0; i < 200; i++) {
      stream.changed(number++, -1, 0, bytes("x".repeat(30_000) + i));
    }
    stream.committed(number++, -1, 0);
    assertThat(hints.poll(0).hasGap()).isTrue();

    stream.changed(number++, -2, 0, bytes("a"));
    stream.committed(number, -2, 0);
    Batch batch = hints.poll(0);
    assertThat(batch.hasGap()).isFalse();
    assertThat(batch.keys()).containsExactly(KvKey.ofMajor("k", "a"));
  }

  @Example
  void readsNothingOfAStreamThatWasReplaced() {
    ShardLog log = log(null);
    ShardLog.Stream old = log.begin(0);
    log.begin(0);
    hints.poll(0);
    old.changed(1, -1, 0, bytes("a"));
    old.committed(2, -1, 0);

    assertThat(hints.poll(0).keys()).isEmpty();
    assertThat(old.isOver()).isTrue();
  }

  private static final class Simulation {
    private final Random random;
    private final List<Entry> entries = new ArrayList<>();
    private final Set<Long> open = new HashSet<>();

    /** What readers of the store see: the number of the change that is committed, by key. */
    private final Map<KvKey, Long> store = new HashMap<>();

    private final Map<KvKey, Long> known = new HashMap<>();
    private ChangeHints hints = new ChangeHints();
    private ShardLog log;
    private ShardLog.Stream stream;
    private int delivered;
    private long firstInLog = 1;
    private long transactions;
    private long clock = 3_600_000;
    private KvChangePosition kept;

    private long connectedAt;

    /** How far the log went when the reader read last. */
    private int readAt;

    private final long lookBack;

    Simulation(Random random) {
      this.random = random;
      this.lookBack = random.nextInt(12);
    }

    void run() {
      for (int i = random.nextInt(30); i > 0; i--) {
        write();
      }
      log = log(null);
      connect();
      // The first scan of a reader comes after it began to follow.
      scan();
      for (int i = 0; i < 120; i++) {
        step();
      }
      if (random.nextInt(4) == 0) {
        failOver();
      }
      while (stream == null || stream.isOver() || delivered < entries.size()) {
        connect();
        deliver(Integer.MAX_VALUE);
      }
      poll();
      assertThat(known).as("what the reader knows").isEqualTo(store);
    }

    private void step() {
      int dice = random.nextInt(100);
      if (dice < 50) {
        write();
      } else if (dice < 70) {
        deliver(1 + random.nextInt(6));
      } else if (dice < 80) {
        poll();
      } else if (dice < 82) {
        pause();
      } else if (dice < 88) {
        stream = null;
      } else if (dice < 92) {
        connect();
      } else if (dice < 95) {
        failOver();
      } else if (dice < 97) {
        restartReader();
      } else if (dice < 98) {
        cleanLog();
      } else {
        reconnectByItself();
      }
    }

    private void write() {
      clock += random.nextInt(3);
      if (open.isEmpty() || random.nextInt(3) == 0) {
        open.add(++transactions);
      }
      long transaction = open.stream().skip(random.nextInt(open.size())).findFirst().orElseThrow();
      int dice = random.nextInt(10);
      if (dice < 6) {
        String major = random.nextInt(4) == 0 ? "other" : "k";
        change(transaction, KvKey.ofMajor(major, "" + random.nextInt(6)));
      } else if (dice < 9) {
        append(Kind.COMMIT, transaction, null);
      } else {
        append(Kind.ABORT, transaction, null);
      }
    }

    /** A transaction that changes a record locks it. */
    private void change(long transaction, KvKey key) {
      boolean isFree =
          entries.stream()
              .filter(entry -> key.equals(entry.key()) && open.contains(entry.transaction()))
              .allMatch(entry -> entry.transaction() == transaction);
      if (isFree) {
        append(Kind.CHANGE, transaction, key);
      }
    }

    /** Longer than transactions last. */
    private void pause() {
      List.copyOf(open).forEach(transaction -> append(Kind.COMMIT, transaction, null));
      clock += ShardLog.MAX_TRANSACTION_MS;
    }

    private void append(Kind kind, long transaction, KvKey key) {
      entries.add(new Entry(entries.size() + 1, kind, transaction, clock, key));
      if (kind != Kind.CHANGE) {
        open.remove(transaction);
        store.clear();
        store.putAll(committed());
      }
    }

    private ShardLog log(KvChangePosition.Entry from) {
      return new ShardLog(SHARD, from, lookBack, new WantedKeys(ALL), hints);
    }

    private Map<KvKey, Long> committed() {
      Map<Long, List<Entry>> changes = new HashMap<>();
      Map<KvKey, Long> records = new HashMap<>();
      for (Entry entry : entries) {
        if (entry.kind() == Kind.CHANGE) {
          changes.computeIfAbsent(entry.transaction(), t -> new ArrayList<>()).add(entry);
        } else if (entry.kind() == Kind.COMMIT) {
          for (Entry change : changes.getOrDefault(entry.transaction(), List.of())) {
            if (ALL.contains(change.key())) {
              records.put(change.key(), change.number() * 1_000_000 + change.time());
            }
          }
        }
      }
      return records;
    }

    private void connect() {
      connectedAt = clock;
      stream = log.begin(entries.size());
      if (stream.isExact() && stream.startAt() < firstInLog) {
        log.forget();
        stream = null;
      } else {
        long start = Math.min(stream.startAt(), Math.max(1, entries.size()));
        start = Math.max(start, firstInLog);
        delivered = (int) start - 1;
        if (start == 1) {
          stream.beginsWithLog();
        }
      }
    }

    private void deliver(int most) {
      for (int i = 0;
          stream != null && !stream.isOver() && i < most && delivered < entries.size();
          i++) {
        entries.get(delivered++).into(stream);
      }
      if (stream != null
          && delivered == entries.size()
          && clock - connectedAt >= ShardLog.MAX_TRANSACTION_MS) {
        stream.outlivesStrangers();
      }
    }

    private void reconnectByItself() {
      if (stream != null && delivered > 0) {
        entries.get(delivered - 1).into(stream);
      }
    }

    /**
     * The next master lacks some entries, also some that were streamed. What was read beyond the
     * position that is kept stays: such writes have to be acknowledged by a majority.
     */
    private void failOver() {
      stream = null;
      int lost = random.nextInt(6);
      long least = Math.max(firstInLog, readAt > keptAt() ? readAt : 0);
      for (int i = 0; i < lost && entries.size() > least; i++) {
        entries.remove(entries.size() - 1);
      }
      clock += 10;
      Set<Long> unfinished = new HashSet<>();
      entries.forEach(
          entry -> {
            if (entry.kind() == Kind.CHANGE) {
              unfinished.add(entry.transaction());
            } else {
              unfinished.remove(entry.transaction());
            }
          });
      open.clear();
      // The next master aborts what it finds unfinished.
      unfinished.stream().sorted().forEach(transaction -> append(Kind.ABORT, transaction, null));
      store.clear();
      store.putAll(committed());
      readAt = Math.min(readAt, entries.size());
    }

    /** What the log said, and not only how far it went. */
    private long keptAt() {
      KvChangePosition.Entry entry = kept == null ? null : kept.shards().get(SHARD);
      return entry == null || entry.check() == 0 ? 0 : entry.sequence();
    }

    private void cleanLog() {
      firstInLog = Math.max(firstInLog, entries.size() - random.nextInt(10));
    }

    private void poll() {
      Batch batch = hints.poll(0);
      if (batch.hasGap()) {
        scan();
      }
      for (KvKey key : batch.keys()) {
        read(key);
      }
      kept = batch.next();
    }

    private void scan() {
      known.clear();
      known.putAll(store);
      readAt = entries.size();
    }

    private void read(KvKey key) {
      readAt = entries.size();
      Long value = store.get(key);
      if (value == null) {
        known.remove(key);
      } else {
        known.put(key, value);
      }
    }

    private void restartReader() {
      if (kept == null) {
        return;
      }
      hints = new ChangeHints();
      log = log(kept.shards().getOrDefault(SHARD, new KvChangePosition.Entry(0, 0)));
      stream = null;
    }
  }
}
