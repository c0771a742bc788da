package io.indexview.streams.app;

import io.indexview.streams.error.StopSignal;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does work that needs the brokers, anew as long as they do not answer. The log says so once per
 * outage and kind of failure, as the messages of Kafka's clients are others each time. For one
 * thread.
 */
final class BrokerWait {
  private static final Logger LOGGER = LoggerFactory.getLogger(BrokerWait.class);

  private final StopSignal stop;
  private final Duration pause;

  BrokerWait(StopSignal stop, Duration pause) {
    this.stop = stop;
    this.pause = pause;
  }

  /**
   * Does the work, which may be begun any number of times.
   *
   * @param waiting told each time that it is begun anew
   * @throws StopSignal.StoppedException if the app closes meanwhile
   */
  void run(Runnable work, Runnable waiting) {
    Set<Class<?>> said = new HashSet<>();
    while (true) {
      try {
        work.run();
        break;
      } catch (RetriableException e) {
        if (said.add(e.getClass())) {
          LOGGER.warn(
              "The brokers do not answer and are waited for; see to it that they run at bootstrap.servers",
              e);
        } else {
          LOGGER.debug("The brokers still do not answer", e);
        }
        waiting.run();
        stop.pause(pause);
      }
    }
    if (!said.isEmpty()) {
      LOGGER.info("The brokers answer again");
    }
  }
}
