package io.indexview.schemas.order;

/**
 * What to do with an event.
 *
 * @param next the entry to store; null when nothing is to be stored
 */
public record Decision(Verdict verdict, Entry next) {
  public boolean applied() {
    return verdict == Verdict.APPLIED;
  }
}
