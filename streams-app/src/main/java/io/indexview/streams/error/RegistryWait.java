package io.indexview.streams.error;

import io.indexview.schemas.registry.RegistryException;
import io.indexview.streams.error.StopSignal.StoppedException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does what needs the schema registry, and waits as long as the registry does not answer. Safe for
 * use by several threads.
 *
 * <p>Events whose schemas are not known wait before they come to a task; what still waits here is
 * rare. A stream thread that waits holds its record: throwing instead would make Kafka Streams wipe
 * and restore the state of every task of the thread, again and again until the registry is back. If
 * the wait outlasts the transaction the brokers abort it and free their readers; if it outlasts
 * {@code max.poll.interval.ms} the tasks move to an instance that may reach the registry. In both
 * cases the thread finds itself fenced when it goes on, and the work is done again from the last
 * commit.
 */
public final class RegistryWait {
  private static final Logger LOGGER = LoggerFactory.getLogger(RegistryWait.class);

  private final StopSignal stop;
  private final RetryDelay delay;
  private final AtomicInteger waiting = new AtomicInteger();
  private final AtomicInteger waits = new AtomicInteger();

  public RegistryWait(StopSignal stop) {
    this(stop, Duration.ofMillis(100), Duration.ofSeconds(5));
  }

  RegistryWait(StopSignal stop, Duration first, Duration max) {
    this.stop = stop;
    this.delay = new RetryDelay(first, max);
  }

  /** Work that asks the registry. */
  @FunctionalInterface
  public interface Work<T, X extends Exception> {
    T run() throws X;
  }

  /** How many waits there were, those that last included. */
  public int waits() {
    return waits.get();
  }

  /** How many threads are waiting for the registry now. */
  public int waiting() {
    return waiting.get();
  }

  /**
   * The result of {@code work}, tried again while the registry fails: does not answer, or refuses
   * the application's credentials. Its answers, refusals of the request among them, pass through.
   *
   * @throws StoppedException if the app closes meanwhile
   */
  public <T, X extends Exception> T get(Work<T, X> work) throws X {
    try {
      return work.run();
    } catch (RegistryException e) {
      if (!e.isOutage()) {
        throw e;
      }
      return retry(work, e);
    }
  }

  private <T, X extends Exception> T retry(Work<T, X> work, RegistryException first) throws X {
    LOGGER.warn(
        "The schema registry does not answer; the work waits for it, see to it that it runs at schema.registry.url",
        first);
    waits.incrementAndGet();
    waiting.incrementAndGet();
    try {
      for (int attempt = 0; ; attempt++) {
        stop.pause(delay.of(attempt));
        try {
          T result = work.run();
          LOGGER.info("The schema registry answers again after {} retries", attempt + 1);
          return result;
        } catch (RegistryException e) {
          if (!e.isOutage()) {
            throw e;
          }
          LOGGER.debug("The schema registry still does not answer", e);
        }
      }
    } finally {
      waiting.decrementAndGet();
    }
  }
}
