package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.oracle.OracleChanges.WantedKeys;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;

/**
 * The log of a shard whose masters die and take what nobody else has with them, and some who follow
 * it. Transactions begin, change and end, as many at a time as may. A reader reads for one or
 * several: its stream delivers more or less of the log, breaks off, and begins again at a master
 * that has less of it, the same or another tail; for a while it may still read a master that is
 * none any more. Who follows is handed over to the shared reader, stops, and goes on from a
 * position that it kept.
 */
final class LogSimulation {
  private static final String SHARD = "rg1";
  private static final KvKeySet ALL = KvKeySet.under(KvKey.ofMajor("k"));

  private final Random random;
  private final long lookBack;
  private final Set<Long> open = new HashSet<>();

  /** What readers of the store see: the number of the change that is committed, by key. */
  private final Map<KvKey, Long> store = new HashMap<>();

  private final List<Follower> followers = new ArrayList<>();

  /** Of the master; a new one has another list. */
  private List<Entry> entries = new ArrayList<>();

  private Reader shared;
  private long firstInLog = 1;
  private long transactions;
  private long clock = 3_600_000;
  private int handedOver;

  /** What is in a log at one number. */
  private record Entry(long number, Kind kind, long transaction, long time, KvKey key) {
    void into(SharedStream stream) {
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

  LogSimulation(Random random) {
    this.random = random;
    this.lookBack = random.nextInt(12);
  }

  /**
   * At the end, and whenever it is proven to him, each knows of every record what the log says, by
   * hints and by the scans that gaps ask for.
   *
   * @return how often somebody was handed over
   */
  int run(int following) {
    for (int i = random.nextInt(30); i > 0; i--) {
      write();
    }
    for (int i = 0; i < following; i++) {
      followers.add(new Follower());
    }
    for (int i = 0; i < 120 * following; i++) {
      step(followers.get(random.nextInt(following)));
    }
    if (random.nextInt(4) == 0) {
      failOver();
    }
    for (Follower follower : followers) {
      follower.reader.deliver(Integer.MAX_VALUE);
      while (!follower.reader.isAtEnd()) {
        follower.reader.connect();
        follower.reader.deliver(Integer.MAX_VALUE);
      }
    }
    for (Follower follower : followers) {
      follower.poll();
      assertThat(follower.known).as("what the reader knows").isEqualTo(store);
    }
    return handedOver;
  }

  private void step(Follower follower) {
    int dice = random.nextInt(100);
    if (dice < 45) {
      write();
    } else if (dice < 63) {
      follower.reader.deliver(1 + random.nextInt(6));
    } else if (dice < 72) {
      follower.poll();
    } else if (dice < 74) {
      pause();
    } else if (dice < 78) {
      follower.reader.stream = null;
    } else if (dice < 83) {
      follower.reader.connect();
    } else if (dice < 86) {
      failOver();
    } else if (dice < 88) {
      follower.restart();
    } else if (dice < 89) {
      firstInLog = Math.max(firstInLog, entries.size() - random.nextInt(10));
    } else if (dice < 90) {
      follower.reader.reconnectByItself();
    } else {
      follower.reader.keepUp();
      if (shared != null) {
        shared.keepUp();
      }
      follower.reader.handOver();
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

  /**
   * The next master lacks some entries, also some that were streamed. What was read beyond the
   * position that is kept stays: such writes have to be acknowledged by a majority.
   */
  private void failOver() {
    if (random.nextBoolean()) {
      followers.forEach(
          follower -> {
            follower.reader.keepUp();
            follower.poll();
          });
    }
    entries = new ArrayList<>(entries);
    long least = firstInLog;
    for (Follower follower : followers) {
      least = Math.max(least, follower.readAt > follower.keptAt() ? follower.readAt : 0);
      if (random.nextBoolean()) {
        follower.reader.stream = null;
      }
    }
    for (int lost = random.nextInt(6); lost > 0 && entries.size() > least; lost--) {
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
    followers.forEach(follower -> follower.readAt = Math.min(follower.readAt, entries.size()));
  }

  /** Reads the log of a master for some. */
  private final class Reader {
    private final List<Follower> readsFor = new ArrayList<>();
    private List<Entry> log;
    private SharedStream stream;
    private int delivered;

    Reader(Follower first) {
      readsFor.add(first);
      if (shared == null) {
        shared = this;
      }
    }

    boolean isAtEnd() {
      return stream != null && !isOver() && log == entries && delivered == log.size();
    }

    private boolean isOver() {
      return stream.streams().stream().anyMatch(ShardLog.Stream::isOver);
    }

    void connect() {
      log = entries;
      stream = new SharedStream(readsFor.stream().map(each -> each.log).toList(), log.size());
      readsFor.forEach(each -> each.begunAt = clock);
      if (stream.isExact() && stream.startAt() < firstInLog) {
        readsFor.forEach(each -> each.log.forget());
        stream = null;
      } else {
        long start = Math.min(stream.startAt(), Math.max(1, log.size()));
        start = Math.max(start, firstInLog);
        delivered = (int) start - 1;
        if (start == 1) {
          stream.beginsWithLog();
        }
      }
    }

    void deliver(int most) {
      for (int i = 0; stream != null && i < most && delivered < log.size(); i++) {
        log.get(delivered++).into(stream);
      }
      if (stream != null && log == entries) {
        stream.streams().forEach(each -> each.logEnds(log.size(), System.nanoTime()));
        for (Follower each : readsFor) {
          if (each.log.hasReached(log.size()) && random.nextInt(3) == 0) {
            each.poll();
            assertThat(each.known).as("what is known to whom it is proven").isEqualTo(store);
          }
          if (each.log.hasReached(log.size())
              && clock - each.begunAt >= ShardLog.MAX_TRANSACTION_MS) {
            stream.streams().stream()
                .filter(followed -> followed.log() == each.log)
                .forEach(ShardLog.Stream::outlivesStrangers);
          }
        }
      }
    }

    /** As long as nothing happens readers come as far as the log soon. */
    void keepUp() {
      if (stream == null || isOver()) {
        connect();
      }
      deliver(random.nextInt(30));
    }

    void reconnectByItself() {
      if (stream != null && delivered > 0) {
        log.get(delivered - 1).into(stream);
      }
    }

    void remove(Follower follower) {
      readsFor.remove(follower);
      if (stream != null) {
        stream.remove(follower.log);
      }
      if (readsFor.isEmpty() && shared == this) {
        shared = null;
      }
    }

    void handOver() {
      if (shared == null) {
        shared = this;
      }
      for (Follower each : List.copyOf(readsFor)) {
        if (shared != this && shared.stream != null && shared.stream.takeIn(each.log)) {
          remove(each);
          shared.readsFor.add(each);
          each.reader = shared;
          handedOver++;
        }
      }
    }
  }

  /** Somebody who wants to know every record. */
  private final class Follower {
    private final Map<KvKey, Long> known = new HashMap<>();
    private ChangeHints hints = new ChangeHints();
    private ShardLog log = log(null);
    private Reader reader = new Reader(this);
    private KvChangePosition kept;
    private long begunAt;

    /** How far the log went when the store was read last. */
    private int readAt;

    Follower() {
      reader.connect();
      // The first scan comes after it began to follow.
      scan();
    }

    private ShardLog log(KvChangePosition.Entry from) {
      return new ShardLog(SHARD, from, lookBack, new WantedKeys(ALL), hints);
    }

    /** What the log said, and not only how far it went. */
    long keptAt() {
      KvChangePosition.Entry entry = kept == null ? null : kept.shards().get(SHARD);
      return entry == null || entry.check() == 0 ? 0 : entry.sequence();
    }

    void poll() {
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

    void restart() {
      if (kept == null) {
        return;
      }
      reader.remove(this);
      hints = new ChangeHints();
      log = log(kept.shards().getOrDefault(SHARD, new KvChangePosition.Entry(0, 0)));
      reader = new Reader(this);
    }
  }
}
