package io.indexview.streams.generation;

import io.indexview.streams.error.RetryDelay;
import io.indexview.streams.error.StopSignal;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Waits for what others must provide, and says for what. */
final class Waiting {
  private static final Logger LOGGER = LoggerFactory.getLogger(Waiting.class);
  private static final Duration REMINDER = Duration.ofMinutes(1);

  private final StopSignal stop;
  private final RetryDelay delay;
  private final Consumer<String> status;

  /**
   * @param delay between two tries
   * @param status learns what is waited for; an empty text when the wait is over
   */
  Waiting(StopSignal stop, RetryDelay delay, Consumer<String> status) {
    this.stop = stop;
    this.delay = delay;
    this.status = status;
  }

  /**
   * What {@code poll} finds.
   *
   * @throws io.indexview.streams.error.StopSignal.StoppedException if the app closes meanwhile
   */
  <T> T until(String what, Supplier<Optional<T>> poll) {
    Optional<T> found = poll.get();
    if (found.isPresent()) {
      return found.get();
    }
    status.accept("waiting for " + what);
    LOGGER.info("Waiting for {}", what);
    Duration silent = Duration.ZERO;
    for (int attempt = 0; found.isEmpty(); attempt++) {
      Duration pause = delay.of(attempt);
      stop.pause(pause);
      found = poll.get();
      silent = silent.plus(pause);
      if (found.isEmpty() && silent.compareTo(REMINDER) >= 0) {
        LOGGER.info("Still waiting for {}", what);
        silent = Duration.ZERO;
      }
    }
    LOGGER.info("Found {}", what);
    status.accept("");
    return found.get();
  }
}
