package io.indexview.streams.lifecycle.view;

import io.indexview.streams.lifecycle.work.RejectedRow;
import io.indexview.streams.lifecycle.work.WorkResult.RowRejected;
import io.indexview.streams.lifecycle.work.WorkResult.RowSuperseded;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is wrong with the rows of a generation, beside what its tasks tell.
 *
 * @param lettersFrom next offset of each partition of the dead-letter topic
 * @param rejected rows that are not superseded yet, by {@link RejectedRow#row}; at most {@value
 *     #MAX_ROWS}
 * @param tooMany whether there were more, which nobody can follow: another build is needed
 * @param fellBehind why the sink missed deletions; empty: it did not
 * @param schema why it cannot read all records that are written now; empty: it can
 */
public record Faults(
    Map<Integer, Long> lettersFrom,
    Map<String, RejectedRow> rejected,
    boolean tooMany,
    String fellBehind,
    String schema) {
  public static final int MAX_ROWS = 100;
  public static final Faults NONE = new Faults(Map.of(), Map.of(), false, "", "");

  public Faults {
    lettersFrom = Map.copyOf(lettersFrom);
    rejected = Map.copyOf(rejected);
    Objects.requireNonNull(fellBehind, "fellBehind");
    // What was stored before there was such a check has none.
    schema = schema == null ? "" : schema;
  }

  /** After a dead letter; the same if it was known. */
  public Faults after(RowRejected letter) {
    if (letter.letterOffset() < lettersFrom.getOrDefault(letter.letterPartition(), 0L)) {
      return this;
    }
    Map<Integer, Long> from = new HashMap<>(lettersFrom);
    from.put(letter.letterPartition(), letter.letterOffset() + 1);
    if (tooMany) {
      return new Faults(from, rejected, true, fellBehind, schema);
    }
    Map<String, RejectedRow> rows = new TreeMap<>(rejected);
    rows.merge(letter.row().row(), letter.row(), Faults::later);
    return rows.size() > MAX_ROWS
        ? new Faults(from, Map.of(), true, fellBehind, schema)
        : new Faults(from, rows, false, fellBehind, schema);
  }

  private static RejectedRow later(RejectedRow left, RejectedRow right) {
    return left.offset() > right.offset() ? left : right;
  }

  /** After a later record of a row was applied; the same if the row was rejected again since. */
  public Faults after(RowSuperseded superseded) {
    RejectedRow known = rejected.get(superseded.row());
    if (known == null || known.offset() > superseded.offset()) {
      return this;
    }
    Map<String, RejectedRow> rows = new TreeMap<>(rejected);
    rows.remove(superseded.row());
    return new Faults(lettersFrom, rows, tooMany, fellBehind, schema);
  }

  public Faults fellBehind(String reason) {
    return new Faults(lettersFrom, rejected, tooMany, reason, schema);
  }

  /**
   * @param reason empty: all records can be read
   */
  public Faults schemaChecked(String reason) {
    return new Faults(lettersFrom, rejected, tooMany, fellBehind, reason);
  }
}
