package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import java.util.ArrayList;
import java.util.List;

/** The log of a shard in memory, and who reads it. Safe for use by several threads. */
final class FakeMaster implements LogReader.Engine {
  static final String SHARD = "rg1";
  static final Shards.Store STORE = new Shards.Store("store", 1);

  /** All that it may write. */
  static final KvKeySet KEYS = KvKeySet.under(KvKey.ofMajor("k"));

  private final List<KvKey> transactions = new ArrayList<>();
  private final List<Reading> readings = new ArrayList<>();
  private int begun;
  private boolean holdsBack;
  private int asked;
  private boolean isAlone;

  private final class Reading implements LogReader.Subscription {
    private final SharedStream stream;
    private long last;
    private boolean isHeldBack = holdsBack;
    private boolean broken;

    Reading(SharedStream stream) {
      this.stream = stream;
      this.last = stream.startAt() - 1;
    }

    void deliver() {
      while (!isHeldBack && !broken && last < end()) {
        last++;
        long transaction = (last + 1) / 2;
        KvKey changed = transactions.get((int) transaction - 1);
        if (last % 2 == 1) {
          stream.changed(last, -transaction, 0, Translation.key(changed).toByteArray());
        } else {
          stream.committed(last, -transaction, 0);
        }
      }
    }

    @Override
    public boolean isAlive() {
      synchronized (FakeMaster.this) {
        return !broken;
      }
    }

    @Override
    public void close() {
      synchronized (FakeMaster.this) {
        readings.remove(this);
      }
    }
  }

  @Override
  public synchronized LogReader.Subscription read(
      String group, String address, SharedStream stream) {
    Reading reading = new Reading(stream);
    readings.add(reading);
    begun++;
    if (stream.startAt() == 1) {
      stream.beginsWithLog();
    }
    reading.deliver();
    return reading;
  }

  static KvKey key(String name) {
    return KvKey.ofMajor("k", name);
  }

  /** What clients know of it. */
  synchronized Shards.Master known() {
    asked++;
    return new Shards.Master("host:5000", end(), !isAlone);
  }

  /** How often somebody asked for it. */
  synchronized int asked() {
    return asked;
  }

  /** No other node follows it any more. */
  synchronized void loseFollowers() {
    isAlone = true;
  }

  /** Commits a transaction that changes a record. */
  synchronized void write(String name) {
    transactions.add(key(name));
    readings.forEach(Reading::deliver);
  }

  /** Streams that begin from now on deliver nothing, or all streams do again. */
  synchronized void holdBack(boolean holds) {
    holdsBack = holds;
    if (!holds) {
      readings.forEach(reading -> reading.isHeldBack = false);
      readings.forEach(Reading::deliver);
    }
  }

  synchronized void breakOff() {
    readings.forEach(reading -> reading.broken = true);
  }

  synchronized long end() {
    return 2L * transactions.size();
  }

  synchronized int begun() {
    return begun;
  }

  synchronized int readers() {
    return readings.size();
  }
}
