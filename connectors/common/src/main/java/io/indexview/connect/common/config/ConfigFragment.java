package io.indexview.connect.common.config;

import java.time.Duration;
import java.util.Objects;
import org.apache.kafka.common.config.AbstractConfig;

/**
 * One concern of a configuration: its keys, its typed getters, and what its keys must fulfil
 * together. A subclass adds its keys with a static {@code update(ConfigDef)}.
 */
public abstract class ConfigFragment {
  private final AbstractConfig config;

  protected ConfigFragment(AbstractConfig config) {
    this.config = Objects.requireNonNull(config, "config");
  }

  protected final AbstractConfig config() {
    return config;
  }

  protected final Duration millis(String key) {
    return Duration.ofMillis(config.getLong(key));
  }

  /** Adds what single-key validators cannot see; called only when every single key is valid. */
  public void validate(ConfigProblems problems) {}
}
