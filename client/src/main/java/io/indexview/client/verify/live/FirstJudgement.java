package io.indexview.client.verify.live;

import java.util.Optional;

/** Counts rows that are right, and puts all others where they are compared again. */
final class FirstJudgement implements DigestJoin.Results {
  private final Findings findings;
  private final RowJoin questions;
  private final Runnable judged;
  private long open;

  /**
   * @param judged is called after each row
   */
  FirstJudgement(Findings findings, RowJoin questions, Runnable judged) {
    this.findings = findings;
    this.questions = questions;
    this.judged = judged;
  }

  /** How many are to be compared again. */
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
  public void suspect(String id, Optional<RowImage> expected) {
    questions.suspect(id, expected);
    open++;
    judged.run();
  }

  @Override
  public void moved(String id, Optional<RowImage> newest) {
    questions.expect(id, newest);
    open++;
    judged.run();
  }
}
