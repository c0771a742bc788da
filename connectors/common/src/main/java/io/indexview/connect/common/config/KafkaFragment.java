package io.indexview.connect.common.config;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;

/** How a source reads topics itself: the worker's own clients only write. */
public final class KafkaFragment extends ConfigFragment {
  /** Prefix of settings for the clients. */
  public static final String PREFIX = "kafka.";

  public static final String BOOTSTRAP_CONFIG =
      PREFIX + CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG;
  private static final String BOOTSTRAP_DISPLAY = "Kafka bootstrap servers";
  private static final String FURTHER =
      """
       Further keys that begin with kafka. are handed to the clients without it: \
      kafka.security.protocol.""";

  public KafkaFragment(AbstractConfig config) {
    super(config);
  }

  /**
   * @param doc what the brokers are for
   */
  public static void updateRequired(ConfigDef definition, String group, String doc) {
    ConfigGroup.in(definition, group)
        .required(
            BOOTSTRAP_CONFIG, Type.STRING, new NonEmptyString(), BOOTSTRAP_DISPLAY, doc + FURTHER);
  }

  /** The brokers' addresses, as they are configured. */
  public String bootstrapServers() {
    return config().getString(BOOTSTRAP_CONFIG);
  }

  /** Settings of the clients. */
  public Map<String, Object> settings() {
    return new HashMap<>(config().originalsWithPrefix(PREFIX));
  }
}
