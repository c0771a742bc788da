package io.indexview.streams.resnapshot;

import io.indexview.streams.build.TaskMemory;
import io.indexview.streams.derive.EventPositions;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Optional;

/**
 * Which of the topics of the name a task reads, as it remembers it over a crash: one that was
 * deleted and created again begins at offset 0, while the state holds records of the one before.
 * Not safe for use by several threads.
 *
 * <p>Remembered: how many there were before, 4 bytes, and the floor, 8 bytes, big-endian, then the
 * id as in {@link DataOutputStream#writeUTF}.
 */
public final class TopicIncarnation {
  private static final String MEMORY = "topic-incarnation";
  private static final long SUSPICION_MS = 60_000;
  private static final long NONE = -1;

  private final TaskMemory memory;
  private Optional<String> known = Optional.empty();
  private String id = "";
  private int number;
  private long floor;
  private long last = NONE;
  private boolean isNew;
  private long suspectUntilMs = Long.MIN_VALUE;

  public TopicIncarnation(TaskMemory memory) {
    this.memory = memory;
    byte[] remembered = memory.get(MEMORY);
    if (remembered != null) {
      decode(remembered);
    }
  }

  /**
   * Takes note of the topic that there is.
   *
   * @param now its id; empty: it is not known
   * @return whether it is another one than before
   */
  public boolean isAnother(Optional<String> now, long nowMs) {
    boolean isOther = now.isPresent() && !now.get().equals(id);
    boolean isAnother = isOther && !id.isEmpty();
    if (isOther) {
      id = now.get();
      suspectUntilMs = Long.MIN_VALUE;
    }
    if (isAnother) {
      number++;
      floor = last + 1;
      isNew = true;
    }
    if (isOther) {
      save();
    }
    known = nowMs < suspectUntilMs ? Optional.empty() : now;
    return isAnother;
  }

  /** An event is about to be processed. */
  public void eventComes(long offset, long nowMs) {
    if (offset <= last) {
      if (isNew && floor > 0) {
        // What came before was all of the topic before.
        floor = 0;
        save();
      } else {
        // The id that is told may be of a while ago.
        suspectUntilMs = nowMs + SUSPICION_MS;
        known = Optional.empty();
      }
    }
    isNew = false;
    last = offset;
  }

  /** The id of the topic; empty while it is not certain. */
  public Optional<String> known() {
    return known;
  }

  /**
   * Events of this topic before that offset may have been taken for those of the one before, so
   * that nobody can say whether they came since an earlier offset.
   */
  long floor() {
    return floor;
  }

  /** See {@link EventPositions}. */
  public long position(long offset) {
    return EventPositions.of(number, offset);
  }

  private void save() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(number);
      out.writeLong(floor);
      out.writeUTF(id);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    memory.put(MEMORY, bytes.toByteArray());
  }

  private void decode(byte[] bytes) {
    try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
      number = in.readInt();
      floor = in.readLong();
      id = in.readUTF();
    } catch (IOException e) {
      throw new IllegalStateException(
          "the stored topic id of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }
}
