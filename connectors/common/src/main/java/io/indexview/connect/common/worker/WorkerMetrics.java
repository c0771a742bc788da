package io.indexview.connect.common.worker;

import java.util.Optional;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.apache.kafka.connect.source.SourceTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a task registers its metrics: workers have that since Connect 4.1. Those before lack the
 * class {@link PluginMetrics} as well as the method, so nobody may name either in a lambda or a
 * method reference on the way here, or from here on while it is not known to be present: both are
 * linked where they stand, used or not.
 */
public final class WorkerMetrics {
  private static final Logger LOGGER = LoggerFactory.getLogger(WorkerMetrics.class);

  private WorkerMetrics() {}

  /** Metrics of a source task; empty on workers before Connect 4.1. */
  public static Optional<PluginMetrics> of(SourceTaskContext context) {
    try {
      return Optional.of(context.pluginMetrics());
    } catch (NoSuchMethodError e) {
      return none();
    }
  }

  /** Metrics of a sink task; empty on workers before Connect 4.1. */
  public static Optional<PluginMetrics> of(SinkTaskContext context) {
    try {
      return Optional.of(context.pluginMetrics());
    } catch (NoSuchMethodError e) {
      return none();
    }
  }

  private static Optional<PluginMetrics> none() {
    LOGGER.info("This worker has no metrics of plugins; Connect has them since 4.1");
    return Optional.empty();
  }
}
