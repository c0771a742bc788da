package io.indexview.streams.config;

import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigDef.Width;

/** Adds the keys of one group to a definition, in order. */
final class Keys {
  private final ConfigDef definition;
  private final String group;
  private int order;

  Keys(ConfigDef definition, String group) {
    this.definition = definition;
    this.group = group;
  }

  void add(
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
