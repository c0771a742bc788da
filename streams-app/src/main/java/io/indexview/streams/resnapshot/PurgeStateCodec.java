package io.indexview.streams.resnapshot;

import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.resnapshot.PurgeState.Running;
import io.indexview.streams.resnapshot.Resnapshot.Answer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Purge states as bytes: format = 3, one byte; one byte whether a resnapshot is done with, and that
 * one; one byte whether one is running, and if so that one, its deletions, 8 bytes, one byte
 * whether there is a cursor, and the cursor. A resnapshot: the topic's id; how many answers in 4
 * bytes, and of each the id, the prefix, one byte whether there is an ending, the ending, and the
 * begin in 8 bytes. Numbers are big-endian, texts as in {@link DataOutputStream#writeUTF}. Formats
 * 1 and 2 did not tell the topic: of them nothing is known, and the newest resnapshot is handled
 * once more. A release that changes the format raises the first byte and keeps reading the old
 * ones.
 */
final class PurgeStateCodec {
  private static final byte FORMAT = 3;
  private static final int WITH_ENDING = 1;
  private static final int WITH_MINORS = 2;

  private PurgeStateCodec() {}

  static byte[] encode(PurgeState state) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeByte(FORMAT);
      out.writeBoolean(state.handled() != null);
      if (state.handled() != null) {
        write(state.handled(), out);
      }
      out.writeBoolean(state.running() != null);
      if (state.running() != null) {
        write(state.running(), out);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return bytes.toByteArray();
  }

  private static void write(Running running, DataOutputStream out) throws IOException {
    write(running.resnapshot(), out);
    out.writeLong(running.deleted());
    out.writeBoolean(running.cursor() != null);
    if (running.cursor() != null) {
      out.write(running.cursor());
    }
  }

  static void write(Resnapshot resnapshot, DataOutputStream out) throws IOException {
    out.writeUTF(resnapshot.topicId());
    out.writeInt(resnapshot.answers().size());
    for (Answer answer : resnapshot.answers()) {
      out.writeUTF(answer.id());
      write(answer.scope(), out);
      out.writeLong(answer.begin());
    }
  }

  private static void write(KeyScope scope, DataOutputStream out) throws IOException {
    boolean ending = scope.exceptEnding() != null;
    boolean minors = !scope.minors().isEmpty();
    out.writeUTF(scope.prefix());
    out.writeByte((ending ? WITH_ENDING : 0) | (minors ? WITH_MINORS : 0));
    if (ending) {
      out.writeUTF(scope.exceptEnding());
    }
    if (minors) {
      out.writeInt(scope.minors().size());
      for (String minor : scope.minors()) {
        out.writeUTF(minor);
      }
    }
  }

  /**
   * @throws IllegalStateException if the bytes are of another format, or damaged
   */
  static PurgeState decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      byte format = in.readByte();
      if (format > FORMAT || format < 1) {
        throw new IllegalStateException(
            "stored purge state of format %d; this release reads up to format %d: a newer release wrote it"
                .formatted(format, FORMAT));
      }
      if (format < FORMAT) {
        return PurgeState.NONE;
      }
      Resnapshot handled = in.readBoolean() ? read(in) : null;
      return new PurgeState(handled, in.readBoolean() ? running(in) : null);
    } catch (IOException e) {
      throw new IllegalStateException(
          "stored purge state of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }

  private static Running running(DataInputStream in) throws IOException {
    return new Running(read(in), in.readLong(), in.readBoolean() ? in.readAllBytes() : null);
  }

  static Resnapshot read(DataInputStream in) throws IOException {
    String topicId = in.readUTF();
    List<Answer> answers = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      String id = in.readUTF();
      answers.add(new Answer(id, scope(in), in.readLong()));
    }
    return new Resnapshot(topicId, answers);
  }

  private static KeyScope scope(DataInputStream in) throws IOException {
    String prefix = in.readUTF();
    byte flags = in.readByte();
    String ending = (flags & WITH_ENDING) == 0 ? null : in.readUTF();
    List<String> minors = new ArrayList<>();
    for (int left = (flags & WITH_MINORS) == 0 ? 0 : in.readInt(); left > 0; left--) {
      minors.add(in.readUTF());
    }
    return new KeyScope(prefix, ending, minors);
  }
}
