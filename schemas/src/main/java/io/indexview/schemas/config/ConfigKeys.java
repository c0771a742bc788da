package io.indexview.schemas.config;

import io.indexview.schemas.Topics;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.apache.kafka.common.config.ConfigException;

/** Adds the keys of one group to a definition, in order; some are the same in all processes. */
public final class ConfigKeys {
  public static final String BOOTSTRAP_SERVERS_CONFIG = "bootstrap.servers";
  private static final String BOOTSTRAP_SERVERS_DOC = "Kafka brokers, host:port, comma-separated.";

  public static final String TOPIC_PREFIX_CONFIG = "topic.prefix";
  private static final String TOPIC_PREFIX_DOC =
      "First part of the names of all topics of the installation; every part of it must use the"
          + " same.";

  private final ConfigDef definition;
  private final String group;
  private int order;

  /**
   * @param group which must have no key yet
   */
  public ConfigKeys(ConfigDef definition, String group) {
    this.definition = definition;
    this.group = group;
  }

  /** Adds a key after those that were added before. */
  public void add(
      String name,
      Type type,
      Object defaultValue,
      Validator validator,
      Importance importance,
      String doc) {
    definition.define(
        name,
        type,
        defaultValue,
        validator,
        importance,
        doc,
        group,
        order++,
        Width.MEDIUM,
        name.replace('.', ' '));
  }

  /** Adds the brokers and the prefix of topics: where an installation is. */
  public void addCluster() {
    add(
        BOOTSTRAP_SERVERS_CONFIG,
        Type.LIST,
        ConfigDef.NO_DEFAULT_VALUE,
        ConfigDef.ValidList.anyNonDuplicateValues(false, false),
        Importance.HIGH,
        BOOTSTRAP_SERVERS_DOC);
    add(
        TOPIC_PREFIX_CONFIG,
        Type.STRING,
        Topics.DEFAULT_PREFIX,
        ConfigDef.LambdaValidator.with(
            (key, value) -> requireTopicPrefix(key, (String) value),
            () -> "a legal part of a topic name"),
        Importance.MEDIUM,
        TOPIC_PREFIX_DOC);
  }

  private static void requireTopicPrefix(String key, String value) {
    try {
      new Topics(value);
    } catch (IllegalArgumentException e) {
      throw new ConfigException(key, value, e.getMessage());
    }
  }
}
