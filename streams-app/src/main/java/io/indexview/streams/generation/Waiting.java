package io.indexview.streams.generation;

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
  private static final int POLLS_PER_REMINDER = 60;

  private final StopSignal stop;
  private final Duration interval;
  private final Consumer<String> status;

  /**
   * @param interval between two tries
   * @param status learns what is waited for; an empty text when the wait is over
   */
  Waiting(StopSignal stop, Duration interval, Consumer<String> status) {
    this.stop = stop;
    this.interval = interval;
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
    for (int polls = 0; found.isEmpty(); polls++) {
      if (polls % POLLS_PER_REMINDER == 0) {
        LOGGER.info("Waiting for {}", what);
      }
      stop.pause(interval);
      found = poll.get();
    }
    LOGGER.info("Found {}", what);
    status.accept("");
    return found.get();
  }
}
