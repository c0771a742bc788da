package io.indexview.connect.kvstore.config;

import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.connect.common.config.ConfigFragment;
import io.indexview.connect.common.config.ConfigGroup;
import io.indexview.schemas.config.Validators.OneOf;
import java.time.Duration;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** How a source finds changes between two scans. */
public final class CaptureFragment extends ConfigFragment {
  public static final String GROUP = "Capture";

  public static final String MODE_CONFIG = "capture.mode";
  private static final String MODE_DISPLAY = "Capture mode";
  private static final String MODE_DOC =
      """
      How changes are found. auto: the source follows the changes of the store and reads each record \
      that they name; where the store cannot tell them it scans, and says why on source-states. \
      subscription: the same, but the task fails where the store cannot tell them. scan: the source \
      only scans.""";

  public static final String SCAN_INTERVAL_CONFIG = "capture.scan.interval.ms";
  private static final long SCAN_INTERVAL_DEFAULT = Duration.ofHours(6).toMillis();
  private static final String SCAN_INTERVAL_DISPLAY = "Scan interval while following (ms)";
  private static final String SCAN_INTERVAL_DOC =
      """
      Longest time from the end of a scan to the start of the next while the store proves that every \
      change was named. When it has not for 15 s, scans come as if changes were not followed, and at \
      once where changes may have been missed.""";

  public static final String DELAY_CONFIG = "capture.delay.ms";
  private static final long DELAY_DEFAULT = 20;
  private static final long DELAY_MAX = Duration.ofMinutes(1).toMillis();
  private static final String DELAY_DISPLAY = "Delay of reads (ms)";
  private static final String DELAY_DOC =
      """
      Time from when a change is named to when its record is read: changes of the meantime are read \
      together, and an event of the writer library that comes meanwhile is not published twice.""";

  private static final OneOf<CaptureMode> MODES = OneOf.of(CaptureMode.class);

  public CaptureFragment(AbstractConfig config) {
    super(config);
  }

  public static void update(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .optional(MODE_CONFIG, Type.STRING, "auto", MODES, MODE_DISPLAY, MODE_DOC)
        .tuning(
            SCAN_INTERVAL_CONFIG,
            Type.LONG,
            SCAN_INTERVAL_DEFAULT,
            atLeast(1),
            SCAN_INTERVAL_DISPLAY,
            SCAN_INTERVAL_DOC)
        .tuning(
            DELAY_CONFIG,
            Type.LONG,
            DELAY_DEFAULT,
            between(0, DELAY_MAX),
            DELAY_DISPLAY,
            DELAY_DOC);
  }

  public CaptureMode mode() {
    return MODES.parse(config().getString(MODE_CONFIG));
  }

  /** While changes are followed. */
  public Duration scanInterval() {
    return millis(SCAN_INTERVAL_CONFIG);
  }

  public Duration delay() {
    return millis(DELAY_CONFIG);
  }

  /** How a source finds changes. */
  public enum CaptureMode {
    /**
     * The source follows the changes of the store where the store can tell them, and scans where
     * not.
     */
    AUTO,
    /**
     * The source follows the changes of the store; where the store cannot tell them the task fails.
     */
    SUBSCRIPTION,
    /** The source only scans. */
    SCAN
  }
}
