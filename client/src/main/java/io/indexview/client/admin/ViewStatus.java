package io.indexview.client.admin;

import io.indexview.client.admin.TargetStates.Visibility;
import io.indexview.schemas.control.SpecLog.UnreadableSpec;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What is wanted of a view, and what is.
 *
 * @param spec empty: it was dropped, or cannot be read here
 * @param unreadableSpec the record of one that cannot be read here, and why; empty: there is none
 * @param state empty: the streams app has not said anything of it
 * @param current whether the serving generation is the wanted one
 * @param lag age of the oldest change that the serving rows may not include; empty: not known
 * @param visibility whether readers see that it is READY; empty: it is not, or nobody looked
 * @param notTakenIn why the streams app does not know the spec, as far as that can be seen, for
 *     people; empty: it does
 */
public record ViewStatus(
    String view,
    Optional<ViewSpec> spec,
    String unreadableSpec,
    Optional<ViewState> state,
    boolean current,
    Optional<Duration> lag,
    Optional<Visibility> visibility,
    String notTakenIn) {
  public ViewStatus {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(spec, "spec");
    Objects.requireNonNull(unreadableSpec, "unreadableSpec");
    Objects.requireNonNull(state, "state");
    Objects.requireNonNull(lag, "lag");
    Objects.requireNonNull(visibility, "visibility");
    Objects.requireNonNull(notTakenIn, "notTakenIn");
  }

  /** State as users see it: that of a new view is BUILDING, that of a dropped one DELETING. */
  public ViewState.State phase() {
    if (spec.isEmpty() && !isUnreadable()) {
      return ViewState.State.DELETING;
    }
    return state.map(ViewState::state).orElse(ViewState.State.BUILDING);
  }

  /** Whether there is a spec that cannot be read here, and none that can. */
  public boolean isUnreadable() {
    return spec.isEmpty() && !unreadableSpec.isEmpty();
  }

  /** Whether the streams app has said nothing of the spec. */
  boolean isWaiting() {
    return spec.isPresent() && !takenIn();
  }

  /** Whether the streams app knows the spec. */
  public boolean takenIn() {
    return spec.isPresent()
        && state.isPresent()
        && state.get().definitionVersion() >= spec.get().version();
  }

  /** Whether it serves what is wanted, complete. A view that serves an older spec is not. */
  public boolean ready() {
    return takenIn() && current && phase() == ViewState.State.READY;
  }

  /**
   * Whether that is also what its readers see. Where nobody can look at the target, being ready is
   * all that is asked.
   */
  public boolean readable() {
    return ready()
        && visibility.filter(seen -> seen.answer() == Visibility.Answer.PENDING).isEmpty();
  }

  /** Returns the status with what the target shows. */
  ViewStatus with(Visibility seen) {
    return new ViewStatus(
        view, spec, unreadableSpec, state, current, lag, Optional.of(seen), notTakenIn);
  }

  /** Returns the status with the reason why the app does not know the spec. */
  ViewStatus with(String whyNotTakenIn) {
    return new ViewStatus(
        view, spec, unreadableSpec, state, current, lag, visibility, whyNotTakenIn);
  }

  /** Why it is not READY, or does not serve what is wanted; empty: nothing to say. */
  public String reason() {
    if (isUnreadable()) {
      String here = UnreadableSpec.reason(unreadableSpec);
      return state
          .map(ViewState::reason)
          .filter(it -> !it.isEmpty())
          .map(it -> here + "; " + it)
          .orElse(here);
    }
    if (!isWaiting()) {
      return state.map(ViewState::reason).orElse("");
    }
    // A definition that could not be read may be this one, or one before it.
    return state
        .filter(it -> it.refuses(spec.get()))
        .map(it -> it.reason() + "; " + notTakenIn)
        .orElse(notTakenIn);
  }

  /**
   * Every change that was made before is in the rows that serve, or was replaced by a later one;
   * empty: not known.
   */
  public Optional<Instant> visibleBefore() {
    return state.map(ViewState::freshness).map(ViewState.Freshness::visibleBeforeMs).stream()
        .flatMapToLong(OptionalLong::stream)
        .mapToObj(Instant::ofEpochMilli)
        .findFirst();
  }

  /** What {@link #visibleBefore} waits for, if it stands still; empty: it advances. */
  public String heldBackBy() {
    return state.map(known -> known.freshness().heldBackBy()).orElse("");
  }

  /** Generations that have rows, or may have. */
  public List<ViewState.Generation> generations() {
    return state.map(ViewState::generations).orElse(List.of());
  }

  /** How far the generation that is being built has come, by partition. */
  public List<ViewState.Progress> progress() {
    return state.map(ViewState::progress).orElse(List.of());
  }

  /** Rows that are served; empty: not known. */
  public OptionalLong rows() {
    return state
        .flatMap(ViewState::serving)
        .map(ViewState.Generation::rows)
        .orElse(OptionalLong.empty());
  }

  /** Bytes of the keys of these rows; empty: not known. */
  public OptionalLong keyBytes() {
    return state
        .flatMap(ViewState::serving)
        .map(ViewState.Generation::keyBytes)
        .orElse(OptionalLong.empty());
  }
}
