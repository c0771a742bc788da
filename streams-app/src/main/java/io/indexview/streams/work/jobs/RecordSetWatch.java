package io.indexview.streams.work.jobs;

import io.indexview.schemas.control.CompleteLook;
import io.indexview.streams.config.Completeness;
import io.indexview.streams.config.RecordSetConfig;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Job;
import io.indexview.streams.work.Look;
import io.indexview.streams.work.Surroundings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Watches whether events of the record sets are lost before the application reads them, and whether
 * sources made up for it by publishing everything again. Nobody asks for it: it begins before the
 * application derives and goes on as long as it runs.
 */
public final class RecordSetWatch implements Job {
  private static final Duration PAUSE = Duration.ofSeconds(3);

  private final Surroundings around;
  private final Set<String> lost = new HashSet<>();
  private final Map<String, Long> whole = new HashMap<>();

  public RecordSetWatch(Surroundings around) {
    this.around = around;
  }

  @Override
  public Look look(Consumer<WorkResult> told) {
    Map<TopicPartition, Long> committed = committed();
    for (RecordSetConfig recordSet : around.config().recordSets()) {
      Optional<CompleteLook> forced = forced(recordSet);
      tellLost(recordSet, behind(recordSet, forced, committed, false), told);
      forced.ifPresent(look -> tellWhole(recordSet, look, told));
    }
    return new Look.Again(PAUSE, "");
  }

  /**
   * What was lost while the application did not run. To be asked before it derives: a consumer
   * whose next record is gone goes on behind the gap.
   */
  public List<WorkResult> lostAtStart() {
    Map<TopicPartition, Long> committed = committed();
    List<WorkResult> told = new ArrayList<>();
    for (RecordSetConfig recordSet : around.config().recordSets()) {
      Set<Integer> behind = behind(recordSet, forced(recordSet), committed, true);
      if (!behind.isEmpty() && !isAllThere(recordSet, committed)) {
        tellLost(recordSet, behind, told::add);
      }
    }
    return told;
  }

  private Map<TopicPartition, Long> committed() {
    return around.positions().committed(around.config().applicationId());
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
    around
        .positions()
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
        && around.cluster().partitions(around.config().changelogTopic(recordSet)).isEmpty();
  }

  private Optional<CompleteLook> forced(RecordSetConfig recordSet) {
    String topic = recordSet.topic();
    return around.sources(topic).publishedAgain(around.cluster().topicId(topic), 0).complete();
  }

  private void tellLost(
      RecordSetConfig recordSet, Set<Integer> partitions, Consumer<WorkResult> told) {
    if (partitions.isEmpty()) {
      lost.remove(recordSet.name());
    } else if (lost.add(recordSet.name())) {
      told.accept(
          new WorkResult.RecordSetBroken(
              recordSet.name(),
              around.clock().millis(),
              "partitions %s of topic %s were trimmed past what the application had read, so events are lost; let the source publish every record again (rebuild with a resnapshot), and keep the topic longer"
                  .formatted(partitions, recordSet.topic())));
    }
  }

  private void tellWhole(RecordSetConfig recordSet, CompleteLook look, Consumer<WorkResult> told) {
    long startedAt = look.startedAtMs();
    if (whole.getOrDefault(recordSet.name(), Long.MIN_VALUE) < startedAt
        && new ResnapshotEnd(around, recordSet).waitsFor(look).isEmpty()) {
      whole.put(recordSet.name(), startedAt);
      told.accept(new WorkResult.RecordSetWhole(recordSet.name(), startedAt));
    }
  }
}
