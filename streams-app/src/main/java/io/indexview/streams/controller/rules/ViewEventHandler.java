package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.ControlEvent.ViewEvent;
import io.indexview.streams.controller.rules.ControlledGeneration.Standing;
import io.indexview.streams.controller.rules.ControlledView.Deletion;
import io.indexview.streams.controller.rules.ControlledView.Snapshot;
import io.indexview.views.definition.ViewGeneration;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** Takes what happened into a view; what follows from it is the rules' matter. */
final class ViewEventHandler {
  private final Change change;
  private final ControlledView.Builder view;
  private final Map<String, Action> wanted;

  /**
   * @param wanted by id, before the event: an answer to anything else is late, or a repetition
   */
  ViewEventHandler(Change change, Map<String, Action> wanted) {
    this.change = change;
    this.view = change.view;
    this.wanted = wanted;
  }

  void take(ViewEvent event) {
    if (event instanceof ControlEvent.Desired desired) {
      desired(desired.spec());
    } else if (event instanceof ControlEvent.Dropped) {
      dropped();
    } else if (event instanceof ControlEvent.Unreadable unreadable) {
      view.refusal = ViewState.UNREADABLE + Reasons.bounded(unreadable.reason());
    } else if (event instanceof ControlEvent.ViewPublicationsLost) {
      change.publishAgain();
    } else if (event instanceof ControlEvent.Continued continued) {
      continueAfter(continued);
    } else if (event instanceof ControlEvent.RemovalLost lost) {
      change.records.add(new ControlRecord.GenerationGone(view.view, lost.generation()));
    } else if (event instanceof Finding.Done done) {
      wanted(done).ifPresent(this::done);
    } else if (event instanceof Finding.Refused refused) {
      wanted(refused).ifPresent(action -> refused(action, Reasons.bounded(refused.reason())));
    } else if (event instanceof Finding.Frozen frozen) {
      frozen(frozen);
    } else if (event instanceof Finding.TopicFound found) {
      foundTopic(found.generation(), found.viewTopic());
    } else if (event instanceof Finding.Waiting waiting) {
      view.waiting.put(waiting.action(), Reasons.bounded(waiting.reason()));
    } else if (event instanceof Finding.DeadLettersFollowed followed) {
      faults(followed.generation(), faults -> faults.after(followed));
    } else if (event instanceof Finding.RowRejected deadLetter) {
      faults(deadLetter.generation(), faults -> faults.after(deadLetter));
    } else if (event instanceof Finding.RowSuperseded superseded) {
      faults(superseded.generation(), faults -> faults.after(superseded));
    } else if (event instanceof Finding.ChangesMissed behind) {
      faults(behind.generation(), faults -> faults.missedChanges(Reasons.bounded(behind.reason())));
    } else if (event instanceof Finding.SchemaChecked checked) {
      faults(
          checked.generation(), faults -> faults.schemaChecked(Reasons.bounded(checked.reason())));
    } else if (event instanceof ControlEvent.Verified verified) {
      faults(verified.report().generation(), faults -> faults.after(verified.report()));
    } else if (!(event instanceof ControlEvent.Ticked)) {
      throw new IllegalArgumentException("no rule takes " + event);
    }
  }

  /** Empty: the answer is late, or a repetition. */
  private Optional<Action> wanted(Finding.Answer answer) {
    return Optional.ofNullable(wanted.get(answer.action()));
  }

  private void desired(ViewSpec spec) {
    if (spec.equals(view.spec)) {
      return;
    }
    view.spec = spec;
    view.refusal = "";
    view.snapshot = null;
    if (view.resolved == spec.version()) {
      view.resolved = 0;
    }
  }

  private void dropped() {
    boolean isShown = view.build().isShown();
    view.spec = null;
    view.refusal = "";
    view.snapshot = null;
    if (isShown && view.deletion == null) {
      view.deletion = new Deletion(0, false);
      view.goal = 0;
      view.checking = null;
    }
  }

  /** A status of a view that has none outlived its tombstone: the brokers lost that. */
  private void continueAfter(ControlEvent.Continued standing) {
    boolean isNewer = standing.version() > view.version;
    view.version = Math.max(view.version, standing.version());
    if (!view.build().isShown()) {
      change.records.add(new ControlRecord.StateGone(view.view, standing.uid()));
    } else if (isNewer) {
      change.publishAgain();
    }
  }

  private void faults(int number, UnaryOperator<Faults> newer) {
    view.generation(number)
        .ifPresent(generation -> view.put(generation.with(newer.apply(generation.faults()))));
  }

  private void refused(Action action, String reason) {
    if (action instanceof Action.Freeze) {
      change.giveUpFreezing();
      view.refuse(reason);
    } else if (action instanceof Action.AdHocSnapshot) {
      view.snapshot = null;
      view.refuse(reason);
    }
  }

  private void frozen(Finding.Frozen frozen) {
    if (wanted(frozen).isEmpty()) {
      foundTopic(frozen.generation(), frozen.published().viewTopic());
      return;
    }
    try {
      view.put(generation(frozen));
      view.freezing = null;
    } catch (IllegalArgumentException e) {
      change.giveUpFreezing();
      view.refuse(Reasons.bounded(e.getMessage()));
    }
  }

  /**
   * A controller that was replaced may make a topic again after it was deleted, or one that only an
   * aborted transaction wanted: then its number is used up as well.
   */
  private void foundTopic(int number, String viewTopic) {
    boolean isFreezing = view.freezing != null && view.freezing.number() == number;
    if (!isFreezing && view.generation(number).isEmpty() && !view.build().isLeftover(number)) {
      view.lastNumber = Math.max(view.lastNumber, number);
      change.leaveTopic(number, viewTopic);
    }
  }

  private ControlledGeneration generation(Finding.Frozen frozen) {
    return new ControlledGeneration(
        frozen.published(),
        frozen.description(),
        ViewGeneration.fromJson(frozen.description()).storeName(),
        frozen.partitions(),
        new Standing(Stage.PREPARED, view.nextVersion(), Standing.NO_GRACE),
        Faults.NONE);
  }

  private void done(Action action) {
    if (action instanceof Action.AdHocSnapshot) {
      view.snapshot = new Snapshot(view.snapshot.recordSet(), view.snapshot.request(), true);
    } else if (action instanceof Action.CheckReady) {
      change.passed = true;
    } else if (action instanceof Action.CheckStateApplied check) {
      view.applied = check.version();
      if (check.expected() == Action.StateRecord.TOMBSTONE) {
        view.deletion = new Deletion(view.deletion.tombstone(), true);
      }
    } else if (action instanceof Action.CheckTopicApplied) {
      view.generation(action.generation()).ifPresent(found -> view.move(found, Stage.DRAINED));
    } else if (action instanceof Action.RemoveRows) {
      change.records.add(new ControlRecord.GenerationGone(view.view, action.generation()));
      view.generation(action.generation()).ifPresent(change::remove);
    } else if (action instanceof Action.DeleteTopic) {
      view.leftovers.removeIf(leftover -> leftover.generation() == action.generation());
    }
  }
}
