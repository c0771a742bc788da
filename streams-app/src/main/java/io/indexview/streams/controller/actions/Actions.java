package io.indexview.streams.controller.actions;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.TargetConfig.Removal;
import io.indexview.streams.controller.actions.SinkWatch.SinkPositions;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding.RejectedRow;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** How each action is done. */
public final class Actions implements ActionRunner.Factory {
  /** How far the clocks of this process and of whoever writes dead letters may be apart. */
  private static final Duration CLOCKS_DIFFER = Duration.ofHours(1);

  private final ActionContext context;
  private final Freezer freezer;
  private final SchemaRegistry registry;
  private final Map<String, DeadLetterReader> deadLetters = new HashMap<>();
  private final Map<String, SinkPositions> sinks = new HashMap<>();

  /**
   * @param registry stays open
   */
  public Actions(ActionContext context, Freezer freezer, SchemaRegistry registry) {
    this.context = context;
    this.freezer = freezer;
    this.registry = registry;
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
      return new ReadyCheck(check, context, deadLetters(check.watched(), Map.of(), List.of()));
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
        deadLetters(watch.watched(), watch.deadLettersFrom(), watch.rejected()));
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
                context.log(),
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
}
