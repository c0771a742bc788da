package io.indexview.streams.config;

import java.util.regex.Pattern;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;

/** Names of topics in the configuration; an empty one stands for a default. */
final class TopicNames {
  static final ConfigDef.Validator VALIDATOR =
      ConfigDef.LambdaValidator.with(
          (key, value) -> requireTopicName(key, (String) value), () -> "a topic name");

  private static final Pattern LEGAL = Pattern.compile("[A-Za-z0-9._-]{1,249}");

  private TopicNames() {}

  private static void requireTopicName(String key, String value) {
    if (!value.isEmpty() && !LEGAL.matcher(value).matches()) {
      throw new ConfigException(
          key, value, "a topic name has 1 to 249 of the characters A-Z a-z 0-9 . _ -");
    }
  }
}
