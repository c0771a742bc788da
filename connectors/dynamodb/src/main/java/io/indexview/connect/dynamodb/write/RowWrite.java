package io.indexview.connect.dynamodb.write;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * One change of one row, and the older changes of the row that it makes needless: those count as
 * applied when it is.
 */
public final class RowWrite {
  private final SinkRecord record;
  private final RowKey key;
  private final Map<String, Object> item;
  private final Map<String, Object> marker;
  private final long revision;
  private List<RowWrite> overtaken = List.of();
  private boolean alone;

  private RowWrite(
      SinkRecord record,
      RowKey key,
      Map<String, Object> item,
      Map<String, Object> marker,
      long revision) {
    this.record = Objects.requireNonNull(record, "record");
    this.key = Objects.requireNonNull(key, "key");
    this.item = item;
    this.marker = marker;
    this.revision = revision;
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

  /** The row is to be this item. */
  public static RowWrite upsert(
      SinkRecord record, RowKey key, Map<String, Object> item, long revision) {
    return new RowWrite(record, key, Objects.requireNonNull(item, "item"), null, revision);
  }

  /**
   * The row is to go.
   *
   * @param marker what stays in its place where deletions leave markers
   */
  public static RowWrite delete(
      SinkRecord record, RowKey key, Map<String, Object> marker, long revision) {
    return new RowWrite(record, key, null, Objects.requireNonNull(marker, "marker"), revision);
  }

  public RowKey key() {
    return key;
  }

  public boolean isDelete() {
    return item == null;
  }

  /** The item; of a delete the marker. */
  public Map<String, Object> itemOrMarker() {
    return item == null ? marker : item;
  }

  public long revision() {
    return revision;
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

  /** Every record that is settled with this write: its own, and those it overtook. */
  public void forEachRecord(Consumer<SinkRecord> action) {
    // A hot row makes long chains: no recursion.
    List<RowWrite> rest = new ArrayList<>(List.of(this));
    while (!rest.isEmpty()) {
      RowWrite write = rest.remove(rest.size() - 1);
      action.accept(write.record);
      rest.addAll(write.overtaken);
    }
  }
}
