package io.indexview.streams.state;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * How far a scan of the state is, as a task remembers it over a crash. All kinds of scans have this
 * record; {@link #encode} is its only stored form.
 *
 * @param cursor key of the last entry that the scan has seen; null: none. Not copied
 * @param done records that it has built from, deleted or compared
 * @param counts rows that stand; only builds of generations have them
 * @param reason why it failed; empty otherwise
 */
public record StoredScanProgress(
    Phase phase, byte[] cursor, long done, RowCounts counts, String reason) {
  private static final byte FORMAT = 1;

  /** What a scan does. The order is part of the stored form: only append. */
  public enum Phase {
    /** Waits for the replay of the topic, or for the events that it follows. */
    WAITING,
    RUNNING,
    DONE,
    /** Never goes on. */
    STOPPED,
    /** Cannot go on. */
    FAILED
  }

  public StoredScanProgress {
    Objects.requireNonNull(phase, "phase");
    Objects.requireNonNull(counts, "counts");
    Objects.requireNonNull(reason, "reason");
  }

  /** Progress at the first entry, or of a scan that is over without a result. */
  public static StoredScanProgress of(Phase phase, String reason) {
    return new StoredScanProgress(phase, null, 0, RowCounts.NONE, reason);
  }

  /** Returns the progress after one more chunk. */
  public StoredScanProgress after(Chunk chunk, long more) {
    return chunk.whole()
        ? new StoredScanProgress(Phase.DONE, null, done + more, counts, reason)
        : new StoredScanProgress(phase, chunk.last(), done + more, counts, reason);
  }

  public StoredScanProgress with(Phase next) {
    return new StoredScanProgress(next, cursor, done, counts, reason);
  }

  public StoredScanProgress with(RowCounts next) {
    return new StoredScanProgress(phase, cursor, done, next, reason);
  }

  /**
   * What a scan did at once.
   *
   * @param last key of the last entry that it saw; null: there was none
   * @param whole whether that was the last one of all
   * @param changed entries that it replaced or dropped
   */
  public record Chunk(byte[] last, boolean whole, int changed) {}

  /**
   * Encodes the progress, in this order:
   *
   * <pre>
   *   byte     format = 1
   *   byte     phase, its place in {@link Phase}
   *   varint   length of the cursor + 1, then the cursor; 0: none
   *   zigzag   records done, rows, key bytes, failed records
   *   varint   length of the reason of a failed record, then the reason in UTF-8
   *   varint   length of the reason of the failure, then the reason in UTF-8
   * </pre>
   *
   * A release that changes the form raises the first byte and keeps reading the old one.
   */
  public byte[] encode() {
    byte[] recordReason = counts.reason().getBytes(StandardCharsets.UTF_8);
    byte[] failure = reason.getBytes(StandardCharsets.UTF_8);
    int cursorLength = cursor == null ? 0 : cursor.length;
    ByteBuffer out =
        ByteBuffer.allocate(
            2
                + ByteUtils.sizeOfUnsignedVarint(cursor == null ? 0 : cursorLength + 1)
                + cursorLength
                + ByteUtils.sizeOfVarlong(done)
                + ByteUtils.sizeOfVarlong(counts.rows())
                + ByteUtils.sizeOfVarlong(counts.keyBytes())
                + ByteUtils.sizeOfVarlong(counts.failedRecords())
                + ByteUtils.sizeOfUnsignedVarint(recordReason.length)
                + recordReason.length
                + ByteUtils.sizeOfUnsignedVarint(failure.length)
                + failure.length);
    out.put(FORMAT).put((byte) phase.ordinal());
    if (cursor == null) {
      ByteUtils.writeUnsignedVarint(0, out);
    } else {
      ByteUtils.writeUnsignedVarint(cursorLength + 1, out);
      out.put(cursor);
    }
    ByteUtils.writeVarlong(done, out);
    ByteUtils.writeVarlong(counts.rows(), out);
    ByteUtils.writeVarlong(counts.keyBytes(), out);
    ByteUtils.writeVarlong(counts.failedRecords(), out);
    for (byte[] text : new byte[][] {recordReason, failure}) {
      ByteUtils.writeUnsignedVarint(text.length, out);
      out.put(text);
    }
    return out.array();
  }

  /**
   * Reads {@link #encode} back.
   *
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  public static StoredScanProgress decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      byte format = in.get();
      if (format != FORMAT) {
        throw new IllegalStateException(
            "stored scan progress of format %d; this release reads format %d: a newer release wrote it"
                .formatted(format, FORMAT));
      }
      Phase phase = Phase.values()[in.get()];
      int cursorLength = ByteUtils.readUnsignedVarint(in) - 1;
      byte[] cursor = cursorLength < 0 ? null : read(cursorLength, in);
      long done = ByteUtils.readVarlong(in);
      long rows = ByteUtils.readVarlong(in);
      long keyBytes = ByteUtils.readVarlong(in);
      long failedRecords = ByteUtils.readVarlong(in);
      RowCounts counts = new RowCounts(rows, keyBytes, failedRecords, readText(in));
      return new StoredScanProgress(phase, cursor, done, counts, readText(in));
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalStateException(
          "stored scan progress of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static String readText(ByteBuffer in) {
    return new String(read(ByteUtils.readUnsignedVarint(in), in), StandardCharsets.UTF_8);
  }

  private static byte[] read(int length, ByteBuffer in) {
    if (length < 0 || length > in.remaining()) {
      throw new BufferUnderflowException();
    }
    byte[] bytes = new byte[length];
    in.get(bytes);
    return bytes;
  }
}
