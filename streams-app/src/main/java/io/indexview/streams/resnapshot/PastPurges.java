package io.indexview.streams.resnapshot;

import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.streams.build.TaskMemory;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The resnapshots that a task has deleted records for. No event tells of these deletions, so who
 * folds the events once more has to know of them. Not safe for use by several threads.
 *
 * <p>Remembered in the order in which they came: of each begin offset, first event after and time,
 * 8 bytes each, big-endian, and the scopes as {@link PurgeStateCodec} writes them.
 */
public final class PastPurges {
  private static final String MEMORY = "past-purges";
  private static final long AT_THE_END = Long.MAX_VALUE;

  private final TaskMemory memory;
  private final OrderGuard guard = new OrderGuard();
  private final List<Past> all = new ArrayList<>();
  private boolean open;

  /**
   * @param from offset of the first event that came after
   * @param atMs when, ms since the epoch
   */
  private record Past(long begin, long from, long atMs, List<KeyScope> scopes) {
    boolean isGone(byte[] key, Entry entry, long offset) {
      return !entry.deleted()
          && from <= offset
          && entry.offset() < begin
          && scopes.stream().anyMatch(scope -> scope.contains(key));
    }

    Past endingAt(long offset) {
      return from == AT_THE_END ? new Past(begin, offset, atMs, scopes) : this;
    }
  }

  public PastPurges(TaskMemory memory) {
    this.memory = memory;
    byte[] remembered = memory.get(MEMORY);
    if (remembered != null) {
      decode(remembered);
    }
    this.open = !all.isEmpty() && last().from() == AT_THE_END;
  }

  private Past last() {
    return all.get(all.size() - 1);
  }

  /** Its deletions begin after all events that are processed. */
  void begun(Resnapshot resnapshot, long nowMs) {
    all.add(new Past(resnapshot.begin(), AT_THE_END, nowMs, resnapshot.scopes()));
    open = true;
    save();
  }

  /** An event is processed. */
  public void eventCame(long offset) {
    if (open) {
      all.replaceAll(past -> past.endingAt(offset));
      open = false;
      save();
    }
  }

  /** What had become of a record's entry when an event came. */
  public Entry before(long offset, byte[] key, Entry entry) {
    for (Past past : all) {
      if (past.isGone(key, entry, offset)) {
        return guard.unnamed(entry, past.atMs());
      }
    }
    return entry;
  }

  /** What has become of a record's entry by now. */
  public Entry now(byte[] key, Entry entry) {
    return before(AT_THE_END, key, entry);
  }

  private void save() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      for (Past past : all) {
        out.writeLong(past.begin());
        out.writeLong(past.from());
        out.writeLong(past.atMs());
        PurgeStateCodec.writeScopes(past.scopes(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    memory.put(MEMORY, bytes.toByteArray());
  }

  private void decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        all.add(
            new Past(in.readLong(), in.readLong(), in.readLong(), PurgeStateCodec.readScopes(in)));
      }
    } catch (IOException e) {
      throw new IllegalStateException(
          "stored purges of %d bytes are damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }
}
