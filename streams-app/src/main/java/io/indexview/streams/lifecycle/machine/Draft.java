package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.ViewWish;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The life of a view while a step changes it, and what the step publishes. */
final class Draft {
  final String view;
  final List<Publication> publications = new ArrayList<>();
  final Map<String, String> waiting;
  Map<String, String> broken;
  ViewWish wish;
  long resolved;
  String refusal;
  ViewLife.Resnapshot resnapshot;
  ViewLife.Freezing freezing;
  ViewLife.Deletion deletion;
  int goal;
  int lastNumber;
  long version;
  long applied;
  long checks;
  ViewLife.Checking checking;
  ViewLife.Place place;
  ViewLife.Telling telling;

  /** Whether the READY check of the goal was passed in this step. */
  boolean passed;

  /** Whether a state is to be published although it says nothing new. */
  boolean stateOwed;

  private final Map<Integer, GenerationLife> generations = new TreeMap<>();
  private final List<ViewLife.Leftover> leftovers;

  Draft(ViewLife life) {
    view = life.view();
    wish = life.wish();
    resolved = life.resolved();
    refusal = life.refusal();
    resnapshot = life.resnapshot();
    freezing = life.freezing();
    deletion = life.deletion();
    goal = life.goal();
    lastNumber = life.lastNumber();
    version = life.version();
    applied = life.applied();
    checks = life.checks();
    checking = life.checking();
    place = life.place();
    life.generations().forEach(this::put);
    leftovers = new ArrayList<>(life.leftovers());
    broken = life.broken();
    waiting = new HashMap<>(life.waiting());
    telling = life.telling();
  }

  ViewLife toLife() {
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
        List.copyOf(generations.values()),
        leftovers,
        broken,
        waiting,
        telling);
  }

  /** Of the state that this step publishes, if it publishes one. */
  long nextVersion() {
    return version + 1;
  }

  Optional<GenerationLife> generation(int number) {
    return Optional.ofNullable(generations.get(number));
  }

  /** By rising number; those of now, whatever becomes of them. */
  List<GenerationLife> generations() {
    return List.copyOf(generations.values());
  }

  Stream<GenerationLife> at(Stage... stages) {
    return generations().stream()
        .filter(generation -> List.of(stages).contains(generation.stage()));
  }

  Optional<GenerationLife> serving() {
    return at(Stage.SERVING).findFirst();
  }

  /** Generations that keep others from writing in the same place. */
  Stream<GenerationLife> sharing(GenerationLife generation) {
    return generations().stream()
        .filter(other -> other.number() != generation.number())
        .filter(other -> other.place().equals(generation.place()));
  }

  /** The wish is taken in: this generation is to serve. */
  void accept(int generation) {
    goal = generation;
    resolved = wish.version();
    refusal = "";
    resnapshot = null;
  }

  /** The wish is taken in, and changes nothing. */
  void refuse(String reason) {
    resolved = wish.version();
    refusal = reason;
  }

  void put(GenerationLife generation) {
    generations.put(generation.number(), generation);
  }

  void move(GenerationLife generation, Stage stage) {
    put(generation.with(generation.standing().to(stage, nextVersion())));
  }

  /** Has the tasks told to write it no more. */
  void stop(GenerationLife generation) {
    GenerationLife stopped = generation.with(generation.published().toStopped());
    publications.add(new Publication.Generation(stopped.published()));
    move(stopped, Stage.STOPPING);
  }

  /** Whether what is being frozen, if anything is, would serve the wish. */
  boolean isFreezingWanted() {
    return freezing == null
        || deletion == null
            && wish != null
            && wish.definition().equals(freezing.wish().definition())
            && wish.build().number() == freezing.wish().build().number();
  }

  /** Nothing comes of what is being frozen; a topic may have been made for it, or still be. */
  void giveUpFreezing() {
    leaveTopic(freezing.number(), freezing.viewTopic());
    freezing = null;
  }

  /** Its rows are gone, or there never were any. */
  void remove(GenerationLife generation) {
    generations.remove(generation.number());
    leaveTopic(generation.number(), generation.published().viewTopic());
  }

  /**
   * The topic is to be deleted, when a state says that the generation is gone: before that is
   * committed, another course of things may still want it.
   */
  void leaveTopic(int generation, String viewTopic) {
    stateOwed = true;
    long until = toLife().isShown() ? nextVersion() : version;
    leftovers.add(new ViewLife.Leftover(generation, viewTopic, until));
    leftovers.sort(Comparator.comparingInt(ViewLife.Leftover::generation));
  }

  void topicGone(int generation) {
    leftovers.removeIf(leftover -> leftover.generation() == generation);
  }

  boolean isLeftover(int generation) {
    return leftovers.stream().anyMatch(leftover -> leftover.generation() == generation);
  }

  boolean hasLeftovers() {
    return !leftovers.isEmpty();
  }
}
