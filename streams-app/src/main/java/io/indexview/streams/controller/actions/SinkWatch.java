package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.streams.config.TargetConfig;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/** Does {@link Action.Watch}. */
final class SinkWatch implements Activity {
  private static final Duration PAUSE = Duration.ofSeconds(1);

  private final PublishedGeneration published;
  private final SinkPositions pulse;
  private final DeadLetterReader deadLetters;
  private final SinkRetention retention;
  private final FreshnessWatch freshness;
  private boolean fellBehind;

  SinkWatch(
      Action.Watched watched,
      ActionContext context,
      SinkPositions pulse,
      DeadLetterReader deadLetters,
      FreshnessWatch freshness) {
    this.published = watched.published();
    this.pulse = pulse;
    this.deadLetters = deadLetters;
    this.freshness = freshness;
    this.retention =
        new SinkRetention(published.viewTopic(), context.sinkGroup(watched.target()), context);
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    followDeadLetters(found);
    checkRetention(found);
    return new Again(PAUSE, "");
  }

  private void followDeadLetters(Consumer<Finding> found) {
    boolean searches = !deadLetters.rejected().isEmpty();
    SinkPositions.Beat beat = pulse.beat(searches);
    if (deadLetters.readTo(beat.deadLetters(), found)) {
      if (searches) {
        deadLetters.rejected().searchTo(beat.taken(), found);
      }
      freshness.deadLettersRead(published.key(), beat.atMs(), found);
    }
  }

  private void checkRetention(Consumer<Finding> found) {
    if (fellBehind) {
      return;
    }
    retention
        .missed()
        .ifPresent(
            reason -> {
              fellBehind = true;
              found.accept(
                  new Finding.ChangesMissed(published.view(), published.generation(), reason));
            });
  }

  /**
   * Tells whether a sink may have missed deletions of one view topic because it is too far behind.
   * What is kept is kept long, so a check, which takes reading of every partition where the sink is
   * behind, is taken some hundred times while a deletion is kept, and no more. For one thread.
   */
  static final class SinkRetention {
    private static final Duration MIN_PAUSE = Duration.ofSeconds(10);
    private static final Duration MAX_PAUSE = Duration.ofMinutes(10);
    private static final int SCANS_WHILE_KEPT = 100;

    private final String viewTopic;
    private final String group;
    private final ActionContext context;
    private Instant checked = Instant.MAX;
    private Instant due = Instant.MIN;

    /**
     * @param group consumer group of the sink
     */
    SinkRetention(String viewTopic, String group, ActionContext context) {
      this.viewTopic = viewTopic;
      this.group = group;
      this.context = context;
    }

    /** Why the group may have missed deletions of the topic; empty: not that it is known. */
    Optional<String> missed() {
      Instant now = context.time().instant();
      if (now.isBefore(due) && !now.isBefore(checked)) {
        return Optional.empty();
      }
      Map<TopicPartition, Long> ends = context.ends(viewTopic);
      Duration kept = ends.isEmpty() ? Duration.ZERO : context.cluster().deleteRetention(viewTopic);
      checked = now;
      due = now.plus(pause(kept));
      return ends.isEmpty()
          ? Optional.empty()
          : cutOff().or(() -> waitsTooLong(ends, kept, now.minus(kept)));
    }

    static Duration pause(Duration kept) {
      Duration pause = kept.dividedBy(SCANS_WHILE_KEPT);
      if (pause.compareTo(MIN_PAUSE) < 0) {
        return MIN_PAUSE;
      }
      return pause.compareTo(MAX_PAUSE) > 0 ? MAX_PAUSE : pause;
    }

    private Optional<String> cutOff() {
      Map<TopicPartition, Long> starts = context.log().starts(viewTopic);
      Map<TopicPartition, Long> committed = context.log().committed(group);
      return starts.entrySet().stream()
          .filter(start -> committed.getOrDefault(start.getKey(), 0L) < start.getValue())
          .findFirst()
          .map(
              start ->
                  "consumer group %s is at offset %d of %s, which begins at %d"
                      .formatted(
                          group,
                          committed.getOrDefault(start.getKey(), 0L),
                          start.getKey(),
                          start.getValue()));
    }

    private Optional<String> waitsTooLong(
        Map<TopicPartition, Long> ends, Duration kept, Instant oldest) {
      return context.log().oldestBehind(group, ends).entrySet().stream()
          .filter(first -> Instant.ofEpochMilli(first.getValue()).isBefore(oldest))
          .findFirst()
          .map(
              first ->
                  "consumer group %s has not applied a row of %s since %s; deletions are kept for %s only"
                      .formatted(
                          group, first.getKey(), Instant.ofEpochMilli(first.getValue()), kept));
    }
  }

  /**
   * How far the sink of a target is, asked once for all who watch it: one question per target in a
   * round of watches, however many views there are, and one more, which grows with their
   * partitions, only while rows are rejected. For one thread.
   */
  static final class SinkPositions {
    private static final Duration FRESH = Duration.ofMillis(500);

    private final TargetConfig target;
    private final ActionContext context;
    private Beat last;
    private boolean knowsTaken;
    private Instant asked = Instant.MAX;
    private Instant stale = Instant.MIN;

    public SinkPositions(TargetConfig target, ActionContext context) {
      this.target = target;
      this.context = context;
    }

    /**
     * @param atMs when it was asked, ms since the epoch
     * @param taken the offsets that the sink has committed; none: nobody wanted to know
     * @param deadLetters the ends of its dead-letter topic, asked after that: every dead letter of
     *     a record that it has taken lies before them
     */
    record Beat(
        long atMs, Map<TopicPartition, Long> taken, Map<TopicPartition, Long> deadLetters) {}

    /**
     * @param withTaken whether what the sink has committed is wanted, too
     */
    Beat beat(boolean withTaken) {
      Instant now = context.time().instant();
      if (!now.isBefore(stale) || now.isBefore(asked) || withTaken && !knowsTaken) {
        Map<TopicPartition, Long> taken =
            withTaken ? context.log().committed(target.sinkGroup()) : Map.of();
        last = new Beat(now.toEpochMilli(), taken, context.ends(target.deadLetterTopic()));
        knowsTaken = withTaken;
        asked = now;
        stale = now.plus(FRESH);
      }
      return last;
    }
  }
}
