package io.indexview.streams.controller.actions;

import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does {@link Action.DeleteTopic}. */
final class DeleteTopic implements Activity {
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
