package io.indexview.streams.controller.rules;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.controller.rules.ControlledGeneration.Standing;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.apache.kafka.common.utils.Utils;

/**
 * All that is remembered of a view, also after it was dropped: its numbers are never used again.
 * What tasks tell is no part of it, see {@link Observed}.
 */
public final class ControlledView {
  static final int MAX_DESCRIPTIONS = 256 * 1024;

  final String view;

  /** Id of the view in this installation; see {@link ViewState#uid}. */
  final String uid;

  /** What is desired; null: nothing, the view is dropped, or nobody can read it. */
  final ViewSpec spec;

  /** Version of the spec that {@link #goal} or {@link #refusal} stands for. */
  final long resolved;

  /** Why the spec, or one after it that nobody can read, is refused; empty: it is not. */
  final String refusal;

  /** The ad-hoc snapshot that the spec waits for; null: none. */
  final Snapshot snapshot;

  /** The freeze of the spec that is under way; null: none. */
  final Freezing freezing;

  /** Null: the view is not being deleted. */
  final Deletion deletion;

  /** Number of the generation that is to serve; 0: none yet. */
  final int goal;

  /** Newest number of a generation. */
  final int lastNumber;

  /** Version of the newest record on {@code view-states}. */
  final long version;

  /** Newest version that the target is known to show. */
  final long applied;

  /** How many READY checks were begun. */
  final long checks;

  /** The READY check that is under way; null: none. */
  final Checking checking;

  final Placement placement;

  /** Generations whose rows are not gone, by rising number. */
  final List<ControlledGeneration> generations;

  /** Topics of generations that are gone. */
  final List<Leftover> leftovers;

  /** What actions have been waiting for, by their ids. */
  final Map<String, String> waiting;

  final Published published;

  private ControlledView(Builder builder) {
    view = builder.view;
    uid = builder.uid;
    spec = builder.spec;
    resolved = builder.resolved;
    refusal = builder.refusal;
    snapshot = builder.snapshot;
    freezing = builder.freezing;
    deletion = builder.deletion;
    goal = builder.goal;
    lastNumber = builder.lastNumber;
    version = builder.version;
    applied = builder.applied;
    checks = builder.checks;
    checking = builder.checking;
    placement = builder.placement;
    generations = builder.generations();
    leftovers = List.copyOf(builder.leftovers);
    waiting = Map.copyOf(builder.waiting);
    published = builder.published;
  }

  /** A view of which nothing is known. */
  public static ControlledView unknown(String view, String uid) {
    return new Builder(view, uid).build();
  }

  Builder toBuilder() {
    Builder builder = new Builder(view, uid);
    builder.spec = spec;
    builder.resolved = resolved;
    builder.refusal = refusal;
    builder.snapshot = snapshot;
    builder.freezing = freezing;
    builder.deletion = deletion;
    builder.goal = goal;
    builder.lastNumber = lastNumber;
    builder.version = version;
    builder.applied = applied;
    builder.checks = checks;
    builder.checking = checking;
    builder.placement = placement;
    generations.forEach(builder::put);
    builder.leftovers.addAll(leftovers);
    builder.waiting.putAll(waiting);
    builder.published = published;
    return builder;
  }

  /**
   * @param request number of the request
   */
  record Snapshot(String recordSet, long request, boolean done) {}

  /**
   * @param number of the generation to be
   * @param viewTopic that is made for it
   */
  record Freezing(ViewSpec spec, int number, String viewTopic) {}

  /**
   * @param tombstone version that the tombstone on {@code view-states} stands for; 0: not published
   * @param applied whether the sink has applied the tombstone
   */
  record Deletion(long tombstone, boolean applied) {}

  record Checking(int generation, long number) {}

  /**
   * Where the serving definition, or the one that is to serve, reads and writes. Texts are empty as
   * long as they are not known.
   *
   * @param sinkGroup consumer group of the target's sink
   */
  record Placement(String recordSet, String target, String sinkGroup) {
    static final Placement NONE = new Placement("", "", "");
  }

  /**
   * @param version of the status that does without the generation; the topic is in use until the
   *     target shows it
   */
  record Leftover(int generation, String viewTopic, long version) {}

  /**
   * The newest status that was published.
   *
   * @param substance what others act upon, as a text; empty: none was published
   * @param digest of all of it
   * @param atMs ms since the epoch
   */
  record Published(String substance, String digest, long atMs) {
    static final Published NOTHING = new Published("", "", 0);
  }

  public String view() {
    return view;
  }

  /** The generations on {@code view-generations}, which may have rows. */
  public List<PublishedGeneration> publishedGenerations() {
    return generations.stream()
        .filter(generation -> generation.stage() != Stage.PREPARED)
        .map(ControlledGeneration::published)
        .toList();
  }

  /** Whether this number is used up, and no generation has it: none ever will again. */
  public boolean isGone(int number) {
    return number <= lastNumber
        && (freezing == null || freezing.number() != number)
        && generations.stream().noneMatch(generation -> generation.number() == number);
  }

  /** Whether the topic of a generation that is gone is still to be deleted. */
  public boolean isLeftover(int number) {
    return leftovers.stream().anyMatch(leftover -> leftover.generation() == number);
  }

  /**
   * Whether another generation may begin to stand. The view's status describes all that stand.
   * Records of Kafka have 1 MiB, and the items of DynamoDB, which hold it as JSON in JSON, 400 KiB.
   */
  static boolean hasRoom(Collection<ControlledGeneration> standing) {
    IntSummaryStatistics lengths =
        standing.stream()
            .mapToInt(generation -> Utils.utf8Length(generation.description()))
            .summaryStatistics();
    return standing.size() < 2 || lengths.getSum() + lengths.getMax() <= MAX_DESCRIPTIONS;
  }

  /** Whether what was asked last waits for {@link #hasRoom}. */
  boolean isHeldUp() {
    return deletion == null
        && spec != null
        && spec.version() != resolved
        && freezing == null
        && !hasRoom(generations);
  }

  /**
   * Whether a later status of the view was published.
   *
   * @param standing on {@code view-states}; null: none
   */
  public boolean isAfter(ViewState standing) {
    return isShown()
        && !published.substance().isEmpty()
        && (standing == null || standing.version() < version);
  }

  /** Whether there is, or is to be, a status of the view on {@code view-states}. */
  boolean isShown() {
    return deletion == null ? spec != null || !refusal.isEmpty() : deletion.tombstone() == 0;
  }

  Optional<ControlledGeneration> serving() {
    return at(Stage.SERVING).findFirst();
  }

  Stream<ControlledGeneration> at(Stage... stages) {
    return generations.stream().filter(generation -> List.of(stages).contains(generation.stage()));
  }

  private List<Object> fields() {
    return Arrays.asList(
        view,
        uid,
        spec,
        resolved,
        refusal,
        snapshot,
        freezing,
        deletion,
        goal,
        lastNumber,
        version,
        applied,
        checks,
        checking,
        placement,
        generations,
        leftovers,
        waiting,
        published);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ControlledView that && fields().equals(that.fields());
  }

  @Override
  public int hashCode() {
    return fields().hashCode();
  }

  @Override
  public String toString() {
    return "ControlledView" + fields();
  }

  /** A view while the rules change it. */
  static final class Builder {
    final String view;
    final String uid;
    ViewSpec spec;
    long resolved;
    String refusal = "";
    Snapshot snapshot;
    Freezing freezing;
    Deletion deletion;
    int goal;
    int lastNumber;
    long version;
    long applied;
    long checks;
    Checking checking;
    Placement placement = Placement.NONE;
    Published published = Published.NOTHING;
    final List<Leftover> leftovers = new ArrayList<>();
    final Map<String, String> waiting = new TreeMap<>();
    private final Map<Integer, ControlledGeneration> generations = new TreeMap<>();

    Builder(String view, String uid) {
      this.view = Objects.requireNonNull(view, "view");
      this.uid = Objects.requireNonNull(uid, "uid");
    }

    ControlledView build() {
      return new ControlledView(this);
    }

    /** Version of the status that this step publishes, if it publishes one. */
    long nextVersion() {
      return version + 1;
    }

    Optional<ControlledGeneration> generation(int number) {
      return Optional.ofNullable(generations.get(number));
    }

    /** A copy of the current generations, by rising number. */
    List<ControlledGeneration> generations() {
      return List.copyOf(generations.values());
    }

    Stream<ControlledGeneration> at(Stage... stages) {
      return generations().stream()
          .filter(generation -> List.of(stages).contains(generation.stage()));
    }

    Optional<ControlledGeneration> serving() {
      return at(Stage.SERVING).findFirst();
    }

    /** Generations that keep others from writing in the same place. */
    Stream<ControlledGeneration> sharing(ControlledGeneration generation) {
      return generations().stream()
          .filter(other -> other.number() != generation.number())
          .filter(other -> other.store().equals(generation.store()));
    }

    void put(ControlledGeneration generation) {
      generations.put(generation.number(), generation);
    }

    void remove(ControlledGeneration generation) {
      generations.remove(generation.number());
    }

    void move(ControlledGeneration generation, Stage stage) {
      put(generation.with(generation.standing().to(stage, nextVersion())));
    }

    void startGrace(ControlledGeneration generation, long untilMs) {
      Standing standing = generation.standing();
      put(generation.with(new Standing(standing.stage(), standing.since(), untilMs)));
    }

    /** The spec is taken in: this generation is to serve. */
    void accept(int generation) {
      goal = generation;
      resolved = spec.version();
      refusal = "";
      snapshot = null;
    }

    /** The spec is taken in, and changes nothing. */
    void refuse(String reason) {
      resolved = spec.version();
      refusal = reason;
    }

    void addLeftover(Leftover leftover) {
      leftovers.add(leftover);
      leftovers.sort(Comparator.comparingInt(Leftover::generation));
    }
  }
}
