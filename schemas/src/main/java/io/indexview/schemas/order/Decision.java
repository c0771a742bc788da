package io.indexview.schemas.order;

/**
 * What to do with an event.
 *
 * @param next the entry to store; null when nothing is to be stored. An event that is not applied
 *     may still leave one (an ad-hoc snapshot that found the record): revision and value are the
 *     old ones, so no row changes
 */
public record Decision(Verdict verdict, Entry next) {
  public boolean applied() {
    return verdict == Verdict.APPLIED;
  }
}
