package io.indexview.local.simulation;

import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.SteppedSource;
import io.indexview.kvstore.KvKey;
import io.indexview.local.simulation.SourceWorld.Shared;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * What happens to a {@link SourceWorld}, action after action. As text it is one line that {@link
 * #parse} reads again: {@code CAPTURE batchSize chunkRows: ACTION number key, …}.
 *
 * @param capture how the source finds changes
 * @param batchSize of the source
 * @param chunkRows of the source
 */
record SourceHistory(Capture capture, int batchSize, int chunkRows, List<Action> actions) {
  private static final int PARTITIONS = 2;
  private static final int ARRIVALS = 2;
  private static final int FEW_ACTIONS = 40;

  /** Numbers choose among what there is when the action comes. */
  private static final int NUMBERS = 60;

  /**
   * One action.
   *
   * @param number chooses among what is on its way, how long a pause is, or whether a scan misses
   *     what moves; 0 where there is no choice
   * @param key of the record; 0 where it does not matter
   */
  record Action(Kind kind, int number, int key) {
    @Override
    public String toString() {
      String text = kind.toString();
      if (kind.numbered || kind.keyed) {
        text += " " + number;
      }
      return kind.keyed ? text + " " + key : text;
    }

    private static Action parse(String text) {
      String[] words = text.strip().split(" ");
      return new Action(
          Kind.valueOf(words[0]),
          words.length > 1 ? Integer.parseInt(words[1]) : 0,
          words.length > 2 ? Integer.parseInt(words[2]) : 0);
    }
  }

  /** Kinds of actions, by how often they come. */
  enum Kind {
    PUT(10, false, true),
    DELETE(6, false, true),
    ARRIVE(14, true, false),
    LOSE(3, true, false),
    POLL(50),
    SNAPSHOT_READ_ARRIVES(25),
    LATE_SNAPSHOT_READ_ARRIVES(2, true, false),
    MIGRATE(2, true, true),
    MIGRATE_ANEW(2, true, true),
    LAG(4),
    CATCH_UP(6),
    PASS(8, true, false),
    STORE_FAILS(1),
    TOPIC_FAILS(1),
    RECOVER(3),
    DIE(1),
    LOSE_INDEX(1),
    LOSE_INDEX_AND_TRIM(1),
    LOSE_OFFSETS(1),
    REQUEST(1),
    EXPIRE(1, true, false),
    CLEAN_UP(4, false, true),
    BACK_UP(1),
    RESTORE(1),
    SCAN_TWICE(1),
    CHANGES_COME(25),
    CHANGE_IS_NAMED_AGAIN(3, false, true),
    CHANGES_ARE_LOST(1),
    CHANGES_FAIL(1),
    PROVE_BY_CHANGES(1);

    private final int weight;
    private final boolean numbered;
    private final boolean keyed;

    Kind(int weight) {
      this(weight, false, false);
    }

    Kind(int weight, boolean numbered, boolean keyed) {
      this.weight = weight;
      this.numbered = numbered;
      this.keyed = keyed;
    }
  }

  private static final List<Kind> WEIGHTED =
      Stream.of(Kind.values())
          .flatMap(kind -> Collections.nCopies(kind.weight, kind).stream())
          .toList();

  static SourceHistory random(Random random, Capture capture, int keys, int length) {
    List<Action> actions = new ArrayList<>();
    int batchSize = 1 + random.nextInt(3);
    int chunkRows = 1 + random.nextInt(5);
    for (int i = 0; i < length; i++) {
      Kind kind = WEIGHTED.get(random.nextInt(WEIGHTED.size()));
      actions.add(
          new Action(
              kind,
              kind.numbered ? random.nextInt(NUMBERS) : 0,
              kind.keyed ? random.nextInt(keys) : 0));
    }
    return new SourceHistory(capture, batchSize, chunkRows, actions);
  }

  static SourceHistory parse(String line) {
    String[] halves = line.split(": ", 2);
    String[] sizes = halves[0].strip().split(" ");
    return new SourceHistory(
        Capture.valueOf(sizes[0]),
        Integer.parseInt(sizes[1]),
        Integer.parseInt(sizes[2]),
        Arrays.stream(halves[1].split(",")).map(Action::parse).toList());
  }

  @Override
  public String toString() {
    return "%s %d %d: ".formatted(capture, batchSize, chunkRows)
        + actions.stream().map(Action::toString).collect(Collectors.joining(", "));
  }

  /** What is wrong once writes have stopped and the source has scanned twice; empty: nothing. */
  Optional<String> problem(Shared shared) {
    try {
      return lived(shared);
    } catch (AssertionError e) {
      return Optional.of(e.getMessage());
    }
  }

  private Optional<String> lived(Shared shared) {
    SourceWorld world =
        new SourceWorld(shared, capture, PARTITIONS, ARRIVALS, batchSize, chunkRows);
    for (Action action : actions) {
      take(action, world);
      if (action.kind() == Kind.SCAN_TWICE && !world.difference().isEmpty()) {
        return Optional.of(world.difference());
      }
      if (!world.falseProof().isEmpty()) {
        return Optional.of(world.falseProof());
      }
    }
    if (world.followsChanges()) {
      deliver(world);
      world.proveByChanges();
      if (!world.difference().isEmpty()) {
        return Optional.of("all changes were named, but " + world.difference());
      }
    }
    scanTwice(world);
    return world.app.noticedOlderStore()
        ? Optional.of(
            "the app takes the store for an older one, though every restore was announced")
        : Optional.of(world.difference()).filter(difference -> !difference.isEmpty());
  }

  /** A history that goes wrong too, and of which no single action or pair can be left out. */
  SourceHistory smallest(Shared shared) {
    Predicate<List<Action>> wrong = less -> with(less).problem(shared).isPresent();
    List<Action> left = new ArrayList<>(actions);
    for (int chunk = Math.max(1, left.size() / 2); chunk >= 1; chunk /= 2) {
      boolean again = dropChunks(left, chunk, wrong);
      while (chunk == 1 && again) {
        again = dropChunks(left, chunk, wrong);
      }
    }
    while (left.size() <= FEW_ACTIONS && dropPair(left, wrong)) {
      // One pair less each time.
    }
    return with(left);
  }

  private SourceHistory with(List<Action> others) {
    return new SourceHistory(capture, batchSize, chunkRows, List.copyOf(others));
  }

  private static boolean dropChunks(List<Action> left, int size, Predicate<List<Action>> wrong) {
    boolean dropped = false;
    for (int i = 0; i < left.size(); ) {
      if (drop(left, left.subList(i, Math.min(left.size(), i + size)), wrong)) {
        dropped = true;
      } else {
        i += size;
      }
    }
    return dropped;
  }

  private static boolean dropPair(List<Action> left, Predicate<List<Action>> wrong) {
    for (int i = 0; i < left.size(); i++) {
      for (int j = i + 1; j < left.size(); j++) {
        if (drop(left, List.of(left.get(i), left.get(j)), wrong)) {
          return true;
        }
      }
    }
    return false;
  }

  /** Leaves out these very actions, if it goes wrong without them. */
  private static boolean drop(
      List<Action> left, Collection<Action> some, Predicate<List<Action>> wrong) {
    List<Action> less = new ArrayList<>(left);
    List<Action> gone = List.copyOf(some);
    less.removeIf(action -> gone.stream().anyMatch(one -> one == action));
    boolean isWrong = wrong.test(less);
    if (isWrong) {
      left.clear();
      left.addAll(less);
    }
    return isWrong;
  }

  private static void deliver(SourceWorld world) {
    while (!world.snapshotReads.isEmpty()) {
      world.snapshotReadArrives();
    }
  }

  private static void scanTwice(SourceWorld world) {
    deliver(world);
    world.scan();
    world.scan();
    world.app.cleanUp();
  }

  private static void take(Action action, SourceWorld world) {
    KvKey key = People.key(action.key());
    int number = action.number();
    switch (action.kind()) {
      case PUT -> world.put(key);
      case DELETE -> world.delete(key);
      case POLL -> world.poll();
      case MIGRATE -> world.store.migrate(key, false, number % 2 == 1);
      case MIGRATE_ANEW -> world.store.migrate(key, true, number % 2 == 1);
      case LAG -> world.topic.hold();
      case CATCH_UP -> world.topic.release();
      case PASS -> world.pass(SteppedSource.INTERVAL.dividedBy(1 + number % 20));
      case STORE_FAILS -> world.store.setAvailable(false);
      case TOPIC_FAILS -> world.topic.setAvailable(false);
      case RECOVER -> {
        world.recover();
        world.pass(Duration.ofMillis(2));
      }
      case ARRIVE -> choose(world.sent, number).ifPresent(world::arrive);
      case LOSE -> choose(world.sent, number).ifPresent(world::lose);
      case LATE_SNAPSHOT_READ_ARRIVES ->
          choose(world.late, number).ifPresent(world::lateSnapshotReadArrives);
      case SNAPSHOT_READ_ARRIVES ->
          choose(world.snapshotReads, 0).ifPresent(i -> world.snapshotReadArrives());
      case EXPIRE -> world.expire(number % 2 == 1);
      case CLEAN_UP -> world.app.cleanUp(key.toString());
      case SCAN_TWICE -> scanTwice(world);
      case CHANGE_IS_NAMED_AGAIN -> world.changes.changed(key);
      case PROVE_BY_CHANGES -> {
        if (world.followsChanges()) {
          world.proveByChanges();
        }
      }
      default -> disturb(action.kind(), world);
    }
  }

  private static Optional<Integer> choose(Collection<?> some, int number) {
    return some.isEmpty() ? Optional.empty() : Optional.of(number % some.size());
  }

  private static void disturb(Kind kind, SourceWorld world) {
    switch (kind) {
      case CHANGES_COME -> world.changesCome();
      case CHANGES_ARE_LOST -> world.changes.lose();
      case CHANGES_FAIL -> world.changes.setAvailable(false);
      case REQUEST -> world.request();
      case BACK_UP -> world.store.backUp();
      case RESTORE -> world.restore();
      case DIE -> world.die();
      case LOSE_INDEX -> world.dieWithIndex();
      case LOSE_INDEX_AND_TRIM -> {
        world.topic.trim();
        world.dieWithIndex();
      }
      case LOSE_OFFSETS -> world.dieAndForgetOffsets();
      default -> throw new AssertionError(kind);
    }
  }
}
