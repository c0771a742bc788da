package io.indexview.connect.common.config;

import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.AbstractConfig;

/** What Connect must know of a sink. The keys are its own, so there is none to define. */
public final class SinkConsumerFragment extends ConfigFragment {
  /** How the framework learns what the consumer of a sink reads. */
  public static final String ISOLATION_CONFIG = "consumer.override.isolation.level";

  /** How the framework learns how the tasks of a sink share their partitions. */
  public static final String ASSIGNOR_CONFIG = "consumer.override.partition.assignment.strategy";

  private static final String GROUP_PROTOCOL_CONFIG = "consumer.override.group.protocol";
  private static final String TOLERANCE_CONFIG = "errors.tolerance";
  private static final String RETRY_CONFIG = "errors.retry.timeout";
  private static final String READ_COMMITTED = "read_committed";
  private static final String COOPERATIVE = CooperativeStickyAssignor.class.getName();

  public SinkConsumerFragment(AbstractConfig config) {
    super(config);
  }

  @Override
  public void validate(ConfigProblems problems) {
    if (!READ_COMMITTED.equals(given(ISOLATION_CONFIG))) {
      problems.add(
          ISOLATION_CONFIG,
          "set it to read_committed: rows of aborted transactions must not reach the store");
    }
    if (sharesByTheBroker()) {
      problems.add(
          GROUP_PROTOCOL_CONFIG,
          "leave it out: with the consumer protocol Kafka Connect ends a task when partitions are"
              + " taken from it, as when a view is dropped");
    }
    if (!COOPERATIVE.equals(given(ASSIGNOR_CONFIG))) {
      problems.add(
          ASSIGNOR_CONFIG,
          "set it to "
              + COOPERATIVE
              + ": otherwise every view that comes or goes stops the rows of all views, for up to a"
              + " minute when its topic is deleted");
    }
    validateRetries(problems);
  }

  /** Where errors are tolerated, a retry that ends is the end of a row that may be good. */
  private void validateRetries(ConfigProblems problems) {
    boolean tolerates = "all".equalsIgnoreCase(String.valueOf(given(TOLERANCE_CONFIG)));
    if (tolerates && !"-1".equals(given(RETRY_CONFIG))) {
      problems.add(
          RETRY_CONFIG,
          "set it to -1: otherwise good rows become dead letters while the schema registry is away,"
              + " as errors.tolerance is all");
    }
  }

  /**
   * Where the consumer hands out maps that cannot be changed, and {@code WorkerSinkTask} of 4.3.1
   * removes the partitions from one: its metrics keep the offsets of the last commit.
   */
  private boolean sharesByTheBroker() {
    return "consumer".equalsIgnoreCase(String.valueOf(given(GROUP_PROTOCOL_CONFIG)));
  }

  private Object given(String key) {
    return config().originals().get(key);
  }
}
