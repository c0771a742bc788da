package io.indexview.local.simulation;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvOperation.KvResult;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A store of two shards, each with a clock of its own, whose records may move from one to the other
 * and back. A scan misses a record that moves while it runs, if it is told to. For one thread.
 */
final class ShardedStore implements KvStore {
  private final Map<KvKey, KvRecord> records = new TreeMap<>();
  private final Map<KvKey, Integer> homes = new TreeMap<>();
  private final Set<KvKey> missed = new HashSet<>();
  private final Consumer<KvKey> changed;
  private final long[] clocks = new long[2];
  private Map<KvKey, KvRecord> backup = Map.of();
  private boolean available = true;
  private boolean scanning;
  private int scans;

  /**
   * @param changed is given the key of each record that is written or moves
   */
  ShardedStore(Consumer<KvKey> changed) {
    this.changed = changed;
  }

  /** How often it was read. */
  int scans() {
    return scans;
  }

  void setAvailable(boolean available) {
    this.available = available;
  }

  /**
   * Moves a key to the other shard.
   *
   * @param anew whether that gives its record a version of its own
   * @param miss whether a scan that runs does not see it
   */
  void migrate(KvKey key, boolean anew, boolean miss) {
    homes.merge(key, 1, (home, one) -> 1 - home);
    KvRecord record = records.get(key);
    if (record != null && anew) {
      records.put(key, new KvRecord(key, record.value(), tick(key)));
    }
    if (miss && scanning) {
      missed.add(key);
    }
    changed.accept(key);
  }

  /** Takes a backup of all records; before the first, the backup is empty. */
  void backUp() {
    backup = Map.copyOf(records);
  }

  /** Its records are those of the backup; each shard gives versions from 1 on again. */
  void restore() {
    records.clear();
    missed.clear();
    Arrays.fill(clocks, 0);
    new TreeMap<>(backup).forEach((key, record) -> put(key, record.value()));
  }

  /** Whether one shard alone has given versions. */
  boolean isInOneEpoch() {
    return clocks[0] == 0 || clocks[1] == 0;
  }

  /** All that decides what happens next. */
  String state() {
    return records.values().stream()
            .map(
                record ->
                    record.version()
                        + " "
                        + new String(record.value(), 0, 4, StandardCharsets.UTF_8))
            .toList()
        + " "
        + homes.values()
        + clocks[0]
        + ","
        + clocks[1]
        + missed.size()
        + backup.values().stream().map(KvRecord::version).toList();
  }

  private KvVersion tick(KvKey key) {
    int home = homes.getOrDefault(key, 0);
    return new KvVersion(home == 0 ? "A" : "B", ++clocks[home]);
  }

  private void read() {
    scans++;
    if (!available) {
      throw new KvStoreException.Unavailable("not now");
    }
  }

  @Override
  public Optional<KvRecord> get(KvKey key, KvConsistency consistency) {
    read();
    if (consistency != KvConsistency.ABSOLUTE) {
      throw new AssertionError("a read that may be answered by a replica: " + consistency);
    }
    return Optional.ofNullable(records.get(key));
  }

  /** The records, unseen by {@link #scans}. */
  List<KvRecord> all() {
    return List.copyOf(records.values());
  }

  @Override
  public KvVersion put(KvKey key, byte[] value) {
    KvVersion version = tick(key);
    records.put(key, new KvRecord(key, value, version));
    changed.accept(key);
    return version;
  }

  @Override
  public void putAll(Map<KvKey, byte[]> all) {
    all.forEach(this::put);
  }

  @Override
  public Optional<KvVersion> delete(KvKey key) {
    Optional<KvVersion> removed = Optional.ofNullable(records.remove(key)).map(KvRecord::version);
    removed.ifPresent(version -> tick(key));
    changed.accept(key);
    return removed;
  }

  @Override
  public List<KvResult> execute(List<KvOperation> operations) {
    List<KvResult> results = new ArrayList<>();
    for (KvOperation operation : operations) {
      Optional<KvVersion> previous =
          Optional.ofNullable(records.get(operation.key())).map(KvRecord::version);
      if (operation instanceof KvOperation.Put put) {
        results.add(new KvResult(Optional.of(put(put.key(), put.value())), previous));
      } else if (operation instanceof KvOperation.Delete) {
        delete(operation.key());
        results.add(new KvResult(Optional.empty(), previous));
      } else {
        throw new UnsupportedOperationException(operation.toString());
      }
    }
    return results;
  }

  @Override
  public KvIterator<KvRecord> storeIterator(KvScan scan) {
    if (scan.consistency() != KvConsistency.ABSOLUTE) {
      throw new AssertionError("a scan that may be answered by a replica: " + scan);
    }
    List<KvKey> found = new ArrayList<>();
    int level = scan.parent().major().size();
    for (KvKey key : records.keySet()) {
      boolean below = scan.parent().isMajorPrefixOf(key);
      boolean inRange =
          scan.range().isAll()
              || (key.major().size() > level && scan.range().contains(key.major().get(level)));
      if (below && inRange) {
        found.add(key);
      }
    }
    return new Records(found, 2 * scan.batchSize());
  }

  @Override
  public KvIterator<KvRecord> iterator(
      KvSelection selection, KvDirection direction, KvConsistency consistency, int batchSize) {
    List<KvKey> found = new ArrayList<>();
    for (KvKey key : records.keySet()) {
      if (key.major().equals(selection.parent().major())) {
        found.add(key);
      }
    }
    return new Records(found, 2 * batchSize);
  }

  /** Fetches records ahead, as a store's client does: what it returns may be old by then. */
  private final class Records implements KvIterator<KvRecord> {
    private final Iterator<KvKey> keys;
    private final int fetchSize;
    private final Deque<KvRecord> fetched = new ArrayDeque<>();

    private Records(List<KvKey> keys, int fetchSize) {
      this.keys = keys.iterator();
      this.fetchSize = fetchSize;
      scanning = true;
      missed.clear();
    }

    @Override
    public boolean hasNext() {
      if (fetched.isEmpty()) {
        fetch();
      }
      scanning = !fetched.isEmpty();
      return scanning;
    }

    private void fetch() {
      read();
      while (fetched.size() < fetchSize && keys.hasNext()) {
        KvKey key = keys.next();
        if (records.containsKey(key) && !missed.contains(key)) {
          fetched.add(records.get(key));
        }
      }
    }

    @Override
    public KvRecord next() {
      return fetched.remove();
    }

    @Override
    public void close() {
      scanning = false;
    }
  }

  @Override
  public List<KvRecord> multiGet(KvSelection selection, KvConsistency consistency) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<KvVersion> write(KvOperation operation) {
    throw new UnsupportedOperationException(operation.toString());
  }

  @Override
  public int multiDelete(KvSelection selection) {
    throw new UnsupportedOperationException();
  }

  @Override
  public KvIterator<KvKey> storeKeysIterator(KvScan scan) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void close() {}
}
