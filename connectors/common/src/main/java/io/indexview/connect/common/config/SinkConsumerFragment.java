package io.indexview.connect.common.config;

import org.apache.kafka.common.config.AbstractConfig;

/** What a sink's consumer must be told. The key is Connect's own, so there is none to define. */
public final class SinkConsumerFragment extends ConfigFragment {
  /** How the framework is told what the consumer of a sink reads. */
  public static final String ISOLATION_CONFIG = "consumer.override.isolation.level";

  private static final String READ_COMMITTED = "read_committed";

  public SinkConsumerFragment(AbstractConfig config) {
    super(config);
  }

  @Override
  public void validate(ConfigProblems problems) {
    if (!READ_COMMITTED.equals(config().originals().get(ISOLATION_CONFIG))) {
      problems.add(
          ISOLATION_CONFIG,
          "set it to read_committed: rows of aborted transactions must not reach the store");
    }
  }
}
