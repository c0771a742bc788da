package io.indexview.streams.replay;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Replay states as bytes: format = 1 and the phase, one byte each; handled, attempt, next, for and
 * compared, 8 bytes each; then one byte whether there is a cursor, and the cursor. Numbers are
 * big-endian. A release that changes the format raises the first byte and keeps reading the old
 * one.
 */
final class ReplayStateCodec {
  private static final byte FORMAT = 1;

  private ReplayStateCodec() {}

  static byte[] encode(ReplayState state) {
    byte[] cursor = state.cursor() == null ? new byte[0] : state.cursor();
    return ByteBuffer.allocate(3 + 5 * Long.BYTES + cursor.length)
        .put(FORMAT)
        .put((byte) state.phase().ordinal())
        .putLong(state.handledMs())
        .putLong(state.attempt())
        .putLong(state.next())
        .putLong(state.forMs())
        .putLong(state.compared())
        .put((byte) (state.cursor() == null ? 0 : 1))
        .put(cursor)
        .array();
  }

  /**
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  static ReplayState decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      byte format = in.get();
      if (format != FORMAT) {
        throw new IllegalStateException(
            "stored replay state of format %d; this release reads format %d: a newer release wrote it"
                .formatted(format, FORMAT));
      }
      return decode(in);
    } catch (BufferUnderflowException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalStateException(
          "stored replay state of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static ReplayState decode(ByteBuffer in) {
    ReplayState.Phase phase = ReplayState.Phase.values()[in.get()];
    long handledMs = in.getLong();
    long attempt = in.getLong();
    long next = in.getLong();
    long forMs = in.getLong();
    long compared = in.getLong();
    boolean hasCursor = in.get() != 0;
    byte[] cursor = new byte[in.remaining()];
    in.get(cursor);
    return new ReplayState(
        handledMs, attempt, phase, next, forMs, hasCursor ? cursor : null, compared);
  }
}
