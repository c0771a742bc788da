package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.CompleteLook;
import io.indexview.schemas.control.EventsLost;
import io.indexview.streams.config.Completeness;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Watches whether events of the record sets are lost before the application reads them, or a source
 * says that what it published may be wrong, and whether sources made up for it by publishing
 * everything again. Nobody asks for it: it begins before the application derives and goes on as
 * long as it runs.
 */
public final class RecordSetWatch implements Activity {
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final ActionContext context;
  private final Set<String> lost = new HashSet<>();
  private final Map<String, Long> needed = new HashMap<>();
  private final Map<String, Long> whole = new HashMap<>();

  public RecordSetWatch(ActionContext context) {
    this.context = context;
  }

  @Override
  public Progress advance(Consumer<Finding> found) {
    Map<TopicPartition, Long> committed = committed();
    for (RecordSetConfig recordSet : context.config().recordSets()) {
      Optional<CompleteLook> forced = forced(recordSet);
      checkLost(recordSet, behind(recordSet, forced, committed, false), found);
      checkNeeded(recordSet, found);
      forced.ifPresent(look -> checkWhole(recordSet, look, found));
    }
    return new Again(PAUSE, "");
  }

  /**
   * What was lost while the application did not run. To be asked before it derives: a consumer
   * whose next record is gone goes on behind the gap.
   */
  public List<EventsLost> lostAtStart() {
    Map<TopicPartition, Long> committed = committed();
    List<EventsLost> found = new ArrayList<>();
    for (RecordSetConfig recordSet : context.config().recordSets()) {
      Set<Integer> behind = behind(recordSet, forced(recordSet), committed, true);
      if (!behind.isEmpty() && !isAllThere(recordSet, committed)) {
        found.add(
            new EventsLost(recordSet.name(), context.clock().millis(), reason(recordSet, behind)));
      }
    }
    return found;
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
      RecordSetConfig recordSet,
      Optional<CompleteLook> forced,
      Map<TopicPartition, Long> committed,
      boolean starting) {
    Map<TopicPartition, Long> again = forced.map(CompleteLook::begins).orElse(Map.of());
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
  private boolean isAllThere(RecordSetConfig recordSet, Map<TopicPartition, Long> committed) {
    return recordSet.completeness() == Completeness.TOPIC
        && committed.keySet().stream().noneMatch(p -> p.topic().equals(recordSet.topic()))
        && context.cluster().partitions(context.config().changelogTopic(recordSet)).isEmpty();
  }

  private Optional<CompleteLook> forced(RecordSetConfig recordSet) {
    String topic = recordSet.topic();
    return context.sources(topic).publishedAgain(context.cluster().topicId(topic), 0).complete();
  }

  private void checkLost(
      RecordSetConfig recordSet, Set<Integer> partitions, Consumer<Finding> found) {
    if (partitions.isEmpty()) {
      lost.remove(recordSet.name());
    } else if (lost.add(recordSet.name())) {
      found.accept(
          new Finding.RecordSetBroken(
              recordSet.name(), context.clock().millis(), reason(recordSet, partitions)));
    }
  }

  private void checkNeeded(RecordSetConfig recordSet, Consumer<Finding> found) {
    context
        .sources(recordSet.topic())
        .snapshotNeeded()
        .filter(
            need -> !Objects.equals(needed.put(recordSet.name(), need.sinceMs()), need.sinceMs()))
        .ifPresent(
            need ->
                found.accept(
                    new Finding.RecordSetBroken(recordSet.name(), need.sinceMs(), need.reason())));
  }

  private static String reason(RecordSetConfig recordSet, Set<Integer> partitions) {
    return "partitions %s of topic %s were trimmed past what the application had read, so events are lost; let the source publish every record again (rebuild with a resnapshot), and keep the topic longer"
        .formatted(partitions, recordSet.topic());
  }

  private void checkWhole(RecordSetConfig recordSet, CompleteLook look, Consumer<Finding> found) {
    long startedAt = look.startedAtMs();
    if (whole.getOrDefault(recordSet.name(), Long.MIN_VALUE) < startedAt
        && AdHocSnapshot.waitsFor(look, recordSet, context).isEmpty()) {
      whole.put(recordSet.name(), startedAt);
      found.accept(new Finding.RecordSetWhole(recordSet.name(), startedAt));
    }
  }
}
