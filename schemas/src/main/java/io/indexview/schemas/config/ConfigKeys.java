package io.indexview.schemas.config;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigDef.Width;

/** Adds the keys of one group to a definition, in order. */
public final class ConfigKeys {
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
}
