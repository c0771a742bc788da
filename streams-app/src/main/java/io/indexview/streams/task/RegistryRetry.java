package io.indexview.streams.task;

import io.indexview.schemas.logging.OutageLog;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.streams.derive.TaskLocation;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work of a task that needs the schema registry. While that does not answer, the work is tried
 * again now and then: every task of every process waits then. Not safe for use by several threads.
 */
final class RegistryRetry {
  static final Duration PAUSE = Duration.ofSeconds(2);

  private static final Logger LOGGER = LoggerFactory.getLogger(RegistryRetry.class);

  private final TaskLocation location;
  private final String work;
  private final OutageLog outages;
  private final Timer pause;

  /**
   * @param work what the registry is needed to do, as in {@code take generations}
   */
  RegistryRetry(TaskLocation location, String work, Time time) {
    this.location = location;
    this.work = work;
    this.pause = new Timer(time);
    this.outages =
        new OutageLog(
            LOGGER, "%s: can %s again, the schema registry answers".formatted(location, work));
  }

  boolean isDue() {
    return pause.isExpired();
  }

  /**
   * Tries the work if it is due.
   *
   * @return whether it is done
   */
  boolean attempt(Runnable attempt) {
    if (!isDue()) {
      return false;
    }
    try {
      attempt.run();
    } catch (RegistryException e) {
      outages.failed(
          "%s: waits for the schema registry to %s: %s; see to it that it runs at schema.registry.url and has its schemas"
              .formatted(location, work, e.getMessage()),
          e);
      pause.reset(PAUSE);
      return false;
    }
    outages.succeeded();
    return true;
  }
}
