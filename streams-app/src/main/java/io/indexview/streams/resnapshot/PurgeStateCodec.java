package io.indexview.streams.resnapshot;

import io.indexview.streams.resnapshot.PurgeState.Running;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

/**
 * Purge states as bytes: format = 1, one byte; start of the newest resnapshot that is done with, 8
 * bytes; then, if one is running, its start, begin offset and deletions, 8 bytes each, and the
 * cursor: one byte whether there is one, and the rest. Numbers are big-endian. A release that
 * changes the format raises the first byte and keeps reading the old one.
 */
final class PurgeStateCodec {
  private static final byte FORMAT = 1;

  private PurgeStateCodec() {}

  static byte[] encode(PurgeState state) {
    Running running = state.running();
    if (running == null) {
      return ByteBuffer.allocate(1 + Long.BYTES).put(FORMAT).putLong(state.handledMs()).array();
    }
    byte[] cursor = running.cursor() == null ? new byte[0] : running.cursor();
    return ByteBuffer.allocate(2 + 4 * Long.BYTES + cursor.length)
        .put(FORMAT)
        .putLong(state.handledMs())
        .putLong(running.startedAtMs())
        .putLong(running.begin())
        .putLong(running.deleted())
        .put((byte) (running.cursor() == null ? 0 : 1))
        .put(cursor)
        .array();
  }

  /**
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  static PurgeState decode(byte[] bytes) {
    try {
      ByteBuffer in = ByteBuffer.wrap(bytes);
      byte format = in.get();
      if (format != FORMAT) {
        throw new IllegalStateException(
            "stored purge state of format %d; this release reads format %d: a newer release wrote it"
                .formatted(format, FORMAT));
      }
      long handledMs = in.getLong();
      return new PurgeState(handledMs, in.hasRemaining() ? running(in) : null);
    } catch (BufferUnderflowException e) {
      throw new IllegalStateException(
          "stored purge state of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static Running running(ByteBuffer in) {
    long startedAtMs = in.getLong();
    long begin = in.getLong();
    long deleted = in.getLong();
    boolean hasCursor = in.get() != 0;
    byte[] cursor = new byte[in.remaining()];
    in.get(cursor);
    return new Running(startedAtMs, begin, deleted, hasCursor ? cursor : null);
  }
}
