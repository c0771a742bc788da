package io.indexview.streams.task;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.derive.TaskLocation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work of a task that needs the schema registry. While that does not answer, the work is tried
 * again now and then, and the log says so once for each reason: every task of every process waits
 * then. Not safe for use by several threads.
 */
final class RegistryRetry {
  static final long PAUSE_MS = 2_000;

  private static final Logger LOGGER = LoggerFactory.getLogger(RegistryRetry.class);

  private final TaskLocation location;
  private final String work;
  private long dueAtMs = Long.MIN_VALUE;

  /** Why the work waits; null: it does not. */
  private String trouble;

  /**
   * @param work what the registry is needed to do, as in {@code take generations}
   */
  RegistryRetry(TaskLocation location, String work) {
    this.location = location;
    this.work = work;
  }

  boolean isDue(long nowMs) {
    return nowMs >= dueAtMs;
  }

  /**
   * Tries the work if it is due.
   *
   * @return whether it is done
   */
  boolean attempt(Runnable attempt, long nowMs) {
    if (!isDue(nowMs)) {
      return false;
    }
    try {
      attempt.run();
    } catch (RegistryException e) {
      String now = String.valueOf(e.getMessage());
      if (now.equals(trouble)) {
        LOGGER.debug("{}: still waits for the schema registry to {}", location, work, e);
      } else {
        LOGGER.warn(
            "{}: waits for the schema registry to {}: {}; see to it that it runs at schema.registry.url and has its schemas",
            location,
            work,
            now,
            e);
      }
      trouble = now;
      dueAtMs = nowMs + PAUSE_MS;
      return false;
    }
    if (trouble != null) {
      LOGGER.info("{}: can {} again, the schema registry answers", location, work);
    }
    trouble = null;
    return true;
  }
}
