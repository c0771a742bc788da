package io.indexview.streams.replay;

import io.indexview.schemas.change.MalformedEventException;
import io.indexview.streams.build.TaskPlace;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.HistoryFold;
import io.indexview.streams.resnapshot.PastPurges;
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
 * Folds the topic into the copy, up to where the live events are and never beyond. Not safe for use
 * by several threads.
 */
final class TopicFold {
  private static final Logger LOGGER = LoggerFactory.getLogger(TopicFold.class);
  private static final long RETRY_MS = 2_000;

  private final TaskPlace place;
  private final ChangeLogs logs;
  private final HistoryFold fold;
  private final ReplayCopy copy;
  private final PastPurges purges;
  private final Deque<ChangeRecord> read = new ArrayDeque<>();
  private CompletableFuture<ChangeLog> opening;
  private ChangeLog log;
  private long processed;
  private long end;
  private long next;
  private long retryAtMs = Long.MIN_VALUE;
  private String trouble = "";

  TopicFold(
      TaskPlace place, ChangeLogs logs, HistoryFold fold, ReplayCopy copy, PastPurges purges) {
    this.place = place;
    this.logs = logs;
    this.fold = fold;
    this.copy = copy;
    this.purges = purges;
  }

  /** From the start. */
  void begin() {
    next = 0;
    trouble = "";
  }

  /** All events before an offset are processed by the task, those after it are not. */
  void liveIsAt(long offset) {
    processed = offset;
  }

  /** Has the topic opened, and looks whether it is; to be called now and then. */
  void open(long nowMs) {
    if (log != null || nowMs < retryAtMs) {
      return;
    }
    if (opening == null) {
      opening = logs.open(new TopicPartition(place.topic(), place.partition()));
    }
    if (!opening.isDone()) {
      return;
    }
    try {
      log = opening.join();
      log.seek(next);
      end = log.bounds().end();
      trouble = "";
    } catch (CompletionException | KafkaException e) {
      fail(e, nowMs);
    }
    opening = null;
  }

  boolean isOpen() {
    return log != null;
  }

  /** The topic is opened anew after a while. */
  private void fail(RuntimeException e, long nowMs) {
    Throwable cause = e instanceof CompletionException ? e.getCause() : e;
    trouble = "; the topic cannot be read now: " + cause.getMessage();
    LOGGER.warn("{}: the replay waits for the topic", place, e);
    close();
    retryAtMs = nowMs + RETRY_MS;
  }

  /**
   * Folds one slice, one record at least if one is here.
   *
   * @return whether all that the task has processed is folded
   * @throws UnreplayableException if the topic does not tell everything
   */
  boolean run(BooleanSupplier expired, long nowMs) throws UnreplayableException {
    requireWhole();
    long live = live();
    boolean isOver = false;
    while (!isOver && hasRecord(nowMs) && read.peek().offset() < live) {
      ChangeRecord record = read.remove();
      fold(record);
      next = record.offset() + 1;
      isOver = expired.getAsBoolean();
    }
    if (!read.isEmpty()) {
      next = read.peek().offset();
    }
    return next >= live;
  }

  private void fold(ChangeRecord record) throws UnreplayableException {
    try {
      fold.fold(record, copy, (key, entry) -> purges.before(record.offset(), key, entry));
    } catch (MalformedEventException e) {
      throw gone(
          "its event at offset %d cannot be read now (%s)"
              .formatted(record.offset(), e.getMessage()),
          e);
    }
  }

  private void requireWhole() throws UnreplayableException {
    ChangeLog.Bounds bounds = log.bounds();
    if (bounds.begin() > next) {
      purges.forget();
      throw gone("its records before offset %d are deleted".formatted(bounds.begin()), null);
    }
    if (bounds.committed() > bounds.end()) {
      throw gone(
          "it ends at offset %d, before %d, where the app goes on with it: it was created anew"
              .formatted(bounds.end(), bounds.committed()),
          null);
    }
  }

  private UnreplayableException gone(String what, Throwable cause) {
    return new UnreplayableException(
        "partition %d of topic %s cannot be replayed: %s; rebuild with a resnapshot"
            .formatted(place.partition(), place.topic(), what),
        cause);
  }

  /** Where there is none, the next one is not before the position: markers take offsets too. */
  private boolean hasRecord(long nowMs) throws UnreplayableException {
    if (!read.isEmpty()) {
      return true;
    }
    try {
      read.addAll(log.poll());
      next = read.isEmpty() ? Math.max(next, log.position()) : next;
    } catch (RecordsGoneException e) {
      purges.forget();
      throw gone("its records from offset %d on are deleted".formatted(next), e);
    } catch (KafkaException e) {
      fail(e, nowMs);
    }
    return !read.isEmpty();
  }

  /** Where the task is; before its first event, where the application was when the topic opened. */
  private long live() {
    return Math.max(processed, log.bounds().committed());
  }

  /** Offset of the record that is folded next. */
  long next() {
    return next;
  }

  /** For people. */
  String progress() {
    return "replays topic %s, %d of %d events%s"
        .formatted(place.topic(), next, Math.max(next, Math.max(end, processed)), trouble);
  }

  void close() {
    read.clear();
    if (log != null) {
      log.close();
      log = null;
    }
    if (opening != null) {
      opening.thenAccept(ChangeLog::close);
      opening = null;
    }
  }
}
