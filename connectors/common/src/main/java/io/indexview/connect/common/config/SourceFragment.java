package io.indexview.connect.common.config;

import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.Validators.MatchesPattern;
import java.time.Duration;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** Name of a source, and the topics of the installation it belongs to. */
public final class SourceFragment extends ConfigFragment {
  public static final String GROUP = "Source";

  public static final String NAME_CONFIG = "source.name";
  private static final String NAME_DISPLAY = "Source name";
  private static final String NAME_DOC =
      """
      Identity of this source on the source-states topic and in the source block of every event. \
      Keep it when the connector is renamed or created again: what is known of the source's \
      completeness is kept under it. No other connector may have it: of two with the same name and \
      topic only one would count.""";

  public static final String TOPIC_PREFIX_CONFIG = "topic.prefix";
  private static final String TOPIC_PREFIX_DISPLAY = "Topic prefix";
  private static final String TOPIC_PREFIX_DOC =
      """
      First part of the names of the installation's own topics (source-states, dead-letters). \
      Must be the streams app's.""";

  public static final String HEARTBEAT_CONFIG = "heartbeat.interval.ms";
  private static final long HEARTBEAT_DEFAULT = 1_000;

  /** The app takes those within the same 30 s for heartbeats at the same time. */
  private static final long HEARTBEAT_MAX = 10_000;

  private static final String HEARTBEAT_DISPLAY = "Heartbeat interval (ms)";
  private static final String HEARTBEAT_DOC =
      """
      How often the source says on source-states that it is alive. The freshness of an idle view \
      advances with it. The app notices two connectors of one name by heartbeats within the same \
      30 s.""";

  public SourceFragment(AbstractConfig config) {
    super(config);
  }

  public static void update(ConfigDef definition) {
    ConfigGroup.in(definition, GROUP)
        .required(NAME_CONFIG, Type.STRING, MatchesPattern.NAME, NAME_DISPLAY, NAME_DOC)
        .optional(
            TOPIC_PREFIX_CONFIG,
            Type.STRING,
            Topics.DEFAULT_PREFIX,
            MatchesPattern.NAME,
            TOPIC_PREFIX_DISPLAY,
            TOPIC_PREFIX_DOC)
        .tuning(
            HEARTBEAT_CONFIG,
            Type.LONG,
            HEARTBEAT_DEFAULT,
            between(10, HEARTBEAT_MAX),
            HEARTBEAT_DISPLAY,
            HEARTBEAT_DOC);
  }

  public String name() {
    return config().getString(NAME_CONFIG);
  }

  public Topics topics() {
    return new Topics(config().getString(TOPIC_PREFIX_CONFIG));
  }

  public Duration heartbeatInterval() {
    return millis(HEARTBEAT_CONFIG);
  }
}
