package io.indexview.connect.common.config;

import io.indexview.schemas.Topics;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/** The topics of the installation that a sink belongs to. */
public final class SinkTopicsFragment extends ConfigFragment {
  public static final String GROUP = "Topics";

  public static final String TOPIC_PREFIX_CONFIG = "topic.prefix";
  private static final String TOPIC_PREFIX_DISPLAY = "Topic prefix";

  /** Connect's own key, so there is none to define. */
  public static final String TOPICS_REGEX_CONFIG = "topics.regex";

  private static final String TOPICS_CONFIG = "topics";

  private final String target;

  /**
   * @param target {@code kv} or {@code dynamodb}
   */
  public SinkTopicsFragment(AbstractConfig config, String target) {
    super(config);
    this.target = target;
  }

  /**
   * @param use what the prefix is for in this sink beside the topic's name
   */
  public static void update(ConfigDef definition, String use) {
    ConfigGroup.in(definition, GROUP)
        .optional(
            TOPIC_PREFIX_CONFIG,
            Type.STRING,
            Topics.DEFAULT_PREFIX,
            MatchesPattern.NAME,
            TOPIC_PREFIX_DISPLAY,
            "First part of the names of the installation's own topics. " + use);
  }

  public Topics topics() {
    return new Topics(config().getString(TOPIC_PREFIX_CONFIG));
  }

  @Override
  public void validate(ConfigProblems problems) {
    String regex = text(TOPICS_REGEX_CONFIG);
    String list = text(TOPICS_CONFIG);
    String states = topics().viewStates();
    if (regex != null && !matches(regex, states)) {
      problems.add(
          TOPICS_REGEX_CONFIG,
          "does not match %s, from which the sink learns the views' states; use %s"
              .formatted(states, topics().sinkPattern(target)));
    } else if (regex == null
        && list != null
        && !List.of(list.split("\\s*,\\s*")).contains(states)) {
      problems.add(
          TOPICS_CONFIG,
          "does not name %s, from which the sink learns the views' states".formatted(states));
    }
  }

  private String text(String key) {
    return config().originals().get(key) instanceof String text && !text.isBlank() ? text : null;
  }

  /** A pattern that is none is reported by Connect. */
  private static boolean matches(String regex, String topic) {
    try {
      return Pattern.compile(regex).matcher(topic).matches();
    } catch (PatternSyntaxException e) {
      return true;
    }
  }
}
