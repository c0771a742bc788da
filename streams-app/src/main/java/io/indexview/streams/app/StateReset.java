package io.indexview.streams.app;

import io.indexview.streams.error.StopSignal;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Throws away the local state under a stream processor that runs. */
final class StateReset {
  private static final Logger LOGGER = LoggerFactory.getLogger(StateReset.class);

  private StateReset() {}

  /** What has the state, and what comes after it. */
  interface Run {
    /** Stops; whether it did within the time for it. It may be called again. */
    boolean close();

    void cleanUp();

    void startNext();
  }

  /**
   * Stops, throws the state away, and starts again. A thread that waits for the schema registry
   * stops when that answers, so stopping is waited for as long as the application runs; whatever
   * fails after it, the processor starts again.
   *
   * @return whether it starts again; false: the application closes
   */
  static boolean restart(Run run, StopSignal stop) {
    while (!run.close()) {
      if (stop.isStopped()) {
        return false;
      }
      LOGGER.warn("The state cannot be thrown away yet: the stream threads have not stopped");
    }
    if (stop.isStopped()) {
      return false;
    }
    try {
      run.cleanUp();
    } finally {
      run.startNext();
    }
    return true;
  }
}
