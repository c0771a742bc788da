package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.EventsLost;
import java.util.ArrayList;
import java.util.List;

/**
 * What is remembered of a record set that lost events, or is hindered.
 *
 * @param sinceMs when that was found, ms since the epoch
 * @param reason empty: every record was published again since
 * @param wholeAtMs when the sources last began to publish every record again, ms since the epoch
 * @param hindrance what may make records wrong for as long as it stands; empty: nothing
 * @param stateLostAtMs when it was last found that the app forgot records, ms since the epoch
 * @param topicIds of the newest losses with a topic, by which they are known again
 */
public record RecordSetLoss(
    long sinceMs,
    String reason,
    long wholeAtMs,
    String hindrance,
    long stateLostAtMs,
    List<String> topicIds) {
  public static final RecordSetLoss NONE = new RecordSetLoss(0, "", 0, "", 0, List.of());

  /** Topics may be lost again while a task still tells of the loss before. */
  private static final int MAX_TOPIC_IDS = 8;

  public RecordSetLoss {
    topicIds = List.copyOf(topicIds);
  }

  /** Whether the app forgot records that did not come again. */
  public boolean isForgotten() {
    return stateLostAtMs > wholeAtMs;
  }

  /** Whether this loss was reported before, maybe by another task. */
  public boolean knows(EventsLost loss) {
    if (loss.topicId().isEmpty()) {
      return loss.ofState() && loss.foundAtMs() <= stateLostAtMs;
    }
    return topicIds.contains(loss.topicId());
  }

  /** Returns the state after a report of a loss, which may be a repeated one. */
  public RecordSetLoss after(EventsLost loss) {
    if (knows(loss)) {
      return this;
    }
    RecordSetLoss broken = broken(loss.foundAtMs(), loss.reason());
    List<String> ids = new ArrayList<>(topicIds);
    if (!loss.topicId().isEmpty()) {
      ids.add(loss.topicId());
    }
    return new RecordSetLoss(
        broken.sinceMs,
        broken.reason,
        wholeAtMs,
        hindrance,
        loss.ofState() ? Math.max(stateLostAtMs, loss.foundAtMs()) : stateLostAtMs,
        ids.subList(Math.max(0, ids.size() - MAX_TOPIC_IDS), ids.size()));
  }

  /**
   * Marks the record set as broken since then; unchanged if it was complete again, or broken, at a
   * later time.
   */
  public RecordSetLoss broken(long foundMs, String why) {
    return foundMs <= Math.max(sinceMs, wholeAtMs)
        ? this
        : new RecordSetLoss(foundMs, why, wholeAtMs, hindrance, stateLostAtMs, topicIds);
  }

  public RecordSetLoss whole(long atMs) {
    return new RecordSetLoss(
        sinceMs,
        atMs >= sinceMs ? "" : reason,
        Math.max(atMs, wholeAtMs),
        hindrance,
        stateLostAtMs,
        topicIds);
  }

  public RecordSetLoss hindered(String by) {
    return new RecordSetLoss(
        sinceMs, reason, wholeAtMs, Reasons.bounded(by), stateLostAtMs, topicIds);
  }
}
