package io.indexview.streams.build;

import io.indexview.streams.derive.Entries;

/**
 * What a task reads and writes.
 *
 * @param entries its state
 * @param memory what it remembers beside it
 * @param generations {@code view-generations}, as far as this process has read it
 */
public record TaskStores(Entries entries, TaskMemory memory, ControlRecords generations) {}
