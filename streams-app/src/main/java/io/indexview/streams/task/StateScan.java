package io.indexview.streams.task;

import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.StoredScanProgress.Chunk;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BooleanSupplier;

/**
 * Goes over all entries of a partition and changes them: in the order of their keys, chunk by chunk
 * between events, from where the chunk before ended. Builds of generations, the clean-up after an
 * ad-hoc snapshot, replays and the expiry of tombstones are kinds of it. {@link RowRepairs} alone
 * goes over the entries by itself, to find those of some records, and ends at the last of these.
 */
final class StateScan {
  private final Entries entries;
  private final Replaced replaced;
  private final int maxChanges;

  /** What a kind of scan makes of an entry. */
  @FunctionalInterface
  interface Kind {
    /**
     * Does not change what is scanned.
     *
     * @return the entry itself to leave it, another one to replace it, null to drop it
     */
    Entry visit(byte[] key, Entry entry);
  }

  /** Receives every entry that is replaced by another one. */
  @FunctionalInterface
  interface Replaced {
    void accept(byte[] key, Entry before, Entry after);
  }

  private record Change(byte[] key, Entry before, Entry after) {}

  /**
   * @param maxChanges after so many entries that change a chunk ends
   */
  StateScan(Entries entries, int maxChanges, Replaced replaced) {
    this.entries = entries;
    this.maxChanges = maxChanges;
    this.replaced = replaced;
  }

  /**
   * Scans one chunk, of one entry at least if there is one.
   *
   * @param after key that the last chunk ended with; null: from the first
   * @param expired whether the time of the chunk is over; asked after each entry
   */
  Chunk run(byte[] after, BooleanSupplier expired, Kind kind) {
    List<Change> changes = new ArrayList<>();
    byte[][] last = {after};
    boolean whole =
        entries.scan(
            after,
            (key, encoded) -> {
              Entry entry = EntryCodec.decode(encoded);
              Entry next = kind.visit(key, entry);
              if (next != entry) {
                changes.add(new Change(key, entry, next));
              }
              last[0] = key;
              return changes.size() < maxChanges && !expired.getAsBoolean();
            });
    for (Change change : changes) {
      if (change.after() == null) {
        entries.put(change.key(), null);
      } else {
        replaced.accept(change.key(), change.before(), change.after());
        entries.put(change.key(), EntryCodec.encode(change.after()));
      }
    }
    return new Chunk(last[0], whole, changes.size());
  }
}
