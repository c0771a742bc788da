package io.indexview.streams.task;

import io.indexview.streams.state.Entries;
import io.indexview.streams.state.TaskMemory;
import java.util.function.BiConsumer;

/**
 * What a task reads and writes.
 *
 * @param entries its state
 * @param copy for replays; unlike the rest it may be found empty after any start
 * @param memory what it remembers beside it
 * @param generations {@code view-generations}, as far as this process has read it
 * @param sourceStates {@code source-states}, likewise
 * @param repairs {@code view-repairs}, likewise
 */
public record TaskStores(
    Entries entries,
    Entries copy,
    TaskMemory memory,
    ControlRecords generations,
    ControlRecords sourceStates,
    ControlRecords repairs) {

  /** The newest records of a control topic, values not decoded. */
  @FunctionalInterface
  public interface ControlRecords {
    /** Position before every record. */
    long START = 0;

    /**
     * Shows every record that came since an earlier call, the newest of each key, in their order.
     * The value of one that is gone is null; the arrays are not to be changed.
     *
     * @param since what the earlier call returned, or {@link #START}
     * @return where to go on
     */
    long since(long since, BiConsumer<String, byte[]> visitor);
  }
}
