package io.indexview.connect.common.preflight;

import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import java.time.Duration;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** Whether a configuration is tried out when it is submitted. */
public final class PreflightFragment extends ConfigFragment {
  public static final String GROUP = "Preflight";

  public static final String TIMEOUT_CONFIG = "preflight.timeout.ms";
  private static final long TIMEOUT_DEFAULT = 10_000;

  /** Connect gives up a request to validate after 90 s. */
  private static final long TIMEOUT_MAX = 60_000;

  private static final String TIMEOUT_DISPLAY = "Preflight timeout (ms)";
  private static final String TIMEOUT_DOC =
      """
      How long the systems that the connector needs may take to answer when its configuration is \
      submitted; what does not answer is an error of its key. 0: they are not asked, so that a \
      connector can be deployed before they are there.""";

  public PreflightFragment(AbstractConfig config) {
    super(config);
  }

  public static void update(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .tuning(
            TIMEOUT_CONFIG,
            Type.LONG,
            TIMEOUT_DEFAULT,
            between(0, TIMEOUT_MAX),
            TIMEOUT_DISPLAY,
            TIMEOUT_DOC);
  }

  public boolean isWanted() {
    return !timeout().isZero();
  }

  public Duration timeout() {
    return millis(TIMEOUT_CONFIG);
  }
}
