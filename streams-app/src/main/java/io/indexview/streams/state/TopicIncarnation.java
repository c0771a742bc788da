package io.indexview.streams.state;

import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Which of the topics of one name a task reads, and how far it is in it. A topic that was deleted
 * and created again begins at offset 0, while the state holds records of the one before; positions
 * tell their events apart. Not safe for use by several threads.
 *
 * <p>Remembered: how many topics there were before, 4 bytes, and the floor, 8 bytes, big-endian,
 * then the id as in {@link DataOutputStream#writeUTF}, then a byte, 1: no event came since another
 * topic was noticed, then a byte, 1: nobody was told yet that it is another one; earlier releases
 * left them out.
 */
public final class TopicIncarnation {
  private static final String MEMORY = "topic-incarnation";
  private static final Duration SUSPICION = Duration.ofMinutes(1);
  private static final int OFFSET_BITS = 44;

  private final TaskMemory memory;
  private final Timer suspicion;
  private Optional<String> known = Optional.empty();
  private String id = "";
  private int number;

  /**
   * Events of this topic before this offset may have been taken for those of the one before. While
   * it is new, it may be an offset of the one before, or 0: nobody knows.
   */
  private long floor;

  /** Offset after the last event; 0: none came since the start. */
  private long next;

  /** Whether no event came since another topic was noticed. */
  private boolean isNew;

  /** Whether nobody was told yet that it is another topic. */
  private boolean isUntold;

  /** An event before this offset does not simply follow the last one. */
  private long expected = Long.MAX_VALUE;

  public TopicIncarnation(TaskMemory memory, Time time) {
    this.memory = memory;
    this.suspicion = new Timer(time);
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
  public boolean isAnother(Optional<String> now) {
    boolean isOther = now.isPresent() && !now.get().equals(id);
    boolean isAnother = isOther && !id.isEmpty();
    if (isAnother) {
      number++;
      floor = next;
      isNew = true;
      isUntold = true;
      expected = Long.MAX_VALUE;
    }
    if (isOther) {
      id = now.get();
      suspicion.reset(Duration.ZERO);
      save();
    }
    known = suspicion.isExpired() ? now : Optional.empty();
    return isAnother;
  }

  /**
   * An event is about to be processed.
   *
   * @return whether it is the first one since the start, or since another topic was noticed
   */
  public boolean eventComes(long offset) {
    boolean isFirst = offset < expected && comesOutOfLine(offset);
    next = offset + 1;
    expected = next;
    return isFirst;
  }

  private boolean comesOutOfLine(long offset) {
    boolean isFirst = expected == Long.MAX_VALUE;
    if (isNew) {
      if (offset < floor) {
        // What came before was all of the topic before.
        floor = 0;
      } else if (floor == 0) {
        // Those that this topic has before it may have come before the start.
        floor = offset;
      }
      isNew = false;
      save();
      return isFirst;
    }
    if (offset < next) {
      // The id that Kafka gives may be of a while ago.
      suspicion.reset(SUSPICION);
      known = Optional.empty();
    }
    if (offset < floor) {
      // Remembered by an earlier release, of the topic before; or events come once more.
      floor = offset;
      save();
    }
    return isFirst;
  }

  /** The id of the topic that was noticed last; empty: none was. */
  public String noticed() {
    return id;
  }

  /** The id of the topic; empty while it is not certain. */
  public Optional<String> known() {
    return known;
  }

  /** Offset after the last event that came; 0: none of this topic came since the start. */
  public long processed() {
    return isNew ? 0 : next;
  }

  /**
   * Whether events of this topic since an offset may have been taken for those of the one before,
   * so that nobody can say whether they came since then. After a start that noticed the topic, the
   * next event shows which; until then none are taken to have come if the partition was empty at
   * the end, though one that came later may have been processed before that start.
   *
   * @param begin the offset
   * @param end where the partition ended later
   */
  public boolean mayMistake(long begin, long end) {
    return isNew && floor == 0 ? end > 0 : begin < floor;
  }

  /**
   * Whether another topic than before was noticed since this was asked last, also before a start.
   */
  public boolean takeUntold() {
    boolean wasUntold = isUntold;
    if (wasUntold) {
      isUntold = false;
      save();
    }
    return wasUntold;
  }

  /** Whether no event came since another topic was noticed. */
  public boolean isUnread() {
    return isNew;
  }

  /**
   * Where an event came in all topics that had the name, one after the other: those of a topic that
   * was created anew come after all those of the topics before. In the first topic it is the
   * offset.
   */
  public long position(long offset) {
    return ((long) number << OFFSET_BITS) + offset;
  }

  /** The offset of a position in its own topic. */
  public static long offset(long position) {
    return position & ((1L << OFFSET_BITS) - 1);
  }

  private void save() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (DataOutputStream out = new DataOutputStream(bytes)) {
      out.writeInt(number);
      out.writeLong(floor);
      out.writeUTF(id);
      out.writeBoolean(isNew);
      out.writeBoolean(isUntold);
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
      isNew = in.available() > 0 && in.readBoolean();
      isUntold = in.available() > 0 && in.readBoolean();
    } catch (IOException e) {
      throw new IllegalStateException(
          "the stored topic id of %d bytes is damaged: rebuild the store from its changelog"
              .formatted(bytes.length),
          e);
    }
  }
}
