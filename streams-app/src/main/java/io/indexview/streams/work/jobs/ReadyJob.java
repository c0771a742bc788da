package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TopicSources;
import io.indexview.streams.config.Completeness;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import io.indexview.streams.work.watch.Letters;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Does {@link Work.CheckReady}: one condition after the other, since each has to hold when the ends
 * that the next one is about are taken.
 */
final class ReadyJob implements Job {
  private final Work.CheckReady work;
  private final PublishedGeneration published;
  private final Surroundings around;
  private final Letters letters;
  private Map<TopicPartition, Long> present;
  private Map<TopicPartition, Long> complete;
  private Map<TopicPartition, Long> rows;
  private Map<TopicPartition, Long> deadLetters;

  ReadyJob(Work.CheckReady work, Surroundings around, Letters letters) {
    this.work = work;
    this.published = work.watched().published();
    this.around = around;
    this.letters = letters;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    Optional<String> recordSet = isTakenIn();
    if (recordSet.isPresent()) {
      return Look.waiting(recordSet.get());
    }
    String target = work.watched().target();
    if (rows == null) {
      rows = around.positions().ends(published.viewTopic());
    }
    if (deadLetters == null) {
      if (!around.isApplied(target, rows)) {
        return Look.waiting(
            "consumer group %s, the sink of target %s, to apply topic %s"
                .formatted(around.sinkGroup(target), target, published.viewTopic()));
      }
      deadLetters = around.ends(around.config().target(target).deadLetterTopic());
    }
    return letters.readTo(deadLetters, told)
        ? Look.answered(WorkResult.Done.of(work))
        : Look.waiting("");
  }

  /** What is missing until the app has taken in a complete record set; empty: nothing. */
  private Optional<String> isTakenIn() {
    if (rows != null) {
      return Optional.empty();
    }
    if (present == null) {
      present = around.positions().ends(published.sourceTopic());
    }
    if (complete == null) {
      String missing = complete();
      if (!missing.isEmpty()) {
        return Optional.of(
            "record set %s to be complete: %s".formatted(published.recordSet(), missing));
      }
    }
    return around.positions().hasPassed(around.config().applicationId(), complete)
        ? Optional.empty()
        : Optional.of("the application to take in topic " + published.sourceTopic());
  }

  /** Learns where the record set is complete; returns why it cannot, empty if it could. */
  private String complete() {
    boolean bySources =
        around
            .config()
            .recordSet(published.recordSet())
            .map(RecordSetConfig::completeness)
            .filter(Completeness.SOURCE_STATES::equals)
            .isPresent();
    if (!bySources) {
      complete = present;
      return "";
    }
    String topic = published.sourceTopic();
    TopicSources.Answer answer = around.sources(topic).looked(around.cluster().topicId(topic));
    answer.complete().ifPresent(look -> complete = later(present, look.ends()));
    return answer.missing();
  }

  private static Map<TopicPartition, Long> later(
      Map<TopicPartition, Long> left, Map<TopicPartition, Long> right) {
    Map<TopicPartition, Long> later = new HashMap<>(left);
    right.forEach((partition, offset) -> later.merge(partition, offset, Math::max));
    return later;
  }
}
