package io.indexview.connect.dynamodb.write;

import io.indexview.connect.common.row.RowVersion;
import io.indexview.dynamodb.WriteCondition;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * One change of one row, and the older changes of the row that it makes needless: those count as
 * applied when it is.
 */
public final class RowWrite {
  private final SinkRecord record;
  private final RowKey key;
  private final Map<String, Object> item;
  private final Map<String, Object> tombstone;
  private final RowVersion version;
  private final WriteCondition fence;
  private List<RowWrite> overtaken = List.of();
  private boolean alone;

  private RowWrite(
      SinkRecord record,
      RowKey key,
      Map<String, Object> item,
      Map<String, Object> tombstone,
      RowVersion version,
      WriteCondition fence) {
    this.record = Objects.requireNonNull(record, "record");
    this.key = Objects.requireNonNull(key, "key");
    this.item = item;
    this.tombstone = tombstone;
    this.version = Objects.requireNonNull(version, "version");
    this.fence = Objects.requireNonNull(fence, "fence");
  }

  /**
   * The full key of a row.
   *
   * @param attributes all key attributes with their values
   */
  public record RowKey(String table, Map<String, Object> attributes) {
    public RowKey {
      attributes = Map.copyOf(attributes);
    }
  }

  /**
   * The row is to be this item.
   *
   * @param fence what must hold of the item that is there, where writes are conditional
   */
  public static RowWrite upsert(
      SinkRecord record,
      RowKey key,
      Map<String, Object> item,
      RowVersion version,
      WriteCondition fence) {
    return new RowWrite(record, key, Objects.requireNonNull(item, "item"), null, version, fence);
  }

  /**
   * The row is to go.
   *
   * @param tombstone what stays in its place where deletions leave tombstones
   * @param fence as with {@link #upsert}
   */
  public static RowWrite delete(
      SinkRecord record,
      RowKey key,
      Map<String, Object> tombstone,
      RowVersion version,
      WriteCondition fence) {
    return new RowWrite(
        record, key, null, Objects.requireNonNull(tombstone, "tombstone"), version, fence);
  }

  public RowKey key() {
    return key;
  }

  public boolean isDelete() {
    return item == null;
  }

  /** The item; of a delete the tombstone. */
  public Map<String, Object> itemOrTombstone() {
    return item == null ? tombstone : item;
  }

  public WriteCondition fence() {
    return fence;
  }

  /** Whether the other one is a change that came later to the row. */
  boolean isOlderThan(RowWrite other) {
    return version.compareTo(other.version) < 0;
  }

  public SinkRecord record() {
    return record;
  }

  void overtake(RowWrite older) {
    if (overtaken.isEmpty()) {
      overtaken = new ArrayList<>(1);
    }
    overtaken.add(older);
  }

  /** The store refused it in company; only alone does its answer say whose fault that was. */
  void mustGoAlone() {
    alone = true;
  }

  boolean goesAlone() {
    return alone;
  }

  /**
   * What is left of this write and those it overtook when some are dropped: the newest of the
   * others. Null if that is none. Generations that share a table have topics of their own, so it
   * may be some only.
   */
  RowWrite without(Predicate<RowWrite> dropped) {
    List<RowWrite> all = all();
    if (all.stream().noneMatch(dropped)) {
      return this;
    }
    List<RowWrite> kept = new ArrayList<>(all);
    kept.removeIf(dropped);
    RowWrite newest =
        kept.stream().reduce((one, other) -> one.isOlderThan(other) ? other : one).orElse(null);
    kept.forEach(write -> write.overtaken = List.of());
    kept.stream().filter(write -> write != newest).forEach(write -> newest.overtake(write));
    return newest;
  }

  /** Every record that is settled with this write: its own, and those it overtook. */
  public void forEachRecord(Consumer<SinkRecord> action) {
    all().forEach(write -> action.accept(write.record));
  }

  /** Newer ones of a topic before older ones. */
  private List<RowWrite> all() {
    if (overtaken.isEmpty()) {
      return List.of(this);
    }
    // A hot row makes long chains: no recursion.
    List<RowWrite> all = new ArrayList<>();
    ArrayDeque<RowWrite> rest = new ArrayDeque<>(List.of(this));
    while (!rest.isEmpty()) {
      RowWrite write = rest.removeLast();
      all.add(write);
      rest.addAll(write.overtaken);
    }
    return all;
  }
}
