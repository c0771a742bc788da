package io.indexview.connect.common.config;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SinkTopicsFragmentTest {
  @Test
  void takesThePatternOfTheInstallation() {
    String pattern = new Topics("eu.prod").sinkPattern("kv");

    assertThat(problems("topic.prefix", "eu.prod", "topics.regex", pattern)).isEqualTo("[]");
    assertThat(problems("topics.regex", pattern))
        .contains(
            "topics.regex", "does not match indexview.view-states", "use indexview\\.view\\.kv");
  }

  @ParameterizedTest
  @ValueSource(strings = {"indexview\\.view\\.kv\\..+\\.\\d+", "indexview.view-states.old"})
  void refusesAPatternThatLeavesTheStatesOut(String pattern) {
    assertThat(problems("topics.regex", pattern)).contains("indexview.view-states");
  }

  @Test
  void wantsTheStatesInAListOfTopics() {
    assertThat(problems("topics", "indexview.view.kv.v.1, indexview.view-states")).isEqualTo("[]");
    assertThat(problems("topics", "indexview.view.kv.v.1")).contains("does not name");
  }

  @Test
  void leavesToConnectWhatIsConnects() {
    assertThat(problems()).isEqualTo("[]");
    assertThat(problems("topics.regex", "(")).isEqualTo("[]");
  }

  private static String problems(String... properties) {
    Map<String, String> config = new HashMap<>();
    for (int i = 0; i < properties.length; i += 2) {
      config.put(properties[i], properties[i + 1]);
    }
    ConfigDef definition = new ConfigDef();
    SinkTopicsFragment.update(definition, "For states.");
    ConfigProblems problems = new ConfigProblems();
    new SinkTopicsFragment(new AbstractConfig(definition, config, false), "kv").validate(problems);
    return problems.toString();
  }
}
