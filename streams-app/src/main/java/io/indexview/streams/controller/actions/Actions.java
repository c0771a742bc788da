package io.indexview.streams.controller.actions;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.streams.config.TargetConfig;
import io.indexview.streams.config.TargetConfig.Removal;
import io.indexview.streams.controller.actions.SinkWatch.SinkPositions;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.DeadLetterPosition;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How each action is done. */
public final class Actions implements ActionRunner.Factory {
  /** How far the clocks of this process and of whoever writes dead letters may be apart. */
  private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

  private final ActionContext context;
  private final Freezer freezer;
  private final AppTopics appTopics;
  private final SchemaRegistry registry;
  private final FreshnessWatch freshness;
  private final DebeziumSnapshot snapshot;
  private final Map<String, DeadLetterReader> deadLetters = new HashMap<>();
  private final Map<String, SinkPositions> sinks = new HashMap<>();
  private final Map<String, DeadLetterWindow> windows = new HashMap<>();
  private final DeletionTimes deletions;

  /**
   * @param registry stays open
   */
  public Actions(
      ActionContext context,
      Freezer freezer,
      AppTopics appTopics,
      SchemaRegistry registry,
      FreshnessWatch freshness) {
    this.context = context;
    this.freezer = freezer;
    this.appTopics = appTopics;
    this.registry = registry;
    this.freshness = freshness;
    this.snapshot = new DebeziumSnapshot(context.log(), registry);
    this.deletions = new DeletionTimes(context.time());
  }

  @Override
  public void beginRound() {
    context.beginRound();
  }

  @Override
  public Activity begin(Action action) {
    if (action instanceof Action.Freeze freeze) {
      return found -> freezer.freeze(freeze);
    }
    if (action instanceof Action.AdHocSnapshot request) {
      return new SnapshotRequester(request, context, registry);
    }
    if (action instanceof Action.CheckReady check) {
      return new ReadyCheck(check, context, snapshot, deadLetters(check.watch()));
    }
    if (action instanceof Action.CheckStateApplied check) {
      return AppliedCheck.of(check, context);
    }
    if (action instanceof Action.CheckTopicApplied check) {
      return isNative(check.target())
          ? new NativeRemoval(check, context, registry, appTopics)
          : AppliedCheck.of(check, context);
    }
    if (action instanceof Action.RemoveRows removal) {
      return isNative(removal.target())
          ? new NativeRemoval(removal, context, registry, appTopics)
          : new RemovalByTombstones(removal, context);
    }
    if (action instanceof Action.DeleteTopic deletion) {
      return new DeleteTopic(deletion, context, deletions);
    }
    Action.Watch watch = (Action.Watch) action;
    return new SinkWatch(
        watch.watched(),
        context,
        sinks.computeIfAbsent(watch.watched().target(), this::sink),
        deadLetters(watch),
        freshness);
  }

  private boolean isNative(String target) {
    return context.config().target(target).removal() == Removal.NATIVE;
  }

  private SinkPositions sink(String target) {
    return new SinkPositions(context.config().target(target), context);
  }

  /** The dead letters of a generation, read once for all actions that need them. */
  private DeadLetterReader deadLetters(Action.Watch watch) {
    PublishedGeneration published = watch.watched().published();
    return deadLetters.computeIfAbsent(
        published.key(),
        key -> {
          DeadLetterWindow window = window(watch.watched().target());
          return new DeadLetterReader(
              published,
              window,
              new RejectedRowTracker(published, context.log(), watch.rejected()),
              position(published, window, watch.from()));
        });
  }

  /**
   * Opens the dead letters of a target's topic as it is now: a reader gets nothing of an earlier
   * topic of the same name.
   */
  private DeadLetterWindow window(String target) {
    TargetConfig config = context.config().target(target);
    String topic = config.deadLetterTopic();
    String id =
        context
            .observed()
            .topicId(topic)
            .orElseThrow(
                () ->
                    new UnknownTopicOrPartitionException(
                        "there is no topic %s (target.%s.dead.letter.topic)"
                            .formatted(topic, target)));
    return windows.compute(
        target,
        (unused, kept) ->
            kept != null && kept.topicId().equals(id)
                ? kept
                : new DeadLetterWindow(
                    context.log(), topic, id, config.removal() == Removal.NATIVE));
  }

  /**
   * Returns where to begin to read: before a generation was frozen it had no rows, and no dead
   * letters. Allows for a clock that was ahead at that time.
   */
  private DeadLetterPosition position(
      PublishedGeneration published, DeadLetterWindow window, DeadLetterPosition from) {
    long frozenAtMs = Math.min(published.createdAtMs(), context.time().millis());
    long notBefore = frozenAtMs - CLOCKS_DIFFER.toMillis();
    Map<Integer, Long> next = new HashMap<>();
    context
        .log()
        .since(window.topic(), notBefore)
        .forEach((partition, offset) -> next.put(partition.partition(), offset));
    if (!from.isOfAnother(window.topicId())) {
      from.next().forEach((partition, offset) -> next.merge(partition, offset, Math::max));
    }
    return new DeadLetterPosition(from.topicId(), next);
  }

  @Override
  public void keep(Collection<Action> wanted) {
    Set<String> keys = new HashSet<>();
    for (Action action : wanted) {
      if (action instanceof Action.Watch watch) {
        keys.add(watch.watched().published().key());
      } else if (action instanceof Action.CheckReady check) {
        keys.add(check.watched().published().key());
      }
    }
    deadLetters.keySet().retainAll(keys);
  }

  /**
   * Waits until a sink has applied a topic up to the end that it has when this begins. Does {@link
   * Action.CheckTopicApplied}, of whose topic nothing is left to apply when it is deleted, and
   * {@link Action.CheckStateApplied}: that is wanted when the state is committed, so it lies before
   * that end.
   */
  static final class AppliedCheck implements Activity {
    private final Action action;
    private final ActionContext context;
    private final String target;
    private final String topic;
    private Optional<String> topicId = Optional.empty();
    private Map<TopicPartition, Long> ends;

    private AppliedCheck(Action action, ActionContext context, String target, String topic) {
      this.action = action;
      this.context = context;
      this.target = target;
      this.topic = topic;
    }

    static Activity of(Action.CheckTopicApplied action, ActionContext context) {
      return new AppliedCheck(action, context, action.target(), action.viewTopic());
    }

    static Activity of(Action.CheckStateApplied action, ActionContext context) {
      // A generic Connect sink has no state to show.
      return context.config().target(action.target()).removal() == Removal.NATIVE
          ? new AppliedCheck(action, context, action.target(), context.topics().viewStates())
          : found -> Activity.answered(Finding.Done.of(action));
    }

    @Override
    public Progress advance(Consumer<Finding> found) {
      if (action instanceof Action.CheckTopicApplied) {
        Optional<String> id = context.observed().topicId(topic);
        if (!id.equals(topicId)) {
          topicId = id;
          ends = null;
        }
      }
      if (ends == null) {
        ends = context.ends(topic);
      }
      return context.isApplied(target, ends)
          ? Activity.answered(Finding.Done.of(action))
          : context.waitingForSink(target, "apply topic " + topic);
    }
  }

  /** Does {@link Action.DeleteTopic}. */
  static final class DeleteTopic implements Activity {
    /** The partitions of a transaction show that it is over one after the other. */
    static final int ATTEMPTS = 100;

    /** Time for a task of the sink to begin with the partitions that were assigned to it. */
    static final Duration SETTLING = Duration.ofSeconds(2);

    /** Time for the right to see the sink's group to be granted. */
    static final Duration REFUSED = Duration.ofSeconds(30);

    private static final Logger LOGGER = LoggerFactory.getLogger(DeleteTopic.class);

    private final Action.DeleteTopic action;
    private final ActionContext context;
    private final DeletionTimes times;
    private int attempts;
    private Timer pause;
    private Timer refusal;
    private Optional<Map<String, Set<TopicPartition>>> assignment = Optional.empty();

    DeleteTopic(Action.DeleteTopic action, ActionContext context, DeletionTimes times) {
      this.action = action;
      this.context = context;
      this.times = times;
    }

    @Override
    public Progress advance(Consumer<Finding> found) {
      if (isPublished()) {
        if (++attempts < ATTEMPTS) {
          return Activity.waiting(
              "the end of generation %d to be published".formatted(action.generation()));
        }
        LOGGER.warn(
            "Topic {} is not deleted, as a generation with it still stands on view-generations",
            action.viewTopic());
      } else if (isEarly()) {
        return new Again(pause.remaining(), "");
      } else if (!isSettled()) {
        return new Again(SETTLING, "the tasks of the sink to share its partitions");
      } else {
        context.cluster().delete(action.viewTopic());
      }
      return Activity.answered(Finding.Done.of(action));
    }

    private boolean isEarly() {
      if (pause == null) {
        pause = new Timer(context.time());
        pause.reset(times.untilNext());
      }
      return !pause.isExpired();
    }

    /**
     * Connect ends a task that is given a partition of a topic that goes before the task has come
     * to it: it asks for the position until {@code default.api.timeout.ms} is over, and no task of
     * the sink commits anything meanwhile. A right to see the sink's group that is not given must
     * not keep the view from being defined again, and from telling what is missing.
     */
    private boolean isSettled() {
      Optional<TargetConfig> target =
          context.target(action.view(), action.generation(), action.viewTopic());
      if (target.isEmpty()) {
        return true;
      }
      try {
        var now = context.cluster().assignment(target.get().sinkGroup());
        boolean settled = now.isPresent() && now.equals(assignment);
        assignment = now;
        return settled;
      } catch (AuthorizationException e) {
        if (refusal == null) {
          refusal = new Timer(context.time());
          refusal.reset(REFUSED);
        }
        if (!refusal.isExpired()) {
          throw e;
        }
        LOGGER.warn(
            "Topic {} is deleted though nobody knows whether a task of its sink still reads it, which may stop then; let the application describe group {}",
            action.viewTopic(),
            target.get().sinkGroup(),
            e);
        return true;
      }
    }

    /**
     * Whether the generation is still published; its tasks would wait for a deleted topic, and end.
     */
    private boolean isPublished() {
      return context.tables().generations().get().values().stream()
          .anyMatch(generation -> generation.viewTopic().equals(action.viewTopic()));
    }
  }

  /**
   * When topics are deleted: at once, and those that could go soon after that, together. For each
   * deletion the tasks of a sink share their partitions anew; they commit nothing meanwhile, and
   * what they are given may be of the topic that goes next.
   */
  static final class DeletionTimes {
    /** Longer than a sink takes to see that a topic is gone, and to share its partitions. */
    static final Duration INTERVAL = Duration.ofSeconds(10);

    private final Time time;
    private long latest;

    DeletionTimes(Time time) {
      this.time = time;
      this.latest = time.nanoTime() - INTERVAL.toNanos();
    }

    /** How long it is until a topic is to be deleted that can go now. */
    Duration untilNext() {
      long now = time.nanoTime();
      if (now - latest >= INTERVAL.toNanos()) {
        latest = now;
      } else if (now - latest >= 0) {
        latest += INTERVAL.toNanos();
      }
      return Duration.ofNanos(latest - now);
    }
  }
}
