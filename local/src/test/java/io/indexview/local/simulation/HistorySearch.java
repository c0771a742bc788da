package io.indexview.local.simulation;

import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.SteppedSource;
import io.indexview.kvstore.KvKey;
import io.indexview.local.simulation.SourceWorld.Shared;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Walks through every history of one key: all sequences of puts, deletes, migrations, scans, deaths
 * and losses up to a number of steps, each with all ways in which events arrive in between, in any
 * order, late, twice or never, and with a scan's reads and publications anywhere among them. A
 * history is lived again from its beginning for each that continues it; histories that lead to the
 * same world are continued once.
 */
final class HistorySearch {
  private static final KvKey KEY = People.key(1);
  private static final int QUIET_POLLS = 12;

  private final Shared shared;
  private final int arrivals;
  private final Map<String, Integer> seen = new HashMap<>();
  private final Deque<Node> open = new ArrayDeque<>();

  enum Kind {
    PUT(1),
    DELETE(1),
    MIGRATE(1),
    MIGRATE_UNSEEN(1),
    MIGRATE_ANEW(1),
    MIGRATE_ANEW_UNSEEN(1),
    SCAN(1),
    DIE(1),
    LOSE_INDEX(1),
    LOSE_INDEX_AND_TRIM(1),
    LOSE_OFFSETS(1),
    REQUEST(1),
    BACK_UP(1),
    RESTORE(1),
    EXPIRE(1),
    EXPIRE_AND_REMOVE(1),
    ARRIVE(0),
    SOURCE_WORKS(0),
    INDEX_READS(0),
    SNAPSHOT_READ_ARRIVES(0),
    LATE_SNAPSHOT_READ_ARRIVES(0),
    CLEAN_UP(0);

    private final int cost;

    Kind(int cost) {
      this.cost = cost;
    }
  }

  private static final Set<Kind> DEATHS =
      EnumSet.of(
          Kind.DIE, Kind.LOSE_INDEX, Kind.LOSE_INDEX_AND_TRIM, Kind.LOSE_OFFSETS, Kind.RESTORE);

  private record Step(Kind kind, int number) {
    @Override
    public String toString() {
      return kind == Kind.ARRIVE ? kind + " " + number : kind.toString();
    }
  }

  /**
   * A history that was lived once.
   *
   * @param left how many steps may follow
   * @param next what may follow at once
   */
  private record Node(List<Step> history, int left, List<Step> next) {}

  /** A history that was lived, and what came of it. */
  private final class Life {
    private final SourceWorld world = new SourceWorld(shared, Capture.SCANS, 1, arrivals, 5, 5);
    private final List<Step> sinceRest = new ArrayList<>();
    private boolean scanning;

    private void take(Step step) {
      boolean mattered =
          switch (step.kind()) {
            case SOURCE_WORKS -> sourceWorks();
            case SCAN -> begin();
            default -> {
              act(step);
              yield true;
            }
          };
      if (scanning && mattered) {
        sinceRest.add(step);
      } else if (!scanning) {
        sinceRest.clear();
      }
    }

    private void act(Step step) {
      switch (step.kind()) {
        case PUT -> world.put(KEY);
        case DELETE -> world.delete(KEY);
        case MIGRATE -> world.store.migrate(KEY, false, false);
        case MIGRATE_UNSEEN -> world.store.migrate(KEY, false, true);
        case MIGRATE_ANEW -> world.store.migrate(KEY, true, false);
        case MIGRATE_ANEW_UNSEEN -> world.store.migrate(KEY, true, true);
        case DIE -> world.die();
        case LOSE_INDEX -> world.dieWithIndex();
        case LOSE_INDEX_AND_TRIM -> {
          world.topic.trim();
          world.dieWithIndex();
        }
        case LOSE_OFFSETS -> world.dieAndForgetOffsets();
        case REQUEST -> world.request();
        case BACK_UP -> world.store.backUp();
        case RESTORE -> world.restore();
        case EXPIRE -> world.expire(false);
        case EXPIRE_AND_REMOVE -> world.expire(true);
        case ARRIVE -> world.arrive(step.number());
        case INDEX_READS -> {
          world.topic.release();
          world.poll();
          world.topic.hold();
        }
        case SNAPSHOT_READ_ARRIVES -> world.snapshotReadArrives();
        case LATE_SNAPSHOT_READ_ARRIVES -> world.lateSnapshotReadArrives(step.number());
        case CLEAN_UP -> world.app.cleanUp();
        default -> throw new AssertionError(step);
      }
      scanning &= !DEATHS.contains(step.kind());
    }

    private boolean begin() {
      world.pass(SteppedSource.INTERVAL);
      int before = world.scanBegun();
      while (world.scanBegun() == before) {
        world.poll();
      }
      world.topic.hold();
      scanning = true;
      return true;
    }

    /** Until something can be seen from outside, or the scan is over. */
    private boolean sourceWorks() {
      int scans = world.store.scans();
      long complete = world.scans();
      for (int i = 0; i < QUIET_POLLS; i++) {
        boolean sent = world.poll();
        if (world.scans() > complete) {
          world.topic.release();
          world.poll();
          scanning = false;
          return true;
        }
        if (sent || world.store.scans() > scans) {
          return true;
        }
      }
      return false;
    }

    private List<Step> next(int left) {
      List<Step> steps = new ArrayList<>();
      for (Kind kind : Kind.values()) {
        if (kind.cost <= left) {
          for (int number = 0; number < choices(kind); number++) {
            steps.add(new Step(kind, number));
          }
        }
      }
      return steps;
    }

    private int choices(Kind kind) {
      return switch (kind) {
        case ARRIVE -> world.sent.size();
        case LATE_SNAPSHOT_READ_ARRIVES -> world.late.size();
        case SNAPSHOT_READ_ARRIVES -> Math.min(1, world.snapshotReads.size());
        case SOURCE_WORKS -> scanning ? 1 : 0;
        case CLEAN_UP -> world.app.unnamed().isEmpty() ? 0 : 1;
        case INDEX_READS -> world.topic.heldBack().isEmpty() ? 0 : 1;
        case DELETE, MIGRATE -> world.store.all().isEmpty() ? 0 : 1;
        case MIGRATE_UNSEEN, MIGRATE_ANEW_UNSEEN ->
            world.store.all().isEmpty() || !scanning ? 0 : 1;
        case SCAN -> scanning || !world.snapshotReads.isEmpty() ? 0 : 1;
        default -> 1;
      };
    }

    private Optional<String> problem() {
      Optional<String> back = world.resurrected();
      if (back.isPresent()) {
        return Optional.of("an event said that it is gone, and has it: " + back.get());
      }
      if (!scanning && world.isFullySent() && !world.difference().isEmpty()) {
        return Optional.of("all events arrived, but " + world.difference());
      }
      while (!world.snapshotReads.isEmpty()) {
        world.snapshotReadArrives();
      }
      world.scan();
      world.scan();
      world.app.cleanUp();
      return Optional.of(world.difference())
          .filter(difference -> !difference.isEmpty())
          .map(difference -> "two scans later " + difference);
    }

    private String text() {
      return new WorldText(world, shared.index()) + " " + sinceRest;
    }
  }

  /**
   * @param arrivals how often one event of a writer may arrive
   */
  HistorySearch(Shared shared, int arrivals) {
    this.shared = shared;
    this.arrivals = arrivals;
  }

  /** Number of different worlds seen. */
  int size() {
    return seen.size();
  }

  /** A history, if there is one, after which something is wrong. */
  Optional<String> counterexample(int steps) {
    open.add(new Node(List.of(), steps, new Life().next(steps)));
    while (!open.isEmpty()) {
      Node node = open.poll();
      for (Step step : node.next()) {
        Optional<String> problem = follow(node, step);
        if (problem.isPresent()) {
          return problem;
        }
      }
    }
    return Optional.empty();
  }

  private Optional<String> follow(Node node, Step step) {
    List<Step> history = new ArrayList<>(node.history());
    history.add(step);
    int left = node.left() - step.kind().cost;
    Life life = live(history);
    String text = life.text();
    Integer known = seen.get(text);
    if (known != null && known >= left) {
      return Optional.empty();
    }
    seen.put(text, left);
    open.add(new Node(history, left, life.next(left)));
    if (known != null) {
      return Optional.empty();
    }
    try {
      return life.problem().map(problem -> history + ": " + problem);
    } catch (AssertionError e) {
      throw new AssertionError("after " + history, e);
    }
  }

  private Life live(List<Step> history) {
    Life life = new Life();
    history.forEach(life::take);
    return life;
  }
}
