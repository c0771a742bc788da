package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ReasonText;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.Faults.WrongRows;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Why a view is not READY, or not what was asked last, in words for people. */
final class Reasons {
  private static final int MAX_LENGTH = 500;

  private Reasons() {}

  /**
   * Bounds a text that comes from outside, since it is kept and published many times. Exceptions
   * may have none; an empty one would say that nothing is wrong.
   */
  static String bounded(String text) {
    return text == null ? "no reason is given" : ReasonText.bounded(text, MAX_LENGTH);
  }

  /** What a reason is about; that alone tells a new reason from a new wording. */
  enum Kind {
    REFUSED,
    EVENTS_LOST,
    HINDERED,
    UNREPORTED,
    NOT_WRITTEN,
    UNDERIVABLE,
    REJECTED,
    ROWS_WRONG,
    CHANGES_MISSED,
    SCHEMA,
    HELD_BACK,
    WAITING
  }

  record Reason(Kind kind, String text) {}

  /** What makes the rows of a generation wrong or incomplete. */
  static List<Reason> faults(ControlledGeneration generation, Observed observed) {
    // A repair waits until readers are shown that there are wrong rows: nothing may cut that off.
    List<Reason> found = new ArrayList<>(wrongRows(generation));
    String recordSet = generation.published().recordSet();
    if (observed.lost().containsKey(recordSet)) {
      found.add(
          new Reason(
              Kind.EVENTS_LOST,
              "events of record set %s are lost until every record is published again (rebuild with an ad-hoc snapshot; where no source answers for the topic, publish all records again and tell: sources published-again %s): %s"
                  .formatted(recordSet, recordSet, observed.lost().get(recordSet))));
    }
    if (observed.hindered().containsKey(recordSet)) {
      found.add(
          new Reason(
              Kind.HINDERED,
              "record set %s may be wrong: %s"
                  .formatted(recordSet, observed.hindered().get(recordSet))));
    }
    unreported(generation, observed).ifPresent(found::add);
    found.addAll(ownFaults(generation, observed));
    return found;
  }

  /** What tasks reported before may be lost; what it said of wrong rows would be, too. */
  private static Optional<Reason> unreported(ControlledGeneration serving, Observed observed) {
    if (serving.stage() != Stage.SERVING) {
      return Optional.empty();
    }
    Set<Integer> reported = observed.tasks(serving).keySet();
    String missing = partitions(serving, partition -> !reported.contains(partition));
    return missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Reason(
                Kind.UNREPORTED,
                "the tasks of partitions %s have not reported how their rows are since view-progress was lost (they do once the app runs them)"
                    .formatted(missing)));
  }

  private static String partitions(ControlledGeneration generation, IntPredicate which) {
    return IntStream.range(0, generation.partitions())
        .filter(which)
        .mapToObj(Integer::toString)
        .collect(Collectors.joining(", "));
  }

  /** While nothing hinders them, tasks stop within seconds. */
  private static Optional<Reason> notStopped(ControlledGeneration stopping, Observed observed) {
    String hindrance = observed.hindered().get(stopping.published().recordSet());
    Map<Integer, TaskProgress> reports = observed.tasks(stopping);
    String missing =
        partitions(
            stopping,
            partition ->
                !reports.containsKey(partition)
                    || reports.get(partition).phase() != TaskProgress.Phase.STOPPED);
    return hindrance == null || missing.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new Reason(
                Kind.WAITING,
                "waiting for the tasks of partitions %s of record set %s to stop writing generation %d, which this may hinder: %s"
                    .formatted(
                        missing, stopping.published().recordSet(), stopping.number(), hindrance)));
  }

  /**
   * Faults of a generation beside another one: without those of a record set that both read, which
   * do not set the one below the other.
   */
  static List<Reason> faultsBeside(
      ControlledGeneration other, ControlledGeneration generation, Observed observed) {
    return other.published().recordSet().equals(generation.published().recordSet())
        ? Stream.concat(wrongRows(generation).stream(), ownFaults(generation, observed).stream())
            .toList()
        : faults(generation, observed);
  }

  private static List<Reason> wrongRows(ControlledGeneration generation) {
    WrongRows wrong = generation.faults().wrong();
    return wrong.rows() == 0
        ? List.of()
        : List.of(
            new Reason(
                Kind.ROWS_WRONG,
                "%d rows are wrong, found by verification %s (views verify %s --repair, or rebuild the view)"
                    .formatted(wrong.rows(), wrong.verification(), generation.published().view())));
  }

  private static List<Reason> ownFaults(ControlledGeneration generation, Observed observed) {
    List<Reason> found = new ArrayList<>();
    observed
        .anyFailed(generation)
        .ifPresent(
            task ->
                found.add(
                    new Reason(
                        Kind.NOT_WRITTEN,
                        "partition %d of the rows is not kept up to date (end the cause and rebuild the view): %s"
                            .formatted(task.partition(), bounded(task.reason())))));
    long failed =
        observed.tasks(generation).values().stream().mapToLong(TaskProgress::failedRecords).sum();
    if (failed > 0) {
      found.add(
          new Reason(
              Kind.UNDERIVABLE,
              "%d records have no rows, or those of before, until a usable version of them comes (correct them, or the view)%s"
                  .formatted(failed, forOne(bounded(observed.taskReason(generation))))));
    }
    found.addAll(rejected(generation.faults()));
    if (!generation.faults().missedChanges().isEmpty()) {
      found.add(
          new Reason(
              Kind.CHANGES_MISSED,
              "changes of rows were missed (rebuild the view): "
                  + generation.faults().missedChanges()));
    }
    if (!generation.faults().schema().isEmpty()) {
      found.add(
          new Reason(
              Kind.SCHEMA,
              "records are written that the view cannot read (change the record schema back, or the"
                  + " view): "
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
                    "the sink rejected %d rows until later ones replace them (correct the cause and rebuild the view)%s"
                        .formatted(faults.rejected().size(), forOne(bounded(row.reason())))))
        .toList();
  }

  private static String forOne(String reason) {
    return reason.isEmpty() ? "" : "; for one: " + reason;
  }

  /** All reasons of a view's state; a refusal comes first. */
  static List<Reason> of(ControlledView view, Observed observed) {
    List<Reason> all = new ArrayList<>();
    if (!view.refusal.isEmpty()) {
      all.add(new Reason(Kind.REFUSED, ViewState.REFUSED + view.refusal));
    }
    Optional<ControlledGeneration> serving = view.serving();
    serving.ifPresent(generation -> all.addAll(faults(generation, observed)));
    view.at(Stage.PREPARED, Stage.BUILDING, Stage.STANDBY)
        .filter(generation -> generation.number() == view.goal)
        .forEach(goal -> all.addAll(ofGoal(goal, observed, serving)));
    view.at(Stage.STOPPING).forEach(stopping -> notStopped(stopping, observed).ifPresent(all::add));
    if (view.deletion != null && view.spec != null) {
      all.add(
          new Reason(
              Kind.WAITING,
              "the new definition waits until the rows and topics of the view that was dropped are removed"));
    }
    if (view.isHeldUp()) {
      all.add(
          new Reason(
              Kind.WAITING,
              "what was asked last waits until some of generations %s are gone, as the record of the view would become too large: see that the sink of target %s runs, which has to remove their rows, or wait until their grace is over"
                  .formatted(
                      view.generations.stream()
                          .map(generation -> Integer.toString(generation.number()))
                          .collect(Collectors.joining(", ")),
                      view.placement.target())));
    }
    if (view.snapshot != null && !view.snapshot.done()) {
      all.add(
          new Reason(
              Kind.WAITING,
              "the sources of record set %s are asked to publish every record again"
                  .formatted(view.snapshot.recordSet())));
    }
    new TreeMap<>(view.waiting)
        .values().stream()
            .filter(reason -> !reason.isEmpty())
            .distinct()
            .forEach(reason -> all.add(new Reason(Kind.WAITING, "waiting for " + reason)));
    return all;
  }

  private static List<Reason> ofGoal(
      ControlledGeneration goal, Observed observed, Optional<ControlledGeneration> serving) {
    if (goal.stage() == Stage.PREPARED) {
      return List.of(
          new Reason(
              Kind.WAITING,
              "generation %d waits until the one before it is no longer written"
                  .formatted(goal.number())));
    }
    String prefix =
        serving.isPresent() ? "generation %d is held back: ".formatted(goal.number()) : "";
    List<Reason> reasons = new ArrayList<>();
    List<Reason> faults =
        serving
            .map(other -> faultsBeside(other, goal, observed))
            .orElseGet(() -> faults(goal, observed));
    for (Reason fault : faults) {
      reasons.add(new Reason(Kind.HELD_BACK, prefix + fault.text()));
    }
    if (reasons.isEmpty() && !observed.taskReason(goal).isEmpty()) {
      reasons.add(new Reason(Kind.WAITING, bounded(observed.taskReason(goal))));
    }
    return reasons;
  }
}
