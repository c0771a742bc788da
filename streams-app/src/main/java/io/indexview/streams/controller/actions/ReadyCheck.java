package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TopicSources;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.config.RecordSetConfig.Completeness;
import io.indexview.streams.config.RecordSetConfig.Encoding;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.TopicDescriptions;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Does {@link Action.CheckReady}: one condition after the other, since each has to hold when the
 * ends that the next one is about are taken.
 */
final class ReadyCheck implements Activity {
  private final Action.CheckReady action;
  private final PublishedGeneration published;
  private final ActionContext context;
  private final DebeziumSnapshot snapshot;
  private final DeadLetterReader deadLetterEnds;
  private Optional<String> sourceTopicId = Optional.empty();
  private Map<TopicPartition, Long> present;
  private Map<TopicPartition, Long> complete;
  private Map<TopicPartition, Long> rows;
  private Map<TopicPartition, Long> deadLetters;

  ReadyCheck(
      Action.CheckReady action,
      ActionContext context,
      DebeziumSnapshot snapshot,
      DeadLetterReader deadLetterEnds) {
    this.action = action;
    this.published = action.watched().published();
    this.context = context;
    this.snapshot = snapshot;
    this.deadLetterEnds = deadLetterEnds;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Optional<String> recordSet = isTakenIn();
    if (recordSet.isPresent()) {
      return Activity.waiting(recordSet.get());
    }
    String target = action.watched().target();
    // Asks anew where the ends of the rows are taken next.
    if (isAnotherTopic(rows == null ? context.cluster() : context.observed())) {
      return beginAgain();
    }
    if (rows == null) {
      rows = context.log().ends(published.viewTopic());
    }
    if (deadLetters == null) {
      if (!context.isApplied(target, rows)) {
        return context.waitingForSink(target, "apply topic " + published.viewTopic());
      }
      deadLetters = context.ends(context.config().target(target).deadLetterTopic());
    }
    if (!deadLetterEnds.readTo(deadLetters, found)) {
      return Activity.waiting("");
    }
    // No later round of this check would notice what this one did not.
    return isAnotherTopic(context.cluster())
        ? beginAgain()
        : Activity.answered(Finding.Done.of(action));
  }

  /**
   * Whether the view topic is gone, or was created anew without the generation's rows. Then the
   * watch of topics reports that the generation has to be built again.
   */
  private boolean isAnotherTopic(TopicDescriptions topics) {
    return !published.viewTopicId().isEmpty()
        && !topics.topicId(published.viewTopic()).equals(Optional.of(published.viewTopicId()));
  }

  private Progress beginAgain() {
    rows = null;
    deadLetters = null;
    return Activity.waiting("topic %s that was created for it".formatted(published.viewTopic()));
  }

  /** What is missing until the app has taken in a complete record set; empty: nothing. */
  private Optional<String> isTakenIn() {
    if (rows != null) {
      return Optional.empty();
    }
    Optional<String> id = context.observed().topicId(published.sourceTopic());
    if (present == null || !id.equals(sourceTopicId)) {
      sourceTopicId = id;
      complete = null;
      present = context.log().ends(published.sourceTopic());
    }
    if (complete == null) {
      String missing = complete();
      if (!missing.isEmpty()) {
        return Optional.of(
            "record set %s to be complete: %s".formatted(published.recordSet(), missing));
      }
    }
    return context.log().hasPassed(context.config().applicationId(), complete)
        ? Optional.empty()
        : Optional.of("the application to take in topic " + published.sourceTopic());
  }

  /** Learns where the record set is complete; returns why it cannot, empty if it could. */
  private String complete() {
    Completeness completeness =
        context
            .config()
            .recordSet(published.recordSet())
            .map(RecordSetConfig::completeness)
            .orElse(Completeness.TOPIC);
    return switch (completeness) {
      case SOURCE_STATES -> scanned();
      case TOPIC -> {
        complete = present;
        yield "";
      }
      case DEBEZIUM -> snapshotTaken();
    };
  }

  private String scanned() {
    String topic = published.sourceTopic();
    TopicSources.Answer answer = context.sources(topic).scanned(context.observed().topicId(topic));
    answer.complete().ifPresent(scan -> complete = later(present, scan.ends()));
    return answer.missing();
  }

  private String snapshotTaken() {
    Map<TopicPartition, Long> ends = context.log().ends(published.sourceTopic());
    Encoding encoding =
        context
            .config()
            .recordSet(published.recordSet())
            .map(RecordSetConfig::encoding)
            .orElse(Encoding.AVRO);
    String missing = snapshot.missing(published.sourceTopic(), encoding, ends);
    if (missing.isEmpty()) {
      complete = later(present, ends);
    }
    return missing;
  }

  private static Map<TopicPartition, Long> later(
      Map<TopicPartition, Long> left, Map<TopicPartition, Long> right) {
    Map<TopicPartition, Long> later = new HashMap<>(left);
    right.forEach((partition, offset) -> later.merge(partition, offset, Math::max));
    return later;
  }
}
