package io.indexview.streams.replay;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;

/**
 * Replay states as bytes: format = 1 and the phase, one byte each; attempt, next and compared, 8
 * bytes each; the generations served, then those to be served: how many in 4 bytes, and each as in
 * {@link DataOutputStream#writeUTF}; then one byte whether there is a cursor, and the cursor.
 * Numbers are big-endian. A release that changes the format raises the first byte and keeps reading
 * the old one.
 */
final class ReplayStateCodec {
  private static final byte FORMAT = 1;

  private ReplayStateCodec() {}

  static byte[] encode(ReplayState state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORMAT);
      out.writeByte(state.phase().ordinal());
      out.writeLong(state.attempt());
      out.writeLong(state.next());
      out.writeLong(state.compared());
      write(state.served(), out);
      write(state.swapFor(), out);
      out.writeBoolean(state.cursor() != null);
      if (state.cursor() != null) {
        out.write(state.cursor());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(Set<String> generations, DataOutputStream out) throws IOException {
    out.writeInt(generations.size());
    for (String generation : new TreeSet<>(generations)) {
      out.writeUTF(generation);
    }
  }

  /**
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  static ReplayState decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      byte format = in.readByte();
      if (format != FORMAT) {
        throw new IllegalStateException(
            "stored replay state of format %d; this release reads format %d: a newer release wrote it"
                .formatted(format, FORMAT));
      }
      return decode(in);
    } catch (IOException | ArrayIndexOutOfBoundsException e) {
      throw new IllegalStateException(
          "stored replay state of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static ReplayState decode(DataInputStream in) throws IOException {
    ReplayState.Phase phase = ReplayState.Phase.values()[in.readByte()];
    long attempt = in.readLong();
    long next = in.readLong();
    long compared = in.readLong();
    Set<String> served = readGenerations(in);
    Set<String> swapFor = readGenerations(in);
    byte[] cursor = in.readBoolean() ? in.readAllBytes() : null;
    return new ReplayState(served, attempt, phase, next, swapFor, cursor, compared);
  }

  private static Set<String> readGenerations(DataInputStream in) throws IOException {
    Set<String> generations = new HashSet<>();
    for (int left = in.readInt(); left > 0; left--) {
      generations.add(in.readUTF());
    }
    return generations;
  }
}
