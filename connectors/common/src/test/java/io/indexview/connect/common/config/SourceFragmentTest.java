package io.indexview.connect.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.junit.jupiter.api.Test;

class SourceFragmentTest {
  /** Two connectors of one name would go unnoticed for a while after each heartbeat. */
  @Test
  void refusesHeartbeatsThatAreTooFarApart() {
    assertThat(source("10000").heartbeatInterval()).isEqualTo(Duration.ofSeconds(10));
    assertThatExceptionOfType(ConfigException.class)
        .isThrownBy(() -> source("10001"))
        .withMessageContainingAll("heartbeat.interval.ms", "no more than 10000");
  }

  private static SourceFragment source(String heartbeatInterval) {
    ConfigDef definition = new ConfigDef();
    SourceFragment.update(definition);
    return new SourceFragment(
        new AbstractConfig(
            definition,
            Map.of("source.name", "people", "heartbeat.interval.ms", heartbeatInterval),
            false));
  }
}
