package io.indexview.streams.controller;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.RowsVerified;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.ControlEvent;
import io.indexview.streams.controller.rules.ControlEvent.ViewEvent;
import io.indexview.streams.controller.rules.ControlRecord;
import io.indexview.streams.controller.rules.ControlledView;
import io.indexview.streams.controller.rules.ControllerSettings;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Observed;
import io.indexview.streams.controller.rules.RecordSetLoss;
import io.indexview.streams.controller.rules.ViewRules;
import io.indexview.views.definition.ViewValidator;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.apache.kafka.common.Uuid;

/**
 * All views, with what is observed of them: takes in what was read and found, has the rules decide,
 * and keeps what is to be committed. Times are ms since the epoch. Not safe for use by several
 * threads.
 */
final class Reconciler {
  private final ViewRules rules;
  private final Map<String, ControlledView> views = new TreeMap<>();
  private final Map<String, RecordSetLoss> losses = new TreeMap<>();

  /** Newest reports of tasks, by view and their keys. */
  private final Map<String, Map<String, TaskProgress>> reports = new HashMap<>();

  /** Keys of other reports on generations, by view, with their numbers. */
  private final Map<String, Map<String, Integer>> otherReports = new HashMap<>();

  /** What verifications found and no rule knows yet, by key; an older one counts for nothing. */
  private final Map<String, ControlEvent.Verified> verified = new LinkedHashMap<>();

  /** Views that may go on by themselves, or of which something new is observed. */
  private final Set<String> restless = new TreeSet<>();

  private final Map<String, Optional<ViewRules.Health>> health = new TreeMap<>();
  private final Map<String, ReadySince> readySince = new HashMap<>();
  private final Map<String, Observed.Freshness> freshness = new HashMap<>();
  private final List<Finding.FreshnessProven> proofs = new ArrayList<>();
  private final Map<String, Collection<Action>> wanted = new TreeMap<>();
  private Changes changes = new Changes();

  /**
   * @param atMs ms since the epoch
   */
  private record ReadySince(int generation, long atMs) {}

  /** Continues from what was committed. */
  Reconciler(
      ControllerSettings settings,
      Collection<ControlledView> committed,
      Map<String, RecordSetLoss> losses) {
    this.rules = new ViewRules(settings);
    this.losses.putAll(losses);
    committed.forEach(this::keep);
  }

  /** What is to be committed in one transaction. */
  static final class Changes {
    /**
     * Records for {@code view-generations} and {@code view-states}, in the order of their topics.
     */
    final List<ControlRecord> records = new ArrayList<>();

    final Map<String, ControlledView> views = new LinkedHashMap<>();
    final Map<String, RecordSetLoss> losses = new LinkedHashMap<>();

    /** Keys of reports of generations that are gone. */
    final Set<String> reportsOver = new TreeSet<>();

    boolean isEmpty() {
      return records.isEmpty() && views.isEmpty() && losses.isEmpty();
    }
  }

  /** Takes in an event; the views that it concerns go on at once, or with the next tick. */
  void apply(ControlEvent event, long nowMs) {
    if (event instanceof ControlEvent.Reported reported) {
      TaskProgress report = reported.report();
      reports.computeIfAbsent(report.view(), view -> new HashMap<>()).put(report.key(), report);
      restless.add(report.view());
    } else if (event instanceof ControlEvent.Repaired repaired) {
      // Its key only, so that the report is removed when its generation is gone.
      RepairProgress report = repaired.report();
      note(report.view(), report.key(), report.generation());
    } else if (event instanceof ControlEvent.ReportOver over) {
      reportOver(over.key());
    } else if (event instanceof ControlEvent.Verified report) {
      verified(report);
    } else if (event instanceof Finding.RecordSetBroken broken) {
      change(broken.recordSet(), known -> known.broken(broken.sinceMs(), broken.reason()));
    } else if (event instanceof Finding.Lost lost) {
      lost(lost.loss(), nowMs);
    } else if (event instanceof Finding.RecordSetWhole whole) {
      whole(whole, nowMs);
    } else if (event instanceof Finding.RecordSetHindered hindered) {
      change(hindered.recordSet(), known -> known.hindered(hindered.reason()));
    } else if (event instanceof Finding.PublicationsLost) {
      List.copyOf(views.keySet())
          .forEach(view -> step(new ControlEvent.ViewPublicationsLost(view), nowMs));
    } else if (event instanceof Finding.FreshnessProven proof) {
      proofs.add(proof);
    } else {
      ViewEvent ofView = (ViewEvent) event;
      begin(ofView);
      step(ofView, nowMs);
    }
  }

  private void verified(ControlEvent.Verified event) {
    RowsVerified report = event.report();
    note(report.view(), report.key(), report.generation());
    verified.put(report.key(), event);
    restless.add(report.view());
  }

  private void note(String view, String key, int generation) {
    otherReports.computeIfAbsent(view, unused -> new HashMap<>()).put(key, generation);
  }

  private void reportOver(String key) {
    reports.values().forEach(ofView -> ofView.remove(key));
    otherReports.values().forEach(ofView -> ofView.remove(key));
    verified.remove(key);
  }

  private void lost(EventsLost loss, long nowMs) {
    boolean isKnown = losses.getOrDefault(loss.recordSet(), RecordSetLoss.NONE).knows(loss);
    change(loss.recordSet(), before -> before.after(loss));
    if (loss.ofState() && !isKnown) {
      missChanges(
          loss.recordSet(), loss.reason(), generation -> mayBeOlder(generation, loss), nowMs);
    }
  }

  private void missChanges(
      String recordSet, String reason, Predicate<PublishedGeneration> which, long nowMs) {
    for (ControlledView view : List.copyOf(views.values())) {
      view.publishedGenerations().stream()
          .filter(generation -> generation.recordSet().equals(recordSet))
          .filter(which)
          .forEach(
              generation ->
                  step(
                      new Finding.ChangesMissed(view.view(), generation.generation(), reason),
                      nowMs));
    }
  }

  /**
   * A task may have forgotten records after the loss was reported, too, that a generation had been
   * built from since; but none of the snapshot that ended it.
   */
  private static boolean isBefore(Finding.RecordSetWhole whole, PublishedGeneration generation) {
    return generation.createdAtMs() < whole.atMs()
        && generation.build().mode() != BuildMode.SNAPSHOT;
  }

  /**
   * Whether a generation may have been built before the loss. One that was built from what is left
   * of the state has no rows of the records that were forgotten, so it misses no change of them.
   */
  private boolean mayBeOlder(PublishedGeneration generation, EventsLost loss) {
    return generation.createdAtMs() <= loss.foundAtMs()
        || reports.getOrDefault(generation.view(), Map.of()).values().stream()
            .anyMatch(report -> report.generation() == generation.generation());
  }

  private void whole(Finding.RecordSetWhole whole, long nowMs) {
    RecordSetLoss before = losses.getOrDefault(whole.recordSet(), RecordSetLoss.NONE);
    change(whole.recordSet(), known -> known.whole(whole.atMs()));
    if (before.isForgotten() && whole.atMs() >= before.stateLostAtMs()) {
      missChanges(
          whole.recordSet(), before.reason(), generation -> isBefore(whole, generation), nowMs);
    }
  }

  /** Remembers a view that is new. A dropped view is still remembered, so it keeps its uid. */
  private void begin(ViewEvent event) {
    boolean isDefined =
        event instanceof ControlEvent.Desired
            || event instanceof ControlEvent.Unreadable && ViewValidator.isName(event.view());
    if (isDefined) {
      views.computeIfAbsent(
          event.view(), name -> ControlledView.unknown(name, Uuid.randomUuid().toString()));
    }
  }

  /** A proof that began before the rows were right, or served, proves nothing. */
  private void proven(Finding.FreshnessProven proof) {
    ReadySince ready = readySince.get(proof.view());
    if (ready == null || ready.generation() != proof.generation()) {
      return;
    }
    boolean counts = proof.visibleBeforeMs().isEmpty() || ready.atMs() < proof.beganAtMs();
    if (counts) {
      freshness.put(
          proof.view(),
          freshness.getOrDefault(proof.view(), Observed.Freshness.UNKNOWN).after(proof));
      restless.add(proof.view());
    }
  }

  /** Takes over what is proven and published. */
  void published(ViewState state) {
    state
        .serving()
        .ifPresent(
            serving ->
                freshness.put(
                    state.view(), new Observed.Freshness(serving.number(), state.freshness())));
  }

  private void change(String recordSet, UnaryOperator<RecordSetLoss> newer) {
    RecordSetLoss before = losses.getOrDefault(recordSet, RecordSetLoss.NONE);
    RecordSetLoss after = newer.apply(before);
    if (!after.equals(before)) {
      losses.put(recordSet, after);
      changes.losses.put(recordSet, after);
      restless.addAll(views.keySet());
    }
  }

  /** Asks those views alone that may go on. */
  void tick(long nowMs) {
    for (String view : List.copyOf(restless)) {
      step(new ControlEvent.Ticked(view), nowMs);
    }
    // No proof would count until a clock that was set back is there again.
    readySince.replaceAll(
        (view, ready) -> ready.atMs() > nowMs ? new ReadySince(ready.generation(), nowMs) : ready);
    // What was found wrong at the same time counts before.
    proofs.forEach(this::proven);
    proofs.clear();
  }

  /** What is reported wrong counts before all that comes after it, as a check that has passed. */
  private void step(ViewEvent event, long nowMs) {
    List<ControlEvent.Verified> reported =
        verified.values().stream().filter(report -> report.view().equals(event.view())).toList();
    verified.values().removeAll(reported);
    reported.forEach(report -> decide(report, nowMs));
    decide(event, nowMs);
  }

  private void decide(ViewEvent event, long nowMs) {
    String name = event.view();
    ControlledView before = views.get(name);
    if (before == null) {
      restless.remove(name);
      return;
    }
    Observed observed = observed(name);
    ViewRules.Step step = rules.step(before, event, observed, nowMs);
    step.records().forEach(this::add);
    if (!step.view().equals(before)) {
      keep(step.view());
      changes.views.put(name, step.view());
    } else if (!ViewRules.waitsForTime(before, observed)) {
      restless.remove(name);
    }
    Optional<ViewRules.Health> now = ViewRules.health(step.view(), observed);
    health.put(name, now);
    noteReady(name, now.map(ViewRules.Health::ready).orElse(OptionalInt.empty()), nowMs);
  }

  private void noteReady(String view, OptionalInt generation, long nowMs) {
    if (generation.isEmpty()) {
      readySince.remove(view);
    } else {
      readySince.merge(
          view,
          new ReadySince(generation.getAsInt(), nowMs),
          (before, now) -> before.generation() == now.generation() ? before : now);
    }
  }

  private void add(ControlRecord record) {
    if (record instanceof ControlRecord.State newer) {
      // Nobody is to see what holds for a moment only, within one transaction.
      changes.records.removeIf(
          older ->
              older instanceof ControlRecord.State state
                  && state.state().view().equals(newer.state().view()));
    }
    changes.records.add(record);
    if (record instanceof ControlRecord.GenerationGone gone) {
      reports
          .getOrDefault(gone.view(), Map.of())
          .values()
          .removeIf(
              report ->
                  report.generation() == gone.generation()
                      && changes.reportsOver.add(report.key()));
      otherReports
          .getOrDefault(gone.view(), Map.of())
          .entrySet()
          .removeIf(
              report ->
                  report.getValue() == gone.generation()
                      && changes.reportsOver.add(report.getKey()));
    }
  }

  private void keep(ControlledView view) {
    views.put(view.view(), view);
    wanted.put(view.view(), ViewRules.wanted(view));
    restless.add(view.view());
  }

  private Observed observed(String view) {
    Map<Integer, Map<Integer, TaskProgress>> tasks = new HashMap<>();
    for (TaskProgress report : reports.getOrDefault(view, Map.of()).values()) {
      tasks
          .computeIfAbsent(report.generation(), generation -> new HashMap<>())
          .put(report.partition(), report);
    }
    Map<String, String> lost = new HashMap<>();
    Set<String> forgotten = new HashSet<>();
    Map<String, String> hindered = new HashMap<>();
    losses.forEach(
        (recordSet, loss) -> {
          if (!loss.reason().isEmpty()) {
            lost.put(recordSet, loss.reason());
          }
          if (loss.isForgotten()) {
            forgotten.add(recordSet);
          }
          if (!loss.hindrance().isEmpty()) {
            hindered.put(recordSet, loss.hindrance());
          }
        });
    return new Observed(
        tasks, lost, forgotten, hindered, freshness.getOrDefault(view, Observed.Freshness.UNKNOWN));
  }

  /** What follows since this was asked last; it counts only when it is committed. */
  Changes takeChanges() {
    Changes taken = changes;
    changes = new Changes();
    return taken;
  }

  /** The wanted actions by id. They may be carried out only when all changes are committed. */
  Map<String, Action> wanted() {
    Map<String, Action> all = new LinkedHashMap<>();
    wanted.values().forEach(ofView -> ofView.forEach(action -> all.put(action.id(), action)));
    return all;
  }

  /** How the views are that there are. */
  List<ViewRules.Health> health() {
    return health.values().stream().flatMap(Optional::stream).toList();
  }

  /** Views that the next tick asks. */
  Set<String> restless() {
    return Collections.unmodifiableSet(restless);
  }
}
