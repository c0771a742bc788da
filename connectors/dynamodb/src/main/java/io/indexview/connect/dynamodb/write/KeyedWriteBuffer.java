package io.indexview.connect.dynamodb.write;

import io.indexview.connect.dynamodb.write.RowWrite.RowKey;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * Writes that wait, at most one per row: the newest. While a row has a write in flight its next one
 * stays here, so that no two of one row ever race. For one thread.
 */
final class KeyedWriteBuffer {
  private final Map<RowKey, Slot> slots = new HashMap<>();
  private final Map<String, ArrayDeque<Slot>> readyByTable = new LinkedHashMap<>();

  /**
   * Writes of one topic come in the order in which the rows changed, or again. Generations that
   * share a table come in any order.
   */
  void add(RowWrite write) {
    Slot slot = slots.computeIfAbsent(write.key(), Slot::new);
    if (slot.sent != null && write.isOlderThan(slot.sent)) {
      slot.sent.overtake(write);
    } else if (slot.pending != null) {
      slot.pending = newest(slot.pending, write);
    } else {
      slot.pending = write;
      if (slot.sent == null) {
        ready(slot);
      }
    }
  }

  private void ready(Slot slot) {
    readyByTable.computeIfAbsent(slot.key.table(), table -> new ArrayDeque<>()).addLast(slot);
  }

  /** The newer of two, which settles the other one with it; with equal versions the later. */
  private static RowWrite newest(RowWrite earlier, RowWrite later) {
    if (later.isOlderThan(earlier)) {
      earlier.overtake(later);
      return earlier;
    }
    later.overtake(earlier);
    return later;
  }

  /** The tables with writes whose rows are free. */
  List<String> tables() {
    return List.copyOf(readyByTable.keySet());
  }

  boolean hasReady() {
    return !readyByTable.isEmpty();
  }

  /** The next write of a table to send; null if there is none whose row is free. */
  RowWrite take(String table) {
    ArrayDeque<Slot> ready = readyByTable.get(table);
    if (ready == null) {
      return null;
    }
    Slot slot = ready.removeFirst();
    forgetIfEmpty(table, ready);
    return send(slot);
  }

  /** The next writes of a table that one request can carry, each of another row. */
  List<RowWrite> takeBatch(String table, int limit) {
    ArrayDeque<Slot> ready = readyByTable.get(table);
    if (ready == null) {
      return List.of();
    }
    if (ready.getFirst().pending.goesAlone()) {
      return List.of(take(table));
    }
    List<RowWrite> batch = new ArrayList<>(limit);
    List<Slot> passed = new ArrayList<>(0);
    while (batch.size() < limit && !ready.isEmpty()) {
      Slot slot = ready.pollFirst();
      if (slot.pending.goesAlone()) {
        passed.add(slot);
      } else {
        batch.add(send(slot));
      }
    }
    for (int i = passed.size() - 1; i >= 0; i--) {
      ready.addFirst(passed.get(i));
    }
    forgetIfEmpty(table, ready);
    return batch;
  }

  private void forgetIfEmpty(String table, ArrayDeque<Slot> ready) {
    if (ready.isEmpty()) {
      readyByTable.remove(table);
    }
  }

  private RowWrite send(Slot slot) {
    slot.sent = slot.pending;
    slot.pending = null;
    return slot.sent;
  }

  /** A write that was taken is settled, one way or another. */
  void settled(RowWrite write) {
    Slot slot = answered(write);
    if (slot.pending == null) {
      slots.remove(write.key());
    } else {
      ready(slot);
    }
  }

  /** A write that was taken did not come through: again, unless a newer one waits already. */
  void again(RowWrite write) {
    Slot slot = answered(write);
    slot.pending = slot.pending == null ? write : newest(write, slot.pending);
    ready(slot);
  }

  private Slot answered(RowWrite write) {
    Slot slot = slots.get(write.key());
    if (slot == null || slot.sent != write) {
      throw new IllegalStateException("no such write is in flight");
    }
    slot.sent = null;
    return slot;
  }

  /** Drops what waits and nobody here is to write any more; what is in flight stays. */
  void forget(Predicate<RowWrite> revoked) {
    slots
        .values()
        .removeIf(
            slot -> {
              if (slot.pending != null) {
                slot.pending = slot.pending.without(revoked);
              }
              return slot.pending == null && slot.sent == null;
            });
    readyByTable.values().forEach(ready -> ready.removeIf(slot -> slot.pending == null));
    readyByTable.values().removeIf(ArrayDeque::isEmpty);
  }

  boolean isEmpty() {
    return slots.isEmpty();
  }

  private static final class Slot {
    private final RowKey key;
    private RowWrite sent;
    private RowWrite pending;

    private Slot(RowKey key) {
      this.key = key;
    }
  }
}
