package io.indexview.streams.derive;

import io.indexview.schemas.order.Decision;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.Verdict;
import java.util.function.LongUnaryOperator;

/** Folds events into entries: whoever folds the same history reaches the same entries. */
final class EntryFold {
  private final OrderGuard guard;
  private final int maxEntryBytes;
  private final LongUnaryOperator positions;

  /**
   * @param maxEntryBytes how large a key and its encoded entry may be together; a record beyond it
   *     is kept without its value
   * @param positions see {@link EventPositions}, of offsets
   */
  EntryFold(OrderGuard guard, int maxEntryBytes, LongUnaryOperator positions) {
    this.guard = guard;
    this.maxEntryBytes = maxEntryBytes;
    this.positions = positions;
  }

  /**
   * What an event made of an entry.
   *
   * @param after null: nothing is to be stored
   * @param encoded the same as bytes
   */
  record Step(Verdict verdict, Entry after, byte[] encoded) {
    boolean applied() {
      return verdict == Verdict.APPLIED;
    }
  }

  /**
   * @param before null: no entry
   * @param nowMs wall clock, ms since the epoch
   */
  Step step(Entry before, KeyedEvent read, long nowMs) {
    long position = positions.applyAsLong(read.offset());
    Decision decision = guard.decide(before, read.event(), position, nowMs);
    Entry after = decision.next();
    if (after == null) {
      return new Step(decision.verdict(), null, null);
    }
    if (!decision.applied()) {
      return new Step(decision.verdict(), after, EntryCodec.encode(after));
    }
    after = after.withKeySchema(read.keySchemaId());
    byte[] encoded = EntryCodec.encode(after);
    if (read.stateKey().length + encoded.length > maxEntryBytes) {
      after = after.withoutValue();
      encoded = EntryCodec.encode(after);
    }
    return new Step(decision.verdict(), after, encoded);
  }
}
