package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.ViewState;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.streams.lifecycle.work.Work;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The state machine of a view: what happened in, what is remembered and published out. It has no
 * state of its own and is safe for use by several threads.
 */
public final class ViewMachine {
  private final LifeSettings settings;

  public ViewMachine(LifeSettings settings) {
    this.settings = settings;
  }

  /**
   * What follows from an event.
   *
   * @param life the same if the event changed nothing
   * @param publications to be committed together with {@code life}, in this order
   */
  public record Step(ViewLife life, List<Publication> publications) {}

  /**
   * @param nowMs ms since the epoch
   */
  public Step step(ViewLife before, ViewEvent event, long nowMs) {
    Draft draft = new Draft(before);
    Map<String, Work> wanted = WantedWork.of(before);
    new Intake(draft, wanted).take(event);
    WishRules wishes = new WishRules(draft, settings, nowMs);
    wishes.giveUp();
    new DeletionRules(draft).apply();
    wishes.apply();
    new GenerationRules(draft, settings, nowMs).apply();
    draft.waiting.keySet().retainAll(WantedWork.of(draft.toLife()).keySet());
    tell(before, draft, nowMs);
    return new Step(draft.toLife(), draft.publications);
  }

  /** What is wanted as long as the view is in this state. */
  public static Collection<Work> wanted(ViewLife life) {
    return WantedWork.of(life).values();
  }

  /**
   * Whether time alone may change something; everything else comes to rest by steps in which
   * nothing happens.
   */
  public static boolean waitsForTime(ViewLife life) {
    return life.telling().owed()
        || life.generations().stream()
            .map(GenerationLife::standing)
            .anyMatch(standing -> standing.graceFromMs() != GenerationLife.Standing.NO_GRACE);
  }

  /**
   * A view in a word.
   *
   * @param reasons how many different things are wrong with it
   */
  public record Health(String view, ViewState.State state, int reasons) {}

  /** Empty: there is no such view. */
  public static Optional<Health> health(ViewLife life) {
    if (!life.isShown()) {
      return Optional.empty();
    }
    Portrait portrait = Portrait.of(life);
    long reasons = portrait.reasons().stream().filter(kind -> kind != Reasons.Kind.WAITING).count();
    return Optional.of(new Health(life.view(), portrait.state().state(), (int) reasons));
  }

  private void tell(ViewLife before, Draft draft, long nowMs) {
    ViewLife after = draft.toLife();
    if (!after.isShown()) {
      draft.telling = ViewLife.Telling.ALL_TOLD;
      return;
    }
    Portrait is = Portrait.of(after);
    Portrait was = before.isShown() ? Portrait.of(before) : null;
    boolean news = draft.stateOwed || was == null || !is.substance().equals(was.substance());
    boolean owed = news || before.telling().owed() || !is.equals(was);
    boolean rested = nowMs - before.telling().lastMs() >= LifeSettings.PROGRESS_INTERVAL.toMillis();
    if (news || owed && rested) {
      draft.version = draft.nextVersion();
      draft.publications.add(new Publication.State(is.published(draft.version, nowMs)));
      draft.telling = new ViewLife.Telling(false, nowMs);
    } else {
      draft.telling = new ViewLife.Telling(owed, before.telling().lastMs());
    }
  }
}
