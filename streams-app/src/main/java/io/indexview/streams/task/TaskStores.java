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
 */
public record TaskStores(
    Entries entries,
    Entries copy,
    TaskMemory memory,
    ControlRecords generations,
    ControlRecords sourceStates) {

  /** The newest records of a control topic as they are there now, values not decoded. */
  @FunctionalInterface
  public interface ControlRecords {

    /** Shows every record that is not deleted, in any order; the arrays are not to be changed. */
    void forEach(BiConsumer<String, byte[]> visitor);
  }
}
