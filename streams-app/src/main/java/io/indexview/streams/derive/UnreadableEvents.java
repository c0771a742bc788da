package io.indexview.streams.derive;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.ReasonText;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells of the events of one task that cannot be read: the log, a line a minute; and the
 * controller, if nobody knows which records they change. Not safe for use by several threads.
 */
final class UnreadableEvents {
  private static final Logger LOGGER = LoggerFactory.getLogger(UnreadableEvents.class);
  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);
  private static final int MAX_REASON = 500;

  private final TaskLocation location;
  private final Timer betweenLines;
  private long ofOneRecord;
  private long ofAnyRecord;
  private long lastOffset;
  private String lastReason = "";
  private long reportedLostMs = Long.MIN_VALUE;

  UnreadableEvents(TaskLocation location, Time time) {
    this.location = location;
    this.betweenLines = new Timer(time);
  }

  /** One whose key says which record it changes, or that no view can have its record. */
  void ofOneRecord(ChangeRecord change, String reason) {
    ofOneRecord++;
    note(change, reason);
  }

  /** Counts an event that may change any record, and reports it as a loss. */
  void ofAnyRecord(ChangeRecord change, String reason, TaskOutput out, long nowMs) {
    ofAnyRecord++;
    note(change, reason);
    // A snapshot that begins at this time or later names what it changed.
    if (nowMs != reportedLostMs) {
      reportedLostMs = nowMs;
      out.report(
          new EventsLost(
              location.recordSet(),
              nowMs,
              "the event at offset %d of partition %d of topic %s cannot be read, and it may change any record: %s"
                  .formatted(change.offset(), change.partition(), change.topic(), lastReason)));
    }
  }

  private void note(ChangeRecord change, String reason) {
    lastOffset = change.offset();
    lastReason = ReasonText.bounded(reason, MAX_REASON);
    tell();
  }

  /**
   * Logs what was counted since the last line. Called now and then, so that the last of many events
   * are logged, too.
   */
  void tell() {
    if (!betweenLines.isExpired() || ofOneRecord + ofAnyRecord == 0) {
      return;
    }
    LOGGER.warn(
        "{}: {} events could not be read since the last such line, {} of them of records that nobody knows; they are in the dead-letter topic, and views that may have such a record are DEGRADED. The last one, at offset {}: {}",
        location,
        ofOneRecord + ofAnyRecord,
        ofAnyRecord,
        lastOffset,
        lastReason);
    ofOneRecord = 0;
    ofAnyRecord = 0;
    betweenLines.reset(BETWEEN_LINES);
  }
}
