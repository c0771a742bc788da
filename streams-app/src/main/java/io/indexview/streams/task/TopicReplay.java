package io.indexview.streams.task;

import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.RecordSetDeriver;
import io.indexview.streams.derive.TaskLocation;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.state.Entries;
import io.indexview.streams.state.TopicIncarnation;
import io.indexview.streams.task.TaskServices.ChangeTopicReaders;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Materializes the topic in the copy of a replay, up to where the live events are and never beyond.
 * Not safe for use by several threads.
 */
final class TopicReplay {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopicReplay.class);
  private static final Duration RETRY_PAUSE = Duration.ofSeconds(2);

  private final TaskLocation location;
  private final ChangeTopicReaders readers;
  private final RecordSetDeriver deriver;
  private final Entries copy;
  private final Entries state;
  private final SnapshotCleanup snapshots;
  private final TopicIncarnation incarnation;
  private final Timer retryPause;
  private final Deque<ChangeRecord> read = new ArrayDeque<>();
  private CompletableFuture<ReplayReader> opening;
  private ReplayReader reader;
  private long end;
  private long next;
  private String trouble = "";

  /** The topic does not tell every event any more; the message says why, and what helps. */
  static final class UnreplayableException extends RuntimeException {
    UnreplayableException(String message, Throwable cause) {
      super(message, cause);
    }
  }

  TopicReplay(
      TaskLocation location,
      ChangeTopicReaders readers,
      RecordSetDeriver deriver,
      Entries copy,
      Entries state,
      SnapshotCleanup snapshots,
      TopicIncarnation incarnation,
      Time time) {
    this.location = location;
    this.readers = readers;
    this.deriver = deriver;
    this.copy = copy;
    this.state = state;
    this.snapshots = snapshots;
    this.incarnation = incarnation;
    this.retryPause = new Timer(time);
  }

  /** Begins at the start of the topic. */
  void begin() {
    next = 0;
    trouble = "";
  }

  /** Starts to open the topic, and takes the reader once it is open; called now and then. */
  void open() {
    if (reader != null || !retryPause.isExpired()) {
      return;
    }
    if (opening == null) {
      opening = readers.open(new TopicPartition(location.topic(), location.partition()));
    }
    if (!opening.isDone()) {
      return;
    }
    try {
      reader = opening.join();
      reader.seek(next);
      end = reader.bounds().end();
    } catch (CompletionException | KafkaException e) {
      fail(e);
    }
    opening = null;
  }

  boolean isOpen() {
    return reader != null;
  }

  /** The topic is opened anew after a while. */
  private void fail(RuntimeException e) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
    if (trouble.isEmpty()) {
      LOGGER.warn("{}: the topic cannot be read now, and the replay waits for it", location, e);
    } else {
      LOGGER.debug("{}: the topic still cannot be read", location, e);
    }
    trouble = "; the topic cannot be read now: " + cause.getMessage();
    close();
    retryPause.reset(RETRY_PAUSE);
  }

  /**
   * Materializes one chunk, one record at least if one is here.
   *
   * @return whether all that the task has processed is materialized, and nothing else
   * @throws UnreplayableException if the topic does not tell everything
   */
  boolean run(BooleanSupplier expired) {
    requireWhole();
    long first = next;
    long live = live();
    boolean isOver = false;
    while (!isOver && next < live && hasRecord() && read.peek().offset() < live) {
      ChangeRecord record = read.remove();
      materialize(record);
      next = record.offset() + 1;
      isOver = expired.getAsBoolean();
    }
    if (!read.isEmpty()) {
      next = read.peek().offset();
    }
    if (isOpen() && (next > first || next >= live)) {
      goOn();
    }
    return next >= live;
  }

  /** A topic that opens, and a request without an answer, do not show that it can be read. */
  private void goOn() {
    if (!trouble.isEmpty()) {
      LOGGER.info("{}: the topic can be read again, and the replay goes on", location);
      trouble = "";
    }
  }

  private void materialize(ChangeRecord record) {
    try {
      deriver.materialize(
          record,
          copy,
          state,
          (key, entry) -> snapshots.before(record.offset(), key, entry),
          snapshots::now);
    } catch (MalformedEventException e) {
      throw gone(
          "its event at offset %d cannot be read now (%s)"
              .formatted(record.offset(), e.getMessage()),
          e);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      if (!FailedEvents.isOfEvent(e)) {
        throw e;
      }
      throw gone(
          "its event at offset %d fails (%s)".formatted(record.offset(), FailedEvents.describe(e)),
          e);
    }
  }

  private void requireWhole() {
    ReplayReader.Bounds bounds = reader.bounds();
    if (bounds.begin() > next) {
      snapshots.cannotReplay();
      throw gone("its records before offset %d are deleted".formatted(bounds.begin()), null);
    }
    if (bounds.committed() > bounds.end()) {
      throw gone(
          "it ends at offset %d, before %d, where the app goes on with it: it was created anew"
              .formatted(bounds.end(), bounds.committed()),
          null);
    }
  }

  /** What is to be thrown when the topic cannot be replayed. */
  UnreplayableException gone(String what, Throwable cause) {
    return new UnreplayableException(
        "partition %d of topic %s cannot be replayed: %s; rebuild with an ad-hoc snapshot"
            .formatted(location.partition(), location.topic(), what),
        cause);
  }

  /**
   * Where there is none, the next one is not before the position: transaction markers take offsets
   * too.
   */
  private boolean hasRecord() {
    if (!read.isEmpty()) {
      return true;
    }
    try {
      read.addAll(reader.poll());
      next = read.isEmpty() ? Math.max(next, reader.position()) : next;
    } catch (ReplayReader.RecordsGoneException e) {
      snapshots.cannotReplay();
      throw gone(
          "not all records from offset %d on can be read (%s)".formatted(next, e.getMessage()), e);
    } catch (KafkaException e) {
      fail(e);
    }
    return !read.isEmpty();
  }

  /** Where the task is; before its first event, where the application was when the topic opened. */
  private long live() {
    return Math.max(incarnation.processed(), reader.bounds().committed());
  }

  /** Offset of the record that is materialized next. */
  long next() {
    return next;
  }

  /** Progress for log messages. */
  String progress() {
    return "replays topic %s, %d of %d events%s"
        .formatted(
            location.topic(),
            next,
            Math.max(next, Math.max(end, incarnation.processed())),
            trouble);
  }

  void close() {
    read.clear();
    if (reader != null) {
      reader.close();
      reader = null;
    }
    if (opening != null) {
      opening.thenAccept(ReplayReader::close);
      opening = null;
    }
  }
}
