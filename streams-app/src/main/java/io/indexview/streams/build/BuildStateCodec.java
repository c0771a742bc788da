package io.indexview.streams.build;

import io.indexview.streams.derive.RowCounts;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.ByteUtils;

/**
 * Build states as bytes, in this order:
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
 * A release that changes the format raises the first byte and keeps reading the old one.
 */
final class BuildStateCodec {
  private static final byte FORMAT = 1;

  private BuildStateCodec() {}

  static byte[] encode(BuildState state) {
    RowCounts counts = state.counts();
    byte[] recordReason = counts.reason().getBytes(StandardCharsets.UTF_8);
    byte[] reason = state.reason().getBytes(StandardCharsets.UTF_8);
    byte[] cursor = state.cursor();
    int cursorLength = cursor == null ? 0 : cursor.length;
    ByteBuffer out =
        ByteBuffer.allocate(
            2
                + ByteUtils.sizeOfUnsignedVarint(cursorLength + 1)
                + cursorLength
                + ByteUtils.sizeOfVarlong(state.done())
                + ByteUtils.sizeOfVarlong(counts.rows())
                + ByteUtils.sizeOfVarlong(counts.keyBytes())
                + ByteUtils.sizeOfVarlong(counts.failedRecords())
                + ByteUtils.sizeOfUnsignedVarint(recordReason.length)
                + recordReason.length
                + ByteUtils.sizeOfUnsignedVarint(reason.length)
                + reason.length);
    out.put(FORMAT).put((byte) state.phase().ordinal());
    if (cursor == null) {
      ByteUtils.writeUnsignedVarint(0, out);
    } else {
      ByteUtils.writeUnsignedVarint(cursorLength + 1, out);
      out.put(cursor);
    }
    ByteUtils.writeVarlong(state.done(), out);
    ByteUtils.writeVarlong(counts.rows(), out);
    ByteUtils.writeVarlong(counts.keyBytes(), out);
    ByteUtils.writeVarlong(counts.failedRecords(), out);
    putText(recordReason, out);
    putText(reason, out);
    byte[] bytes = new byte[out.position()];
    out.flip().get(bytes);
    return bytes;
  }

  private static void putText(byte[] text, ByteBuffer out) {
    ByteUtils.writeUnsignedVarint(text.length, out);
    out.put(text);
  }

  /**
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  static BuildState decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      byte format = in.get();
      if (format != FORMAT) {
        throw new IllegalStateException(
            "stored build state of format %d; this release reads format %d: a newer release wrote it"
                .formatted(format, FORMAT));
      }
      return decode(in);
    } catch (BufferUnderflowException | IllegalArgumentException | IndexOutOfBoundsException e) {
      throw new IllegalStateException(
          "stored build state of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static BuildState decode(ByteBuffer in) {
    Phase phase = Phase.values()[in.get()];
    int cursorLength = ByteUtils.readUnsignedVarint(in) - 1;
    byte[] cursor = cursorLength < 0 ? null : read(cursorLength, in);
    long done = ByteUtils.readVarlong(in);
    long rows = ByteUtils.readVarlong(in);
    long keyBytes = ByteUtils.readVarlong(in);
    long failedRecords = ByteUtils.readVarlong(in);
    RowCounts counts = new RowCounts(rows, keyBytes, failedRecords, readText(in));
    return new BuildState(phase, cursor, done, counts, readText(in));
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
