package io.indexview.verification.live;

import java.util.Optional;

/** What is wrong once is read once more: an accusation rests on two reads. */
final class Judgement implements DigestJoin.Results, RowJoin.Results {
  private final Findings findings;
  private final RowJoin next;
  private final Optional<RowJoin> toRepair;
  private final boolean areRepaired;
  private final Runnable judged;
  private long open;

  /**
   * @param next takes what is open after it
   * @param toRepair takes what is wrong, if that is to be repaired
   * @param areRepaired whether the rows are those that were wrong
   * @param judged is called after each row
   */
  Judgement(
      Findings findings,
      RowJoin next,
      Optional<RowJoin> toRepair,
      boolean areRepaired,
      Runnable judged) {
    this.findings = findings;
    this.next = next;
    this.toRepair = toRepair;
    this.areRepaired = areRepaired;
    this.judged = judged;
  }

  /** How many rows are in question after it. */
  long open() {
    return open;
  }

  @Override
  public void right(boolean stands) {
    if (stands) {
      findings.right();
    }
    judged.run();
  }

  @Override
  public void right(String id, boolean stands) {
    if (areRepaired) {
      findings.repaired(id);
      judged.run();
    } else {
      right(stands);
    }
  }

  @Override
  public void suspect(String id, Optional<RowImage> expected) {
    next.suspect(id, expected);
    open++;
    judged.run();
  }

  @Override
  public void moved(String id, Optional<RowImage> newest) {
    next.expect(id, newest);
    open++;
    judged.run();
  }

  @Override
  public void wrong(
      String id, Optional<RowImage> expected, Optional<RowImage> actual, boolean again) {
    if (!again) {
      suspect(id, expected);
      return;
    }
    // One that was to be repaired stays as it was reported.
    if (!areRepaired) {
      findings.wrong(id, expected, actual);
      toRepair.ifPresent(
          rows -> {
            rows.expect(id, expected);
            actual.ifPresent(row -> rows.found(id, row));
          });
    }
    judged.run();
  }
}
