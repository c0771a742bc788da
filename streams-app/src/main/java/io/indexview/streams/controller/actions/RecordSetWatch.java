package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.CompleteScan;
import io.indexview.schemas.control.EventsLost;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.config.RecordSetConfig.Completeness;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/**
 * Watches whether events of a record set are lost before the application reads them, or a source
 * says that what it published may be wrong, and whether sources made up for it by publishing
 * everything again. Nobody asks for it: it begins before the application derives and goes on as
 * long as it runs.
 */
public final class RecordSetWatch implements Activity {
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final ActionContext context;
  private final RecordSetConfig recordSet;
  private boolean lost;
  private long neededSinceMs = Long.MIN_VALUE;
  private long wholeAtMs = Long.MIN_VALUE;

  private RecordSetWatch(ActionContext context, RecordSetConfig recordSet) {
    this.context = context;
    this.recordSet = recordSet;
  }

  /** One for each record set: one whose topic cannot be read must not hold up the others. */
  public static List<RecordSetWatch> all(ActionContext context) {
    return context.config().recordSets().stream()
        .map(recordSet -> new RecordSetWatch(context, recordSet))
        .toList();
  }

  /**
   * Tells what was lost while the application did not run. To be called before it derives: a
   * consumer whose next record is gone goes on behind the gap.
   *
   * @throws RetriableException if a record set could not be asked; those of the others are told
   */
  public static void tellLostAtStart(ActionContext context, Consumer<EventsLost> told) {
    List<RetriableException> failures = new ArrayList<>();
    for (RecordSetWatch watch : all(context)) {
      try {
        watch.lostAtStart().ifPresent(told);
      } catch (RetriableException e) {
        failures.add(e);
      }
    }
    if (!failures.isEmpty()) {
      RetriableException first = failures.remove(0);
      failures.forEach(first::addSuppressed);
      throw first;
    }
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Optional<CompleteScan> forced = forced();
    checkLost(behind(forced, committed(), false), found);
    checkNeeded(found);
    forced.ifPresent(scan -> checkWhole(scan, found));
    return new Again(PAUSE, "");
  }

  private Optional<EventsLost> lostAtStart() {
    Map<TopicPartition, Long> committed = committed();
    Set<Integer> behind = behind(forced(), committed, true);
    return behind.isEmpty() || isAllThere(committed)
        ? Optional.empty()
        : Optional.of(new EventsLost(recordSet.name(), context.clock().millis(), reason(behind)));
  }

  private Map<TopicPartition, Long> committed() {
    return context.log().committed(context.config().applicationId());
  }

  /**
   * The partitions that begin after what is to be read next, unless everything was published again
   * behind the gap: nobody commits anything past it where no event follows.
   *
   * @param forced when the sources last did
   * @param starting whether a partition without committed offset is read from its beginning
   */
  private Set<Integer> behind(
      Optional<CompleteScan> forced, Map<TopicPartition, Long> committed, boolean starting) {
    Map<TopicPartition, Long> again = forced.map(CompleteScan::begins).orElse(Map.of());
    Set<Integer> behind = new TreeSet<>();
    context
        .log()
        .starts(recordSet.topic())
        .forEach(
            (partition, start) -> {
              Long next =
                  starting ? committed.getOrDefault(partition, 0L) : committed.get(partition);
              if (next != null && next < start && again.getOrDefault(partition, 0L) < start) {
                behind.add(partition.partition());
              }
            });
    return behind;
  }

  /** Whether a new application finds everything: nobody says more of the topic than it holds. */
  private boolean isAllThere(Map<TopicPartition, Long> committed) {
    return recordSet.completeness() == Completeness.TOPIC
        && committed.keySet().stream().noneMatch(p -> p.topic().equals(recordSet.topic()))
        && context.cluster().partitions(context.config().changelogTopic(recordSet)).isEmpty();
  }

  private Optional<CompleteScan> forced() {
    String topic = recordSet.topic();
    return context.sources(topic).publishedAgain(context.cluster().topicId(topic), 0).complete();
  }

  private void checkLost(Set<Integer> partitions, Consumer<Finding> found) {
    if (!partitions.isEmpty() && !lost) {
      found.accept(
          new Finding.RecordSetBroken(
              recordSet.name(), context.clock().millis(), reason(partitions)));
    }
    lost = !partitions.isEmpty();
  }

  private void checkNeeded(Consumer<Finding> found) {
    context
        .sources(recordSet.topic())
        .snapshotNeeded()
        .filter(need -> need.sinceMs() != neededSinceMs)
        .ifPresent(
            need -> {
              neededSinceMs = need.sinceMs();
              found.accept(
                  new Finding.RecordSetBroken(recordSet.name(), need.sinceMs(), need.reason()));
            });
  }

  private String reason(Set<Integer> partitions) {
    return "partitions %s of topic %s were trimmed past what the application had read, so events are lost; let the source publish every record again (rebuild with an ad-hoc snapshot), and keep the topic longer"
        .formatted(partitions, recordSet.topic());
  }

  private void checkWhole(CompleteScan scan, Consumer<Finding> found) {
    long startedAt = scan.startedAtMs();
    if (wholeAtMs < startedAt && AdHocSnapshot.waitsFor(scan, recordSet, context).isEmpty()) {
      wholeAtMs = startedAt;
      found.accept(new Finding.RecordSetWhole(recordSet.name(), startedAt));
    }
  }
}
