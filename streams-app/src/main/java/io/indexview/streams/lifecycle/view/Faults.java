package io.indexview.streams.lifecycle.view;

import io.indexview.streams.lifecycle.work.RejectedRow;
import io.indexview.streams.lifecycle.work.WorkResult.RowRejected;
import io.indexview.streams.lifecycle.work.WorkResult.RowSuperseded;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What the sink could not do with the rows of a generation.
 *
 * @param lettersFrom next offset of each partition of the dead-letter topic
 * @param rejected rows that are not superseded yet, by {@link RejectedRow#row}; at most {@value
 *     #MAX_ROWS}
 * @param tooMany whether there were more, which nobody can follow: another build is needed
 * @param fellBehind why the sink missed deletions; empty: it did not
 */
public record Faults(
    Map<Integer, Long> lettersFrom,
    Map<String, RejectedRow> rejected,
    boolean tooMany,
    String fellBehind) {
  public static final int MAX_ROWS = 100;
  public static final Faults NONE = new Faults(Map.of(), Map.of(), false, "");

  public Faults {
    lettersFrom = Map.copyOf(lettersFrom);
    rejected = Map.copyOf(rejected);
    Objects.requireNonNull(fellBehind, "fellBehind");
  }

  /** After a dead letter; the same if it was known. */
  public Faults after(RowRejected letter) {
    if (letter.letterOffset() < lettersFrom.getOrDefault(letter.letterPartition(), 0L)) {
      return this;
    }
    Map<Integer, Long> from = new HashMap<>(lettersFrom);
    from.put(letter.letterPartition(), letter.letterOffset() + 1);
    if (tooMany) {
      return new Faults(from, rejected, true, fellBehind);
    }
    Map<String, RejectedRow> rows = new TreeMap<>(rejected);
    rows.merge(letter.row().row(), letter.row(), Faults::later);
    return rows.size() > MAX_ROWS
        ? new Faults(from, Map.of(), true, fellBehind)
        : new Faults(from, rows, false, fellBehind);
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
    return new Faults(lettersFrom, rows, tooMany, fellBehind);
  }

  public Faults fellBehind(String reason) {
    return new Faults(lettersFrom, rejected, tooMany, reason);
  }
}
