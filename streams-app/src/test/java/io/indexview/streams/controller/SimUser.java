package io.indexview.streams.controller;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.control.ViewState;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Specs at random, as a client may, and breaks what can break. */
final class SimUser {
  /** There is no such record set. */
  static final String NOWHERE = "nowhere";

  /** There is one, but its topic does not come. */
  static final String SOMEDAY = "someday";

  private static final long NEVER = -1;

  private int changelogs;
  private long stateLostMs = NEVER;
  private long wholeAfterLossMs = NEVER;
  private final SimWorld world;
  private final Map<String, ViewSpec> specs = new TreeMap<>();
  private final Map<String, Long> builds = new TreeMap<>();

  /** Views that need another build. */
  private final Set<String> behind = new HashSet<>();

  SimUser(SimWorld world) {
    this.world = world;
  }

  Optional<ViewSpec> spec(String view) {
    return Optional.ofNullable(specs.get(view));
  }

  /** When a build of a view was first asked for. */
  long requestedMs(String view, BuildRequest build) {
    return world.specs.stream()
        .filter(record -> record.view().equals(view) && record.spec() != null)
        .filter(record -> record.spec().build().equals(build))
        .findFirst()
        .orElseThrow()
        .spec()
        .changedAtMs();
  }

  void step(Random random) {
    String view = world.pick(SimWorld.VIEWS);
    if (random.nextBoolean() && rollback()) {
      return;
    }
    switch (random.nextInt(11)) {
      case 0, 1, 2, 3, 4 -> define(view, definition(view, random));
      case 5, 6 -> rebuild(view, random.nextInt(3) == 0 ? BuildMode.SNAPSHOT : BuildMode.STATE);
      case 7 -> drop(view);
      case 8 -> define(view, SimView.definition(view, random.nextBoolean() ? NOWHERE : SOMEDAY, 0));
      case 9 -> breakOrMend(random);
      default -> fallBehind(view);
    }
  }

  private static String definition(String view, Random random) {
    String recordSet = random.nextInt(4) == 0 ? "pets" : "people";
    return SimView.definition(view, recordSet, random.nextInt(SimView.VARIANTS));
  }

  private void define(String view, String definition) {
    long build = spec(view).map(spec -> spec.build().number()).orElse(0L);
    spec(view, definition, new BuildRequest(build, BuildMode.STATE));
  }

  private void rebuild(String view, BuildMode mode) {
    spec(view)
        .ifPresent(
            spec -> {
              long number = builds.merge(view, 1L, Long::sum);
              spec(view, spec.definition(), new BuildRequest(number, mode));
            });
  }

  private boolean rollback() {
    for (String view : specs.keySet()) {
      Optional<PublishedGeneration> standby =
          Optional.ofNullable(world.committedState(view))
              .flatMap(state -> state.generation(ViewState.Role.STANDBY))
              .map(found -> world.generations.get(PublishedGeneration.key(view, found.number())));
      if (standby.isPresent()) {
        spec(view, standby.get().definition(), standby.get().build());
        return true;
      }
    }
    return false;
  }

  /** Has a view verified more or less often, and wants nothing else of it. */
  void reschedule(Random random) {
    String view = world.pick(SimWorld.VIEWS);
    Optional<Duration> interval =
        Optional.of(Duration.ofHours(random.nextInt(3))).filter(hours -> !hours.isZero());
    spec(view).ifPresent(spec -> spec(view, spec.definition(), spec.build(), interval));
  }

  private void spec(String view, String definition, BuildRequest build) {
    spec(view, definition, build, spec(view).flatMap(ViewSpec::verificationInterval));
  }

  private void spec(
      String view, String definition, BuildRequest build, Optional<Duration> verificationInterval) {
    long version = spec(view).map(spec -> spec.version() + 1).orElse(world.nowMs);
    ViewSpec spec =
        new ViewSpec(view, definition, version, build, world.nowMs, verificationInterval);
    specs.put(view, spec);
    world.specs.add(new SimWorld.SpecRecord(view, spec));
  }

  private void drop(String view) {
    if (specs.remove(view) != null) {
      world.specs.add(new SimWorld.SpecRecord(view, null));
    }
  }

  private void breakOrMend(Random random) {
    if (random.nextBoolean()) {
      loseEvents(random);
    } else {
      mend();
    }
  }

  /** Each task of a record set tells of the same loss of state, at times of its own. */
  private void loseEvents(Random random) {
    boolean ofState = random.nextInt(4) == 0;
    if (ofState && (stateLostMs == NEVER || random.nextBoolean())) {
      changelogs++;
      stateLostMs = world.nowMs;
    }
    world.tell(
        new EventsLost(
            "people", world.nowMs, "trimmed", ofState, ofState ? "changelog-" + changelogs : ""));
  }

  private void mend() {
    if (stateLostMs > wholeAfterLossMs) {
      wholeAfterLossMs = world.nowMs;
    }
    world.wholeMs = world.nowMs;
  }

  private void fallBehind(String view) {
    world.generations.values().stream()
        .filter(generation -> generation.view().equals(view))
        .findFirst()
        .ifPresent(
            generation -> {
              behind.add(view);
              world.behind.add(generation.key());
            });
  }

  /** Every spec that is left can be fulfilled. */
  void heal() {
    mend();
    for (String view : List.copyOf(specs.keySet())) {
      String definition = specs.get(view).definition();
      boolean good =
          !behind.contains(view)
              && (stateLostMs == NEVER
                  || requestedMs(view, specs.get(view).build()) > wholeAfterLossMs)
              && !definition.contains(NOWHERE)
              && !definition.contains(SOMEDAY);
      int choice = world.random.nextInt(4);
      if (choice == 0) {
        drop(view);
      } else if (choice == 1 || !good) {
        spec(
            view,
            definition(view, world.random),
            new BuildRequest(builds.merge(view, 1L, Long::sum), BuildMode.STATE));
      }
    }
  }
}
