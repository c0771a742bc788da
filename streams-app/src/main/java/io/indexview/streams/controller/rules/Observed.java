package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.TaskProgress.Phase;
import io.indexview.schemas.control.ViewState;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * What is known of a view beside its state: the newest of what tasks and watches tell. It is read
 * again after a restart.
 *
 * @param tasks newest report of each partition, by generation
 * @param lost why events are missing, by record set
 * @param forgotten record sets of which the app lost its state, and not every record came again
 * @param hindered what may make records wrong for as long as it stands, by record set
 * @param freshness of the rows of one generation
 */
public record Observed(
    Map<Integer, Map<Integer, TaskProgress>> tasks,
    Map<String, String> lost,
    Set<String> forgotten,
    Map<String, String> hindered,
    Freshness freshness) {

  /**
   * @param generation 0: of none
   */
  public record Freshness(int generation, ViewState.Freshness proven) {
    public static final Freshness UNKNOWN = new Freshness(0, ViewState.Freshness.UNKNOWN);

    /** What is known after a proof, which may be of another generation. */
    public Freshness after(Finding.FreshnessProven proof) {
      OptionalLong before =
          generation == proof.generation() ? proven.visibleBeforeMs() : OptionalLong.empty();
      return new Freshness(
          proof.generation(),
          new ViewState.Freshness(
              proof.visibleBeforeMs().isPresent() ? proof.visibleBeforeMs() : before,
              Reasons.bounded(proof.heldBackBy())));
    }
  }

  /**
   * The reports of a generation, by rising partition. Reports of other record sets, or of
   * partitions that there are not, count for nothing.
   */
  Map<Integer, TaskProgress> tasks(ControlledGeneration generation) {
    Map<Integer, TaskProgress> found =
        new TreeMap<>(tasks.getOrDefault(generation.number(), Map.of()));
    found
        .values()
        .removeIf(
            report ->
                !report.recordSet().equals(generation.published().recordSet())
                    || report.partition() < 0
                    || report.partition() >= generation.partitions());
    return found;
  }

  /** Whether the newest report of every partition is of the phase. */
  boolean all(ControlledGeneration generation, Phase phase) {
    Map<Integer, TaskProgress> reports = tasks(generation);
    return IntStream.range(0, generation.partitions())
        .allMatch(
            partition -> reports.containsKey(partition) && reports.get(partition).phase() == phase);
  }

  /** A task that cannot write the generation; of several, that of the lowest partition. */
  Optional<TaskProgress> anyFailed(ControlledGeneration generation) {
    return tasks(generation).values().stream()
        .filter(task -> task.phase() == Phase.FAILED)
        .findFirst();
  }

  /** What a task says of the generation; of several, that of the lowest partition. */
  String taskReason(ControlledGeneration generation) {
    return tasks(generation).values().stream()
        .map(TaskProgress::reason)
        .filter(reason -> !reason.isEmpty())
        .findFirst()
        .orElse("");
  }
}
