package io.indexview.streams.resnapshot;

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
 * <p>Remembered in the order in which they came: of each the offset of the first event after and
 * the time, 8 bytes each, big-endian, and the resnapshot as {@link PurgeStateCodec} writes it.
 */
public final class PastPurges {
  private static final String MEMORY = "purges-of-topic";
  private static final long AT_THE_END = Long.MAX_VALUE;

  private final TaskMemory memory;
  private final List<Past> all = new ArrayList<>();
  private boolean open;

  /**
   * @param from offset of the first event that came after
   * @param atMs when, ms since the epoch
   */
  private record Past(Resnapshot resnapshot, long from, long atMs) {
    boolean isGone(byte[] key, Entry entry, long offset) {
      return !entry.deleted() && from <= offset && resnapshot.isGone(key, entry.offset());
    }

    Past endingAt(long offset) {
      return from == AT_THE_END ? new Past(resnapshot, offset, atMs) : this;
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
    all.removeIf(past -> resnapshot.supersedes(past.resnapshot()));
    all.add(new Past(resnapshot, AT_THE_END, nowMs));
    open = true;
    save();
  }

  /** Nobody will fold the events once more: they are gone. */
  public void forget() {
    all.clear();
    open = false;
    memory.put(MEMORY, null);
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
        return OrderGuard.inferredTombstone(entry, past.atMs());
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
        out.writeLong(past.from());
        out.writeLong(past.atMs());
        PurgeStateCodec.write(past.resnapshot(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    memory.put(MEMORY, bytes.toByteArray());
  }

  private void decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      while (in.available() > 0) {
        long from = in.readLong();
        long atMs = in.readLong();
        all.add(new Past(PurgeStateCodec.read(in), from, atMs));
      }
    } catch (IOException e) {
      throw new IllegalStateException(
          "stored purges of %d bytes are damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }
}
