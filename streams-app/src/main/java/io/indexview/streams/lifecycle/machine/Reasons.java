package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.lifecycle.view.Faults;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.streams.lifecycle.work.RejectedRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Why a view is not READY, or not what was wished last, in words for people. */
final class Reasons {
  private Reasons() {}

  /** What a reason is about; that alone tells a new reason from a new wording. */
  enum Kind {
    REFUSED,
    EVENTS_LOST,
    NOT_WRITTEN,
    UNDERIVABLE,
    REJECTED,
    SINK_BEHIND,
    SCHEMA,
    HELD_BACK,
    WAITING
  }

  record Reason(Kind kind, String text) {}

  /**
   * What makes the rows of a generation wrong or incomplete.
   *
   * @param broken why, by record set, events are missing
   */
  static List<Reason> faults(GenerationLife generation, Map<String, String> broken) {
    List<Reason> found = new ArrayList<>();
    String recordSet = generation.published().recordSet();
    if (broken.containsKey(recordSet)) {
      found.add(
          new Reason(
              Kind.EVENTS_LOST,
              "events of record set %s are lost until its sources publish every record again (rebuild with a resnapshot): %s"
                  .formatted(recordSet, broken.get(recordSet))));
    }
    generation
        .anyFailed()
        .ifPresent(
            task ->
                found.add(
                    new Reason(
                        Kind.NOT_WRITTEN,
                        "partition %d of the rows is not kept up to date: %s"
                            .formatted(task.partition(), task.reason()))));
    long failed = generation.failedRecords();
    if (failed > 0) {
      found.add(
          new Reason(
              Kind.UNDERIVABLE,
              "%d records have no rows until a usable version of them comes%s"
                  .formatted(failed, forOne(taskReason(generation)))));
    }
    found.addAll(rejected(generation.faults()));
    if (!generation.faults().fellBehind().isEmpty()) {
      found.add(
          new Reason(
              Kind.SINK_BEHIND,
              "the sink missed deletions of rows (rebuild the view): "
                  + generation.faults().fellBehind()));
    }
    if (!generation.faults().schema().isEmpty()) {
      found.add(
          new Reason(
              Kind.SCHEMA,
              "records are written that the view cannot read (change the record schema back, or the view): "
                  + generation.faults().schema()));
    }
    return found;
  }

  private static List<Reason> rejected(Faults faults) {
    if (faults.tooMany()) {
      return List.of(
          new Reason(
              Kind.REJECTED,
              "the sink rejected more than %d rows (correct the cause and rebuild the view)"
                  .formatted(Faults.MAX_ROWS)));
    }
    Optional<RejectedRow> one = new TreeMap<>(faults.rejected()).values().stream().findFirst();
    return one.stream()
        .map(
            row ->
                new Reason(
                    Kind.REJECTED,
                    "the sink rejected %d rows until later ones replace them%s"
                        .formatted(faults.rejected().size(), forOne(row.reason()))))
        .toList();
  }

  private static String forOne(String reason) {
    return reason.isEmpty() ? "" : "; for one: " + reason;
  }

  private static String taskReason(GenerationLife generation) {
    return new TreeMap<>(generation.tasks())
        .values().stream()
            .map(TaskProgress::reason)
            .filter(reason -> !reason.isEmpty())
            .findFirst()
            .orElse("");
  }

  /** Everything that is to be said of a view. */
  static List<Reason> of(ViewLife life) {
    List<Reason> all = new ArrayList<>();
    if (!life.refusal().isEmpty()) {
      all.add(new Reason(Kind.REFUSED, "the newest definition is refused: " + life.refusal()));
    }
    Optional<GenerationLife> serving = at(life, Stage.SERVING).findFirst();
    serving.ifPresent(generation -> all.addAll(faults(generation, life.broken())));
    at(life, Stage.PREPARED, Stage.BUILDING, Stage.STANDBY)
        .filter(generation -> generation.number() == life.goal())
        .forEach(goal -> all.addAll(ofGoal(life, goal, serving.isPresent())));
    if (life.deletion() != null && life.wish() != null) {
      all.add(
          new Reason(Kind.WAITING, "the new definition waits until the old view is taken away"));
    }
    if (life.resnapshot() != null && !life.resnapshot().done()) {
      all.add(
          new Reason(
              Kind.WAITING,
              "the sources of record set %s are asked to publish every record again"
                  .formatted(life.resnapshot().recordSet())));
    }
    new TreeMap<>(life.waiting())
        .values().stream()
            .filter(reason -> !reason.isEmpty())
            .distinct()
            .forEach(reason -> all.add(new Reason(Kind.WAITING, "waiting for " + reason)));
    return all;
  }

  private static List<Reason> ofGoal(ViewLife life, GenerationLife goal, boolean serves) {
    if (goal.stage() == Stage.PREPARED) {
      return List.of(
          new Reason(
              Kind.WAITING,
              "generation %d waits until the one before it is written no more"
                  .formatted(goal.number())));
    }
    String prefix = serves ? "generation %d is held back: ".formatted(goal.number()) : "";
    List<Reason> reasons = new ArrayList<>();
    for (Reason fault : faults(goal, life.broken())) {
      reasons.add(new Reason(Kind.HELD_BACK, prefix + fault.text()));
    }
    if (reasons.isEmpty() && !taskReason(goal).isEmpty()) {
      reasons.add(new Reason(Kind.WAITING, taskReason(goal)));
    }
    return reasons;
  }

  private static Stream<GenerationLife> at(ViewLife life, Stage... stages) {
    return life.generations().stream()
        .filter(generation -> List.of(stages).contains(generation.stage()));
  }
}
