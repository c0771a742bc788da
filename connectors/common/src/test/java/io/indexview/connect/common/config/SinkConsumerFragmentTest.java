package io.indexview.connect.common.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;

class SinkConsumerFragmentTest {
  private static final Map<String, String> GOOD =
      Map.of(
          "consumer.override.isolation.level",
          "read_committed",
          "consumer.override.partition.assignment.strategy",
          CooperativeStickyAssignor.class.getName());

  @Test
  void takesAConsumerThatReadsCommittedRowsAndSharesCooperatively() {
    assertThat(problems(GOOD)).isEqualTo("[]");
  }

  @Test
  void tellsOfBothAtOnce() {
    assertThat(problems(Map.of()))
        .contains("isolation.level", "read_committed")
        .contains("partition.assignment.strategy", "CooperativeStickyAssignor");
  }

  @Test
  void refusesAnAssignorThatTakesEverythingFromEveryTask() {
    Map<String, String> config = new HashMap<>(GOOD);
    config.put(
        "consumer.override.partition.assignment.strategy",
        "org.apache.kafka.clients.consumer.RangeAssignor,"
            + CooperativeStickyAssignor.class.getName());

    assertThat(problems(config)).contains("set it to " + CooperativeStickyAssignor.class.getName());
  }

  @Test
  void toleratesErrorsOnlyWhereRetriesNeverEnd() {
    Map<String, String> config = new HashMap<>(GOOD);
    config.put("errors.tolerance", "all");
    assertThat(problems(config)).contains("errors.retry.timeout", "-1");

    config.put("errors.retry.timeout", "60000");
    assertThat(problems(config)).contains("errors.retry.timeout");

    config.put("errors.retry.timeout", "-1");
    assertThat(problems(config)).isEqualTo("[]");
  }

  /** Its first partition that goes would be the end of the task. */
  @Test
  void refusesTheProtocolInWhichTheBrokerShares() {
    Map<String, String> config = new HashMap<>(GOOD);
    config.put("consumer.override.group.protocol", "CONSUMER");
    assertThat(problems(config)).contains("consumer.override.group.protocol", "leave it out");

    config.put("consumer.override.group.protocol", "classic");
    assertThat(problems(config)).isEqualTo("[]");
  }

  private static String problems(Map<String, String> config) {
    ConfigProblems problems = new ConfigProblems();
    new SinkConsumerFragment(new AbstractConfig(new ConfigDef(), config, false)).validate(problems);
    return problems.toString();
  }
}
