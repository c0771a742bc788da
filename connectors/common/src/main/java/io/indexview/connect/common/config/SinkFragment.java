package io.indexview.connect.common.config;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.Validators.MatchesPattern;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;

/**
 * The topics of the installation that a sink belongs to, and how Connect's consumer reads them.
 * Most keys are Connect's own, so there is one to define.
 */
public final class SinkFragment extends ConfigFragment {
  public static final String GROUP = "Topics";

  public static final String TOPIC_PREFIX_CONFIG = "topic.prefix";
  private static final String TOPIC_PREFIX_DISPLAY = "Topic prefix";

  private static final String TOPICS_REGEX_CONFIG = "topics.regex";
  private static final String TOPICS_CONFIG = "topics";
  private static final String ISOLATION_CONFIG = "consumer.override.isolation.level";
  private static final String ASSIGNOR_CONFIG = "consumer.override.partition.assignment.strategy";
  private static final String GROUP_PROTOCOL_CONFIG = "consumer.override.group.protocol";
  private static final String TOLERANCE_CONFIG = "errors.tolerance";
  private static final String RETRY_CONFIG = "errors.retry.timeout";
  private static final String DEAD_LETTERS_CONFIG = "errors.deadletterqueue.topic.name";
  private static final String READ_COMMITTED = "read_committed";
  private static final String COOPERATIVE = CooperativeStickyAssignor.class.getName();

  private final String target;

  /**
   * @param target {@code kv} or {@code dynamodb}
   */
  public SinkFragment(AbstractConfig config, String target) {
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
    validateConsumer(problems);
    validateTolerance(problems);
    validateTopics(problems);
  }

  private void validateConsumer(ConfigProblems problems) {
    if (!READ_COMMITTED.equals(text(ISOLATION_CONFIG))) {
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
    if (!COOPERATIVE.equals(text(ASSIGNOR_CONFIG))) {
      problems.add(
          ASSIGNOR_CONFIG,
          "set it to "
              + COOPERATIVE
              + ": otherwise every view that comes or goes stops the rows of all views, for up to a"
              + " minute when its topic is deleted");
    }
  }

  /**
   * Where errors are tolerated, a retry that ends is the end of a row that may be good, and a row
   * without a dead letter is passed over for good.
   */
  private void validateTolerance(ConfigProblems problems) {
    if (!"all".equalsIgnoreCase(text(TOLERANCE_CONFIG))) {
      return;
    }
    if (!"-1".equals(text(RETRY_CONFIG))) {
      problems.add(
          RETRY_CONFIG,
          "set it to -1: otherwise good rows become dead letters while the schema registry is away,"
              + " as errors.tolerance is all");
    }
    if (text(DEAD_LETTERS_CONFIG) == null) {
      problems.add(
          DEAD_LETTERS_CONFIG,
          "set it to %s, or to the app's target.%s.dead.letter.topic: otherwise rows that cannot be written are lost and their view stays READY, as errors.tolerance is all"
              .formatted(topics().deadLetters(target), target));
    }
  }

  /**
   * Where the consumer hands out maps that cannot be changed, and {@code WorkerSinkTask} of 4.3.1
   * removes the partitions from one: its metrics keep the offsets of the last commit.
   */
  private boolean sharesByTheBroker() {
    return "consumer".equalsIgnoreCase(text(GROUP_PROTOCOL_CONFIG));
  }

  private void validateTopics(ConfigProblems problems) {
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

  /**
   * The value of a key as Connect and its consumers read it, without blanks around it; null: not
   * given.
   */
  private String text(String key) {
    return config().originals().get(key) instanceof String text && !text.isBlank()
        ? text.strip()
        : null;
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
