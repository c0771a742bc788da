package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.RowsVerified;
import io.indexview.streams.controller.rules.Finding.DeadLettersFollowed;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import io.indexview.streams.controller.rules.Finding.RowRejected;
import io.indexview.streams.controller.rules.Finding.RowSuperseded;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

/**
 * What is wrong with the rows of a generation, beside what its tasks tell.
 *
 * @param deadLetters how far they are read
 * @param rejected rows that are not superseded yet, by {@link RejectedRow#row}; at most {@value
 *     #MAX_ROWS}
 * @param tooMany whether there were more, which nobody can follow: another build is needed
 * @param missedChanges why changes of its rows were missed; empty: they were not
 * @param schema why it cannot read all records that are written now; empty: it can
 * @param wrong what the last verification that compared them found
 */
record Faults(
    DeadLetterPosition deadLetters,
    Map<String, RejectedRow> rejected,
    boolean tooMany,
    String missedChanges,
    String schema,
    WrongRows wrong) {
  static final int MAX_ROWS = 100;
  static final Faults NONE =
      new Faults(DeadLetterPosition.NONE, Map.of(), false, "", "", WrongRows.NONE);

  /**
   * Rows that are not as they should be.
   *
   * @param verification that found them; empty: none
   */
  record WrongRows(String verification, long rows) {
    static final WrongRows NONE = new WrongRows("", 0);
  }

  Faults {
    Objects.requireNonNull(wrong, "wrong");
    Objects.requireNonNull(deadLetters, "deadLetters");
    rejected = Map.copyOf(rejected);
    Objects.requireNonNull(missedChanges, "missedChanges");
    Objects.requireNonNull(schema, "schema");
  }

  /**
   * Returns the faults once the dead letters of a topic are followed; unchanged if they already
   * are.
   */
  Faults after(DeadLettersFollowed followed) {
    if (followed.topicId().equals(deadLetters.topicId())) {
      return this;
    }
    DeadLetterPosition from =
        new DeadLetterPosition(
            followed.topicId(),
            deadLetters.isOfAnother(followed.topicId()) ? Map.of() : deadLetters.next());
    return new Faults(from, rejected, tooMany, missedChanges, schema, wrong);
  }

  /** Returns the faults with a dead letter added; unchanged if it was known. */
  Faults after(RowRejected deadLetter) {
    if (deadLetter.deadLetterOffset()
        < deadLetters.next().getOrDefault(deadLetter.deadLetterPartition(), 0L)) {
      return this;
    }
    Map<Integer, Long> next = new HashMap<>(deadLetters.next());
    next.put(deadLetter.deadLetterPartition(), deadLetter.deadLetterOffset() + 1);
    DeadLetterPosition from = new DeadLetterPosition(deadLetters.topicId(), next);
    if (tooMany) {
      return new Faults(from, rejected, true, missedChanges, schema, wrong);
    }
    Map<String, RejectedRow> rows = new TreeMap<>(rejected);
    RejectedRow row = bounded(deadLetter.row());
    rows.merge(row.row(), row, Faults::later);
    return rows.size() > MAX_ROWS
        ? new Faults(from, Map.of(), true, missedChanges, schema, wrong)
        : new Faults(from, rows, false, missedChanges, schema, wrong);
  }

  private static RejectedRow bounded(RejectedRow row) {
    return new RejectedRow(row.row(), row.partition(), row.offset(), Reasons.bounded(row.reason()));
  }

  private static RejectedRow later(RejectedRow left, RejectedRow right) {
    return left.offset() > right.offset() ? left : right;
  }

  /**
   * Returns the faults after a later record of a rejected row was applied; unchanged if the row was
   * rejected again since.
   */
  Faults after(RowSuperseded superseded) {
    RejectedRow known = rejected.get(superseded.row());
    if (known == null || known.offset() > superseded.offset()) {
      return this;
    }
    Map<String, RejectedRow> rows = new TreeMap<>(rejected);
    rows.remove(superseded.row());
    return new Faults(deadLetters, rows, tooMany, missedChanges, schema, wrong);
  }

  Faults missedChanges(String reason) {
    return new Faults(deadLetters, rejected, tooMany, reason, schema, wrong);
  }

  /**
   * @param reason empty: all records can be read
   */
  Faults schemaChecked(String reason) {
    return new Faults(deadLetters, rejected, tooMany, missedChanges, reason, wrong);
  }

  Faults after(RowsVerified verified) {
    WrongRows found =
        verified.wrong() == 0
            ? WrongRows.NONE
            : new WrongRows(Reasons.bounded(verified.id()), verified.wrong());
    return new Faults(deadLetters, rejected, tooMany, missedChanges, schema, found);
  }
}
