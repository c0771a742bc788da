package io.indexview.streams.controller.actions;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.TargetConfig.Removal;
import io.indexview.streams.controller.actions.SinkWatch.SinkPositions;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** How each action is done. */
public final class Actions implements ActionRunner.Factory {
  /** How far the clocks of this process and of whoever writes dead letters may be apart. */
  private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

  private final ActionContext context;
  private final Freezer freezer;
  private final SchemaRegistry registry;
  private final FreshnessWatch freshness;
  private final DebeziumSnapshot snapshot;
  private final Map<String, DeadLetterReader> deadLetters = new HashMap<>();
  private final Map<String, SinkPositions> sinks = new HashMap<>();
  private final Map<String, DeadLetterWindow> windows = new HashMap<>();

  /**
   * @param registry stays open
   */
  public Actions(
      ActionContext context, Freezer freezer, SchemaRegistry registry, FreshnessWatch freshness) {
    this.context = context;
    this.freezer = freezer;
    this.registry = registry;
    this.freshness = freshness;
    this.snapshot = new DebeziumSnapshot(context.log(), registry);
  }

  @Override
  public Activity begin(Action action) {
    if (action instanceof Action.Freeze freeze) {
      return found -> freezer.freeze(freeze);
    }
    if (action instanceof Action.AdHocSnapshot request) {
      return new AdHocSnapshot(request, context, registry);
    }
    if (action instanceof Action.CheckReady check) {
      return new ReadyCheck(
          check, context, snapshot, deadLetters(check.watched(), Map.of(), List.of()));
    }
    if (action instanceof Action.CheckStateApplied check) {
      return AppliedCheck.of(check, context);
    }
    if (action instanceof Action.CheckTopicApplied check) {
      return AppliedCheck.of(check, context);
    }
    if (action instanceof Action.RemoveRows removal) {
      return context.config().target(removal.target()).removal() == Removal.NATIVE
          ? new NativeRemoval(removal, context, registry)
          : new TombstoneRemoval(removal, context);
    }
    if (action instanceof Action.DeleteTopic deletion) {
      return new DeleteTopic(deletion, context);
    }
    Action.Watch watch = (Action.Watch) action;
    return new SinkWatch(
        watch.watched(),
        context,
        sinks.computeIfAbsent(watch.watched().target(), this::sink),
        deadLetters(watch.watched(), watch.deadLettersFrom(), watch.rejected()),
        freshness);
  }

  private SinkPositions sink(String target) {
    return new SinkPositions(context.config().target(target), context);
  }

  /** The dead letters of a generation, read once for all actions that need them. */
  private DeadLetterReader deadLetters(
      Action.Watched watched, Map<Integer, Long> from, Collection<RejectedRow> rejected) {
    return deadLetters.computeIfAbsent(
        watched.published().key(),
        key ->
            new DeadLetterReader(
                watched.published(),
                windows.computeIfAbsent(
                    watched.target(), target -> new DeadLetterWindow(context.log())),
                new RejectedRows(watched.published(), context.log(), rejected),
                positions(watched, from)));
  }

  /** Before a generation was frozen it had no rows, and no dead letters. */
  private Map<Integer, Long> positions(Action.Watched watched, Map<Integer, Long> from) {
    String topic = context.config().target(watched.target()).deadLetterTopic();
    long notBefore = watched.published().createdAtMs() - CLOCKS_DIFFER.toMillis();
    Map<Integer, Long> positions = new HashMap<>();
    if (!context.ends(topic).isEmpty()) {
      context
          .log()
          .since(topic, notBefore)
          .forEach((partition, offset) -> positions.put(partition.partition(), offset));
    }
    from.forEach((partition, offset) -> positions.merge(partition, offset, Math::max));
    return positions;
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
   * Action.CheckTopicApplied}, and {@link Action.CheckStateApplied}: that is wanted when the state
   * is committed, so it lies before that end.
   */
  static final class AppliedCheck implements Activity {
    private final Action action;
    private final ActionContext context;
    private final String target;
    private final String topic;
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
      if (ends == null) {
        ends = context.ends(topic);
      }
      return context.isApplied(target, ends)
          ? Activity.answered(Finding.Done.of(action))
          : Activity.waiting(
              "consumer group %s, the sink of target %s, to apply topic %s"
                  .formatted(context.sinkGroup(target), target, topic));
    }
  }

  /** Does {@link Action.DeleteTopic}. */
  static final class DeleteTopic implements Activity {
    /** The partitions of a transaction show that it is over one after the other. */
    static final int ATTEMPTS = 100;

    private static final Logger LOGGER = LoggerFactory.getLogger(DeleteTopic.class);

    private final Action.DeleteTopic action;
    private final ActionContext context;
    private int attempts;

    DeleteTopic(Action.DeleteTopic action, ActionContext context) {
      this.action = action;
      this.context = context;
    }

    @Override
    public Progress advance(Consumer<Finding> found) {
      if (isPublished()) {
        if (++attempts < ATTEMPTS) {
          return Activity.waiting(
              "the end of generation %d to be published".formatted(action.generation()));
        }
        LOGGER.warn("Topic {} is not deleted: its generation is published", action.viewTopic());
      } else {
        context.cluster().delete(action.viewTopic());
      }
      return Activity.answered(Finding.Done.of(action));
    }

    /** Tasks would wait for the topic, and end. */
    private boolean isPublished() {
      return context.tables().generations().get().values().stream()
          .anyMatch(generation -> generation.viewTopic().equals(action.viewTopic()));
    }
  }
}
