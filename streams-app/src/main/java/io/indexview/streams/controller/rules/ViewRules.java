package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.ControlEvent.ViewEvent;
import io.indexview.streams.controller.rules.ControlledGeneration.Standing;
import io.indexview.streams.controller.rules.ControlledView.Published;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * The rules of a view: its state, what is observed, and what happened in; its next state and the
 * control records of the step out. They have no state of their own and are safe for use by several
 * threads.
 */
public final class ViewRules {
  private final ControllerSettings settings;

  public ViewRules(ControllerSettings settings) {
    this.settings = settings;
  }

  /**
   * What follows from an event.
   *
   * @param view the same if the event changed nothing
   * @param records to be committed together with {@code view}, in this order
   */
  public record Step(ControlledView view, List<ControlRecord> records) {}

  /**
   * @param nowMs ms since the epoch
   */
  public Step step(ControlledView before, ViewEvent event, Observed observed, long nowMs) {
    Change change = new Change(before);
    Map<String, Action> wanted = WantedActions.of(before);
    new ViewEventHandler(change, wanted).take(event);
    new DesiredRules(change, settings, nowMs).apply();
    new GenerationRules(change, observed, settings, nowMs).apply();
    change.view.waiting.keySet().retainAll(WantedActions.of(change.view.build()).keySet());
    publish(change, observed, nowMs);
    return new Step(change.view.build(), change.records);
  }

  /** News at once; progress alone now and then. */
  private static void publish(Change change, Observed observed, long nowMs) {
    ControlledView.Builder view = change.view;
    ControlledView after = view.build();
    if (!after.isShown()) {
      view.published = Published.NOTHING;
      return;
    }
    Status status = Status.of(after, observed);
    String substance = status.substance();
    String digest = status.digest();
    boolean news = change.statusOwed || !substance.equals(after.published.substance());
    boolean progress = !digest.equals(after.published.digest());
    if (news || progress && isRested(after, nowMs)) {
      view.version = view.nextVersion();
      change.records.add(new ControlRecord.State(status.published(view.version, nowMs)));
      view.published = new Published(substance, digest, nowMs);
    }
  }

  private static boolean isRested(ControlledView view, long nowMs) {
    long passed = nowMs - view.published.atMs();
    // Before: by another clock, or the clock was set back.
    return passed < 0 || passed >= ControllerSettings.PROGRESS_INTERVAL.toMillis();
  }

  /** What is wanted as long as the view is in this state. */
  public static Collection<Action> wanted(ControlledView view) {
    return WantedActions.of(view).values();
  }

  /**
   * Whether time alone may change something; everything else comes to rest by steps in which
   * nothing happens.
   */
  public static boolean waitsForTime(ControlledView view, Observed observed) {
    boolean owesProgress =
        view.isShown() && !Status.of(view, observed).digest().equals(view.published.digest());
    return owesProgress
        || view.generations.stream()
            .map(ControlledGeneration::standing)
            .anyMatch(standing -> standing.graceUntilMs() != Standing.NO_GRACE);
  }

  /**
   * A view in a word.
   *
   * @param state without version and time
   * @param reasons how many different things are wrong with it
   */
  public record Health(ViewState state, int reasons) {
    /** The generation that serves, with nothing wrong; empty: there is none. */
    public OptionalInt ready() {
      return state.state() == ViewState.State.READY
          ? state.serving().stream().mapToInt(ViewState.Generation::number).findFirst()
          : OptionalInt.empty();
    }
  }

  /** Empty: there is no such view. */
  public static Optional<Health> health(ControlledView view, Observed observed) {
    if (!view.isShown()) {
      return Optional.empty();
    }
    Status status = Status.of(view, observed);
    long reasons = status.reasons().stream().filter(kind -> kind != Reasons.Kind.WAITING).count();
    return Optional.of(new Health(status.state(), (int) reasons));
  }
}
