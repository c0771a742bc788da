package io.indexview.connect.common.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;

import io.indexview.connect.common.errors.Backoff;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** How long to wait before something unavailable is tried again. */
public final class RetryFragment extends ConfigFragment {
  public static final String GROUP = "Retries";

  public static final String INITIAL_CONFIG = "retry.backoff.initial.ms";
  private static final long INITIAL_DEFAULT = 100;
  private static final String INITIAL_DISPLAY = "First backoff (ms)";
  private static final String INITIAL_DOC =
      "Wait after the first of several consecutive failures; doubled with each further one.";

  public static final String MAX_CONFIG = "retry.backoff.max.ms";
  private static final long MAX_DEFAULT = 10_000;
  private static final String MAX_DISPLAY = "Longest backoff (ms)";
  private static final String MAX_DOC =
      "Longest wait. Up to half of each wait is random, so that tasks do not retry together.";

  public RetryFragment(AbstractConfig config) {
    super(config);
  }

  public static void update(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .tuning(
            INITIAL_CONFIG, Type.LONG, INITIAL_DEFAULT, atLeast(1), INITIAL_DISPLAY, INITIAL_DOC)
        .tuning(MAX_CONFIG, Type.LONG, MAX_DEFAULT, atLeast(1), MAX_DISPLAY, MAX_DOC);
  }

  @Override
  public void validate(ConfigProblems problems) {
    long initial = config().getLong(INITIAL_CONFIG);
    long max = config().getLong(MAX_CONFIG);
    if (max < initial) {
      problems.add(MAX_CONFIG, "%d is less than %s (%d)".formatted(max, INITIAL_CONFIG, initial));
    }
  }

  public Backoff backoff() {
    return new Backoff(millis(INITIAL_CONFIG), millis(MAX_CONFIG));
  }
}
