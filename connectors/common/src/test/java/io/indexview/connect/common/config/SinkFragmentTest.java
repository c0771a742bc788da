package io.indexview.connect.common.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SinkFragmentTest {
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
  void reportsIsolationLevelAndAssignorTogether() {
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
    config.put("errors.deadletterqueue.topic.name", "indexview.dead-letters.kv");
    assertThat(problems(config)).contains("errors.retry.timeout", "-1");

    config.put("errors.retry.timeout", "60000");
    assertThat(problems(config)).contains("errors.retry.timeout");

    config.put("errors.retry.timeout", "-1");
    assertThat(problems(config)).isEqualTo("[]");
  }

  /**
   * Connect would drop a record that it cannot convert, and with a log of errors any other, too.
   */
  @Test
  void toleratesErrorsOnlyWhereTheyBecomeDeadLetters() {
    Map<String, String> config = new HashMap<>(GOOD);
    config.put("topic.prefix", "eu");
    config.put("errors.tolerance", "all");
    config.put("errors.retry.timeout", "-1");
    assertThat(problems(config))
        .contains("errors.deadletterqueue.topic.name", "set it to eu.dead-letters.kv");

    config.put("errors.deadletterqueue.topic.name", " ");
    assertThat(problems(config)).contains("errors.deadletterqueue.topic.name");

    config.put("errors.tolerance", "all ");
    assertThat(problems(config))
        .as("a properties file keeps blanks at the end of a line, and Connect takes them off")
        .contains("errors.deadletterqueue.topic.name");

    config.put("errors.retry.timeout", "-1 ");
    config.put("errors.deadletterqueue.topic.name", "rejects");
    assertThat(problems(config)).isEqualTo("[]");
  }

  /** The first error is the end of the task, whether Connect logs it or not. */
  @Test
  void needsNoDeadLettersWhereNoErrorIsTolerated() {
    Map<String, String> config = new HashMap<>(GOOD);
    config.put("errors.tolerance", "none");
    config.put("errors.log.enable", "true");

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

  @Test
  void takesThePatternOfTheInstallation() {
    String pattern = new Topics("eu.prod").sinkPattern("kv");

    assertThat(topicProblems("topic.prefix", "eu.prod", "topics.regex", pattern)).isEqualTo("[]");
    assertThat(topicProblems("topics.regex", pattern))
        .contains(
            "topics.regex", "does not match indexview.view-states", "use indexview\\.view\\.kv");
  }

  @ParameterizedTest
  @ValueSource(strings = {"indexview\\.view\\.kv\\..+\\.\\d+", "indexview.view-states.old"})
  void refusesAPatternThatLeavesTheStatesOut(String pattern) {
    assertThat(topicProblems("topics.regex", pattern)).contains("indexview.view-states");
  }

  @Test
  void wantsTheStatesInAListOfTopics() {
    assertThat(topicProblems("topics", "indexview.view.kv.v.1, indexview.view-states"))
        .isEqualTo("[]");
    assertThat(topicProblems("topics", "indexview.view.kv.v.1")).contains("does not name");
  }

  @Test
  void leavesToConnectWhatIsConnects() {
    assertThat(topicProblems()).isEqualTo("[]");
    assertThat(topicProblems("topics.regex", "(")).isEqualTo("[]");
  }

  private static String topicProblems(String... properties) {
    Map<String, String> config = new HashMap<>(GOOD);
    for (int i = 0; i < properties.length; i += 2) {
      config.put(properties[i], properties[i + 1]);
    }
    return problems(config);
  }

  private static String problems(Map<String, String> config) {
    ConfigDef definition = new ConfigDef();
    SinkFragment.update(definition, "For states.");
    ConfigProblems problems = new ConfigProblems();
    new SinkFragment(new AbstractConfig(definition, config, false), "kv").validate(problems);
    return problems.toString();
  }
}
