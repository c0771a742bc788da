package io.indexview.streams.task;

import io.indexview.streams.state.TaskMemory;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

/**
 * Records of which an ad-hoc snapshot found something older than the task knows. One that changed
 * after the snapshot had begun may be overtaken by its own change. One that did not change is older
 * in the store than it was: the store went back. Not safe for use by several threads.
 *
 * <p>Remembered: by key the positions of the last event before and of the read, 8 bytes each,
 * big-endian. A store that went back shows in many records, so a few are enough: those whose last
 * event was the longest ago, as the changes that come during a snapshot are many, too.
 */
final class OlderReads {
  private static final String MEMORY = "older-read|";
  private static final int MAX_RECORDS = 100;

  private final TaskMemory memory;
  private final Map<ByteBuffer, Read> reads = new HashMap<>();

  /** Positions: of the last event that touched what is known, and of what was read. */
  private record Read(long known, long read) {}

  /** Continues from what the task remembers. */
  OlderReads(TaskMemory memory) {
    this.memory = memory;
    memory.forEach(
        (key, value) -> {
          if (key.startsWith(MEMORY)) {
            ByteBuffer in = ByteBuffer.wrap(value);
            reads.put(key(key), new Read(in.getLong(), in.getLong()));
          }
        });
  }

  /** A record was found older than it is known. */
  void refused(byte[] key, long known, long read) {
    ByteBuffer record = ByteBuffer.wrap(key);
    Read before = reads.get(record);
    // Nothing but the read before came in between.
    boolean isAgain = before != null && before.read() == known;
    Read now = new Read(isAgain ? before.known() : known, read);
    reads.put(record, now);
    memory.put(
        name(record),
        ByteBuffer.allocate(2 * Long.BYTES).putLong(now.known()).putLong(now.read()).array());
    if (reads.size() > MAX_RECORDS) {
      forget(
          Collections.max(reads.entrySet(), Comparator.comparingLong(one -> one.getValue().known()))
              .getKey());
    }
  }

  /** A record became another one: what was found before says nothing of it. */
  void changed(byte[] key) {
    if (!reads.isEmpty()) {
      forget(ByteBuffer.wrap(key));
    }
  }

  /**
   * Whether a complete snapshot found a record older than before. What it had found is forgotten.
   *
   * @param end position where the snapshot ended
   */
  boolean wentBack(CompletedSnapshot snapshot, long end) {
    boolean wentBack = false;
    for (Map.Entry<ByteBuffer, Read> one : Map.copyOf(reads).entrySet()) {
      long begin = snapshot.begin(one.getKey().array());
      Read read = one.getValue();
      wentBack |= read.known() < begin && begin <= read.read();
      if (read.known() < begin || read.read() < end) {
        forget(one.getKey());
      }
    }
    return wentBack;
  }

  private void forget(ByteBuffer record) {
    if (reads.remove(record) != null) {
      memory.put(name(record), null);
    }
  }

  private static String name(ByteBuffer record) {
    return MEMORY + Base64.getEncoder().encodeToString(record.array());
  }

  private static ByteBuffer key(String name) {
    return ByteBuffer.wrap(Base64.getDecoder().decode(name.substring(MEMORY.length())));
  }
}
