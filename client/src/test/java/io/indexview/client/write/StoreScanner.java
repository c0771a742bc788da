package io.indexview.client.write;

import io.indexview.client.write.FakeBroker.Arrived;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.Origin.Base;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The source as far as the writer meets it: an index that materializes the topic by the order
 * guard, and scans that send what differs, by the rules of the kvstore source.
 */
final class StoreScanner {
  static final String INCARNATION = "7";

  private final KvStore store;
  private final FakeBroker broker;
  private final Map<String, Entry> index = new HashMap<>();
  private final Map<String, Base> atBegin = new HashMap<>();
  private final Map<KvKey, Optional<KvRecord>> scanned = new HashMap<>();
  private final Deque<Arrived> onTheirWay = new ArrayDeque<>();
  private int read;

  StoreScanner(KvStore store, FakeBroker broker) {
    this.store = store;
    this.broker = broker;
  }

  /** The topic, materialized as the app materializes it. */
  static Map<String, Entry> materialize(List<Arrived> log) {
    Map<String, Entry> entries = new HashMap<>();
    materialize(log, 0, entries);
    return entries;
  }

  private static void materialize(List<Arrived> log, int from, Map<String, Entry> entries) {
    OrderGuard guard = new OrderGuard(Duration.ofDays(15));
    for (int offset = from; offset < log.size(); offset++) {
      Arrived arrived = log.get(offset);
      Decision decision = guard.decide(entries.get(arrived.key()), arrived.event(), offset, offset);
      if (decision.next() != null) {
        entries.put(arrived.key(), decision.next());
      }
    }
  }

  /** The index reads what arrived. */
  void readTopic() {
    materialize(broker.log(), read, index);
    read = broker.log().size();
  }

  /** A scan begins; one that runs is abandoned. */
  void begin() {
    readTopic();
    atBegin.clear();
    scanned.clear();
    index.keySet().forEach(key -> atBegin.put(key, base(key)));
  }

  private Base base(String key) {
    Entry entry = index.get(key);
    return entry == null ? Base.ABSENT : Base.of(entry.version(), entry.deleted());
  }

  void scan(KvKey key) {
    scanned.put(key, store.get(key));
  }

  /** What the read of a key showed is sent, if the index has not moved on since. */
  void send(KvKey key) {
    Base base = atBegin.getOrDefault(key.toString(), Base.ABSENT);
    Optional<KvRecord> found = scanned.remove(key);
    if (found == null || !base.equals(base(key.toString()))) {
      return;
    }
    Optional<KvRecord> record = found.isPresent() ? found : store.get(key);
    boolean alive = base.present() && !base.deleted();
    if (record.isPresent()) {
      SourceVersion version = version(record.get().version());
      if (!alive || !version.equals(base.version())) {
        onTheirWay.add(new Arrived(key.toString(), found(record.get(), version, base)));
      }
    } else if (alive) {
      onTheirWay.add(new Arrived(key.toString(), gone(base)));
    }
  }

  private static ChangeEvent found(KvRecord record, SourceVersion version, Base base) {
    FramedValue value = new FramedValue(1, record.value(), 0, record.value().length);
    Origin origin = new Origin.SnapshotRead(version.epoch(), version.sequence(), base, false);
    return new ChangeEvent(Op.UPDATE, 1, origin, value);
  }

  private static ChangeEvent gone(Base base) {
    SourceVersion removed = base.version();
    Origin origin = new Origin.SnapshotRead(removed.epoch(), removed.sequence(), base, false);
    return new ChangeEvent(Op.DELETE, 1, origin, null);
  }

  private static SourceVersion version(KvVersion version) {
    return new SourceVersion(version.epoch(INCARNATION), version.vlsnBytes());
  }

  /** The oldest snapshot read arrives, if there is one. */
  void arrive() {
    Arrived arrived = onTheirWay.pollFirst();
    if (arrived != null) {
      broker.append(arrived.key(), arrived.event());
    }
  }

  /** A scan from beginning to end. */
  void scan(List<KvKey> keys) {
    begin();
    keys.forEach(this::scan);
    keys.forEach(this::send);
    while (!onTheirWay.isEmpty()) {
      arrive();
    }
  }
}
