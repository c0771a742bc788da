package io.indexview.client.token;

import io.indexview.client.poll.SharedPoll;
import io.indexview.client.token.PipelinePositions.RejectedRecord;
import io.indexview.schemas.Topics;
import io.indexview.views.definition.ViewGeneration;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Rows that a sink took and could not apply. The controller learns of them too and makes it
 * DEGRADED, but a moment later; reads that wait for a write must not fall into that moment.
 * Thread-safe.
 */
final class RejectedRows {
  /**
   * Most rows kept for a partition; when these are superseded, the view's state has long shown
   * more.
   */
  private static final int MAX_KEPT = 1_000;

  private final PipelinePositions positions;
  private final Topics topics;
  private final ConcurrentMap<String, OfTarget> byDeadLetterTopic = new ConcurrentHashMap<>();

  /**
   * @param topics the dead-letter topics of targets have the names that it gives
   */
  RejectedRows(PipelinePositions positions, Topics topics) {
    this.positions = positions;
    this.topics = topics;
  }

  /**
   * Why rows of a partition may be wrong; empty: nothing says so.
   *
   * @param upTo the sink has taken every record of the view topic's partition before this offset
   */
  Optional<String> in(ViewGeneration generation, int partition, long upTo) {
    String deadLetters = topics.deadLetters(generation.definition().target().type());
    return byDeadLetterTopic
        .computeIfAbsent(deadLetters, OfTarget::new)
        .in(new TopicPartition(generation.viewTopic(), partition), upTo);
  }

  /**
   * Rejected rows of one target. A dead-letter topic that cannot be asked for its end holds up no
   * other target. One consumer reads them all, so while it waits for records the others wait, too.
   */
  private final class OfTarget {
    private final SharedPoll<Boolean> scan;
    private final Map<TopicPartition, Rows> rejected = new HashMap<>();

    OfTarget(String deadLetterTopic) {
      this.scan = new SharedPoll<>(() -> follow(deadLetterTopic));
    }

    /** Locks this before the reader, as {@link #in} does. */
    private synchronized boolean follow(String deadLetterTopic) {
      positions.newDeadLetters(deadLetterTopic, this::add);
      return true;
    }

    private void add(RejectedRecord deadLetter) {
      rejected.computeIfAbsent(deadLetter.row(), row -> new Rows()).add(deadLetter);
    }

    Optional<String> in(TopicPartition row, long upTo) {
      scan.now();
      synchronized (this) {
        Rows rows = rejected.get(row);
        if (rows == null) {
          return Optional.empty();
        }
        rows.searchTo(row, upTo);
        if (rows.byKey.isEmpty()) {
          rejected.remove(row);
        }
        return rows.byKey.values().stream()
            .findFirst()
            .map(
                deadLetter ->
                    "the sink could not apply the row at %s-%d@%d: %s"
                        .formatted(
                            row.topic(),
                            row.partition(),
                            deadLetter.offset(),
                            deadLetter.reason()));
      }
    }
  }

  /** Rejected rows of one partition, each until a later record of the same key was applied. */
  private final class Rows {
    private final Map<ByteBuffer, RejectedRecord> byKey = new HashMap<>();
    private long searched = Long.MAX_VALUE;

    void add(RejectedRecord deadLetter) {
      if (byKey.size() >= MAX_KEPT && !byKey.containsKey(deadLetter.key())) {
        return;
      }
      byKey.merge(
          deadLetter.key(),
          deadLetter,
          (one, other) -> one.offset() > other.offset() ? one : other);
      searched = Math.min(searched, deadLetter.offset() + 1);
    }

    void searchTo(TopicPartition row, long upTo) {
      if (searched >= upTo) {
        return;
      }
      searched =
          positions.keys(
              row,
              searched,
              upTo,
              (key, offset) ->
                  byKey.computeIfPresent(
                      key, (k, deadLetter) -> deadLetter.offset() < offset ? null : deadLetter));
      if (searched < upTo && !byKey.isEmpty()) {
        throw new TimeoutException(
            "%s was read to offset %d of %d in time, to see whether rows that the sink could not apply have come again"
                .formatted(row, searched, upTo));
      }
    }
  }
}
