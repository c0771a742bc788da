package io.indexview.streams.controller;

import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.BuildRequest;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewWish;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;

/** Wishes at random, as a client may, and breaks what can break. */
final class SimUser {
  /** There is no such record set. */
  static final String NOWHERE = "nowhere";

  /** There is one, but its topic does not come. */
  static final String SOMEDAY = "someday";

  private final World world;
  private final Map<String, ViewWish> wishes = new TreeMap<>();
  private final Map<String, Long> builds = new TreeMap<>();

  /** Views that need another build. */
  private final Set<String> behind = new HashSet<>();

  SimUser(World world) {
    this.world = world;
  }

  Optional<ViewWish> wish(String view) {
    return Optional.ofNullable(wishes.get(view));
  }

  /** When a build of a view was first wished for. */
  long wishedMs(String view, BuildRequest build) {
    return world.wishes.stream()
        .filter(record -> record.view().equals(view) && record.wish() != null)
        .filter(record -> record.wish().build().equals(build))
        .findFirst()
        .orElseThrow()
        .wish()
        .changedAtMs();
  }

  void step(Random random) {
    String view = world.pick(World.VIEWS);
    if (random.nextBoolean() && rollback()) {
      return;
    }
    switch (random.nextInt(11)) {
      case 0, 1, 2, 3, 4 -> define(view, definition(view, random));
      case 5, 6 -> rebuild(view, random.nextInt(3) == 0 ? BuildMode.RESNAPSHOT : BuildMode.STATE);
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
    long build = wish(view).map(wish -> wish.build().number()).orElse(0L);
    wish(view, definition, new BuildRequest(build, BuildMode.STATE));
  }

  private void rebuild(String view, BuildMode mode) {
    wish(view)
        .ifPresent(
            wish -> {
              long number = builds.merge(view, 1L, Long::sum);
              wish(view, wish.definition(), new BuildRequest(number, mode));
            });
  }

  private boolean rollback() {
    for (String view : wishes.keySet()) {
      Optional<PublishedGeneration> standby =
          Optional.ofNullable(world.committedState(view))
              .flatMap(state -> state.generation(ViewState.Role.STANDBY))
              .map(found -> world.generations.get(PublishedGeneration.key(view, found.number())));
      if (standby.isPresent()) {
        wish(view, standby.get().definition(), standby.get().build());
        return true;
      }
    }
    return false;
  }

  private void wish(String view, String definition, BuildRequest build) {
    long version = wish(view).map(wish -> wish.version() + 1).orElse(world.nowMs);
    ViewWish wish = new ViewWish(view, definition, version, build, world.nowMs);
    wishes.put(view, wish);
    world.wishes.add(new World.WishRecord(view, wish));
  }

  private void drop(String view) {
    if (wishes.remove(view) != null) {
      world.wishes.add(new World.WishRecord(view, null));
    }
  }

  private void breakOrMend(Random random) {
    if (random.nextBoolean()) {
      world.tell(new EventsLost("people", world.nowMs, "trimmed"));
    } else {
      mend();
    }
  }

  private void mend() {
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

  /** Every wish that is left can be fulfilled. */
  void heal() {
    mend();
    for (String view : List.copyOf(wishes.keySet())) {
      String definition = wishes.get(view).definition();
      boolean good =
          !behind.contains(view) && !definition.contains(NOWHERE) && !definition.contains(SOMEDAY);
      int choice = world.random.nextInt(4);
      if (choice == 0) {
        drop(view);
      } else if (choice == 1 || !good) {
        wish(
            view,
            definition(view, world.random),
            new BuildRequest(builds.merge(view, 1L, Long::sum), BuildMode.STATE));
      }
    }
  }
}
