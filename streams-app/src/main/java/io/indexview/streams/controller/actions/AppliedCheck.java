package io.indexview.streams.controller.actions;

import io.indexview.streams.config.TargetConfig.Removal;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.common.TopicPartition;

/**
 * Waits until a sink has applied a topic up to the end that it has when this begins. Does {@link
 * Action.CheckTopicApplied}, and {@link Action.CheckStateApplied}: that is wanted when the state is
 * committed, so it lies before that end.
 */
final class AppliedCheck implements Activity {
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
