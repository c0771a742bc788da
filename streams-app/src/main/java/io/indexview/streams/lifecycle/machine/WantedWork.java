package io.indexview.streams.lifecycle.machine;

import io.indexview.schemas.control.ViewState.Role;
import io.indexview.streams.lifecycle.view.GenerationLife;
import io.indexview.streams.lifecycle.view.GenerationLife.Standing;
import io.indexview.streams.lifecycle.view.Stage;
import io.indexview.streams.lifecycle.view.ViewLife;
import io.indexview.streams.lifecycle.work.Work;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** What the state of a view wants done: a function of the state alone. */
final class WantedWork {
  private final ViewLife life;
  private final Map<String, Work> wanted = new LinkedHashMap<>();

  private WantedWork(ViewLife life) {
    this.life = life;
  }

  /** By id. */
  static Map<String, Work> of(ViewLife life) {
    WantedWork work = new WantedWork(life);
    work.collect();
    return work.wanted;
  }

  private void want(Work work) {
    wanted.put(work.id(), work);
  }

  private void collect() {
    ViewLife.Freezing freezing = life.freezing();
    if (freezing != null) {
      want(new Work.Freeze(freezing.wish(), freezing.number(), freezing.stateVersion()));
    }
    ViewLife.Resnapshot resnapshot = life.resnapshot();
    if (resnapshot != null && !resnapshot.done()) {
      want(new Work.RequestResnapshot(life.view(), resnapshot.recordSet(), resnapshot.number()));
    }
    life.generations().forEach(this::collect);
    collectStateApplied();
    life.leftovers().stream()
        .filter(leftover -> leftover.version() <= life.applied())
        .map(
            topic ->
                new Work.DeleteTopic(
                    life.view(), topic.generation(), topic.viewTopic(), topic.version()))
        .forEach(this::want);
  }

  private void collect(GenerationLife generation) {
    Work.Watched watched = new Work.Watched(generation.published(), generation.place().target());
    String viewTopic = generation.published().viewTopic();
    switch (generation.stage()) {
      case BUILDING, SERVING, STANDBY ->
          want(
              new Work.Watch(
                  watched,
                  generation.faults().lettersFrom(),
                  List.copyOf(generation.faults().rejected().values())));
      case DRAINING ->
          want(
              new Work.CheckTopicApplied(
                  life.view(), generation.number(), watched.target(), viewTopic));
      case DRAINED -> {
        if (generation.standing().isOver(life.applied()) && !isHeld(generation)) {
          want(
              new Work.RemoveRows(
                  life.view(),
                  generation.number(),
                  watched.target(),
                  viewTopic,
                  generation.frozen().description()));
        }
      }
      default -> {}
    }
    ViewLife.Checking checking = life.checking();
    if (checking != null && checking.generation() == generation.number()) {
      want(new Work.CheckReady(watched, checking.number()));
    }
  }

  /** What another generation is built over stays until that one serves. */
  private boolean isHeld(GenerationLife generation) {
    return life.generations().stream()
        .filter(other -> other.stage().role() == Role.BUILDING)
        .anyMatch(other -> other.place().equals(generation.place()));
  }

  private void collectStateApplied() {
    ViewLife.Deletion deletion = life.deletion();
    boolean buried = deletion != null && deletion.tombstone() > 0;
    if (buried) {
      if (!deletion.told()) {
        wantApplied(deletion.tombstone(), Work.StateRecord.TOMBSTONE);
      }
      return;
    }
    long awaited = LongStream.concat(awaitedByGenerations(), awaitedByTopics()).max().orElse(0);
    if (awaited > life.applied()) {
      wantApplied(awaited, Work.StateRecord.STATE);
    }
  }

  private LongStream awaitedByGenerations() {
    return life.generations().stream()
        .map(GenerationLife::standing)
        .filter(WantedWork::isAwaited)
        .mapToLong(Standing::since);
  }

  private static boolean isAwaited(Standing standing) {
    return Stream.of(Stage.STANDBY, Stage.LEAVING, Stage.DRAINED)
        .anyMatch(stage -> stage == standing.stage());
  }

  private LongStream awaitedByTopics() {
    return life.leftovers().stream().mapToLong(ViewLife.Leftover::version);
  }

  private void wantApplied(long version, Work.StateRecord expected) {
    want(new Work.CheckStateApplied(life.view(), life.place().target(), version, expected));
  }
}
