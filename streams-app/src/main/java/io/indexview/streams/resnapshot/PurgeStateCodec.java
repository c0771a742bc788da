package io.indexview.streams.resnapshot;

import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.resnapshot.PurgeState.Running;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Purge states as bytes: format = 2, one byte; start of the newest resnapshot that is done with, 8
 * bytes; then, if one is running, its start, begin offset and deletions, 8 bytes each; its scopes:
 * how many in 4 bytes, and of each the prefix, one byte whether there is an ending, and the ending;
 * and the cursor: one byte whether there is one, and the rest. Numbers are big-endian, texts as in
 * {@link DataOutputStream#writeUTF}. Format 1 had no scopes: such a resnapshot deletes nothing
 * more. A release that changes the format raises the first byte and keeps reading the old ones.
 */
final class PurgeStateCodec {
  private static final byte FORMAT = 2;
  private static final byte WITHOUT_SCOPES = 1;

  private PurgeStateCodec() {}

  static byte[] encode(PurgeState state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORMAT);
      out.writeLong(state.handledMs());
      if (state.running() != null) {
        write(state.running(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(Running running, DataOutputStream out) throws IOException {
    out.writeLong(running.startedAtMs());
    out.writeLong(running.begin());
    out.writeLong(running.deleted());
    writeScopes(running.scopes(), out);
    out.writeBoolean(running.cursor() != null);
    if (running.cursor() != null) {
      out.write(running.cursor());
    }
  }

  static void writeScopes(List<KeyScope> scopes, DataOutputStream out) throws IOException {
    out.writeInt(scopes.size());
    for (KeyScope scope : scopes) {
      out.writeUTF(scope.prefix());
      out.writeBoolean(scope.exceptEnding() != null);
      if (scope.exceptEnding() != null) {
        out.writeUTF(scope.exceptEnding());
      }
    }
  }

  /**
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  static PurgeState decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      byte format = in.readByte();
      if (format != FORMAT && format != WITHOUT_SCOPES) {
        throw new IllegalStateException(
            "stored purge state of format %d; this release reads up to format %d: a newer release wrote it"
                .formatted(format, FORMAT));
      }
      long handledMs = in.readLong();
      return new PurgeState(handledMs, in.available() > 0 ? running(in, format) : null);
    } catch (IOException e) {
      throw new IllegalStateException(
          "stored purge state of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static Running running(DataInputStream in, byte format) throws IOException {
    long startedAtMs = in.readLong();
    long begin = in.readLong();
    long deleted = in.readLong();
    List<KeyScope> scopes = format == WITHOUT_SCOPES ? List.of() : readScopes(in);
    byte[] cursor = in.readBoolean() ? in.readAllBytes() : null;
    return new Running(startedAtMs, begin, scopes, deleted, cursor);
  }

  static List<KeyScope> readScopes(DataInputStream in) throws IOException {
    List<KeyScope> scopes = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      scopes.add(new KeyScope(in.readUTF(), in.readBoolean() ? in.readUTF() : null));
    }
    return scopes;
  }
}
