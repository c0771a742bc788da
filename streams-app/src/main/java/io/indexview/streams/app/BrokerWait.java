package io.indexview.streams.app;

import io.indexview.schemas.logging.OutageLog;
import io.indexview.streams.error.StopSignal;
import java.time.Duration;
import org.apache.kafka.common.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Does work that needs the brokers, anew as long as they do not answer. For one thread. */
final class BrokerWait {
  private static final Logger LOGGER = LoggerFactory.getLogger(BrokerWait.class);

  private final StopSignal stop;
  private final Duration pause;
  private final OutageLog outages = new OutageLog(LOGGER, "The brokers answer again");

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
    while (true) {
      try {
        work.run();
        break;
      } catch (RetriableException e) {
        outages.failed(
            "The brokers do not answer and are waited for; see to it that they run at bootstrap.servers",
            e);
        waiting.run();
        stop.pause(pause);
      }
    }
    outages.succeeded();
  }
}
