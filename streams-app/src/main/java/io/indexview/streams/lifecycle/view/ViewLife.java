package io.indexview.streams.lifecycle.view;

import io.indexview.schemas.control.ViewWish;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * All that is remembered of a view, also after it was dropped: its numbers are never used again.
 *
 * @param wish what is wanted; null: nothing, the view is dropped
 * @param resolved version of the wish that {@code goal} or {@code refusal} stands for
 * @param refusal why the wish is refused; empty: it is not
 * @param resnapshot that the wish waits for; null: none
 * @param freezing of the wish; null: none
 * @param deletion null: the view is not being deleted
 * @param goal number of the generation that is to serve; 0: none yet
 * @param lastNumber newest number of a generation
 * @param version of the newest record on {@code view-states}
 * @param applied newest version that the target is known to show
 * @param checks how many READY checks were begun
 * @param checking the READY check that is under way; null: none
 * @param place of the definition that serves, or is to serve
 * @param generations whose rows are not gone, by rising number
 * @param leftovers topics of generations that are gone
 * @param broken why, by record set, events are missing
 * @param waiting what works have been waiting for, by their ids
 * @param telling of progress
 */
public record ViewLife(
    String view,
    ViewWish wish,
    long resolved,
    String refusal,
    Resnapshot resnapshot,
    Freezing freezing,
    Deletion deletion,
    int goal,
    int lastNumber,
    long version,
    long applied,
    long checks,
    Checking checking,
    Place place,
    List<GenerationLife> generations,
    List<Leftover> leftovers,
    Map<String, String> broken,
    Map<String, String> waiting,
    Telling telling) {
  public ViewLife {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(refusal, "refusal");
    Objects.requireNonNull(place, "place");
    generations = List.copyOf(generations);
    leftovers = List.copyOf(leftovers);
    broken = Map.copyOf(broken);
    waiting = Map.copyOf(waiting);
    Objects.requireNonNull(telling, "telling");
  }

  /** A view of which nothing is known. */
  public static ViewLife unknown(String view) {
    return new ViewLife(
        view,
        null,
        0,
        "",
        null,
        null,
        null,
        0,
        0,
        0,
        0,
        0,
        null,
        Place.NONE,
        List.of(),
        List.of(),
        Map.of(),
        Map.of(),
        Telling.ALL_TOLD);
  }

  /**
   * @param number of the request
   */
  public record Resnapshot(String recordSet, long number, boolean done) {
    public Resnapshot whenDone() {
      return new Resnapshot(recordSet, number, true);
    }
  }

  /**
   * @param number of the generation to be
   * @param viewTopic that is made for it
   * @param stateVersion of the state that was published with this
   */
  public record Freezing(ViewWish wish, int number, String viewTopic, long stateVersion) {}

  /**
   * @param tombstone version that the tombstone on {@code view-states} stands for; 0: not published
   * @param told whether the sink has applied the tombstone
   */
  public record Deletion(long tombstone, boolean told) {
    public static final Deletion BEGUN = new Deletion(0, false);

    public Deletion whenTold() {
      return new Deletion(tombstone, true);
    }
  }

  public record Checking(int generation, long number) {}

  /**
   * Texts are empty as long as they are not known.
   *
   * @param sinkGroup consumer group of the target's sink
   */
  public record Place(String recordSet, String target, String sinkGroup) {
    public static final Place NONE = new Place("", "", "");
  }

  /**
   * @param version of the state that does without the generation; it is in use until the target
   *     shows it
   */
  public record Leftover(int generation, String viewTopic, long version) {}

  /**
   * @param owed whether there is progress that no published state tells
   * @param lastMs when a state was published, ms since the epoch
   */
  public record Telling(boolean owed, long lastMs) {
    public static final Telling ALL_TOLD = new Telling(false, 0);
  }

  /** The same but for the generations. */
  public ViewLife with(List<GenerationLife> newer) {
    return new ViewLife(
        view,
        wish,
        resolved,
        refusal,
        resnapshot,
        freezing,
        deletion,
        goal,
        lastNumber,
        version,
        applied,
        checks,
        checking,
        place,
        newer,
        leftovers,
        broken,
        waiting,
        telling);
  }

  /** Whether there is, or is to be, a state of the view on {@code view-states}. */
  public boolean isShown() {
    return deletion == null ? wish != null : deletion.tombstone() == 0;
  }
}
