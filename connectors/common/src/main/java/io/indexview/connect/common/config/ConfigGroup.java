package io.indexview.connect.common.config;

import java.util.Objects;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Recommender;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigDef.Width;

/** Adds the keys of one group to a definition, each with its place, display name and doc. */
public final class ConfigGroup {
  private final ConfigDef definition;
  private final String name;
  private int order;

  private ConfigGroup(ConfigDef definition, String name) {
    this.definition = Objects.requireNonNull(definition, "definition");
    this.name = Objects.requireNonNull(name, "name");
    this.order =
        (int) definition.configKeys().values().stream().filter(k -> name.equals(k.group)).count();
  }

  /** Continues a group, after the keys that the definition has in it already. */
  public static ConfigGroup in(ConfigDef definition, String name) {
    return new ConfigGroup(definition, name);
  }

  /** A key without default, of high importance. */
  public ConfigGroup required(
      String key, Type type, Validator validator, String display, String doc) {
    return define(key, type, ConfigDef.NO_DEFAULT_VALUE, validator, Importance.HIGH, display, doc);
  }

  /** A key with a default, of medium importance. */
  public ConfigGroup optional(
      String key, Type type, Object byDefault, Validator validator, String display, String doc) {
    return define(key, type, byDefault, validator, Importance.MEDIUM, display, doc);
  }

  /** A key with a default that few need to touch. */
  public ConfigGroup tuning(
      String key, Type type, Object byDefault, Validator validator, String display, String doc) {
    return define(key, type, byDefault, validator, Importance.LOW, display, doc);
  }

  private ConfigGroup define(
      String key,
      Type type,
      Object byDefault,
      Validator validator,
      Importance importance,
      String display,
      String doc) {
    Width width = type == Type.STRING || type == Type.LIST ? Width.LONG : Width.MEDIUM;
    if (validator instanceof Recommender recommender) {
      definition.define(
          key,
          type,
          byDefault,
          validator,
          importance,
          doc,
          name,
          ++order,
          width,
          display,
          recommender);
    } else {
      definition.define(
          key, type, byDefault, validator, importance, doc, name, ++order, width, display);
    }
    return this;
  }
}
