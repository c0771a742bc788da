package io.indexview.connect.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.config.Validators.OneOf;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.junit.jupiter.api.Test;

class ConfigGroupTest {

  @Test
  void numbersKeysInTheirGroup() {
    ConfigDef definition = new ConfigDef();
    SourceFragment.update(definition);
    ConfigGroup.in(definition, SourceFragment.GROUP)
        .optional("more", Type.STRING, "", null, "More", "One more.");

    assertThat(definition.configKeys().get("more").orderInGroup).isEqualTo(4);
  }

  @Test
  void givesEveryKeyGroupDisplayAndDoc() {
    ConfigDef definition = new ConfigDef();
    SourceFragment.update(definition);
    RetryFragment.update(definition);

    assertThat(definition.configKeys().values())
        .isNotEmpty()
        .allSatisfy(
            key -> {
              assertThat(key.group).isNotBlank();
              assertThat(key.displayName).isNotBlank();
              assertThat(key.documentation).isNotBlank().doesNotContain("\n");
            });
  }

  @Test
  void blamesTheLongestBackoffWhenItIsShorterThanTheFirst() {
    ConfigDef definition = new ConfigDef();
    RetryFragment.update(definition);
    ConfigProblems problems = new ConfigProblems();
    new RetryFragment(
            new AbstractConfig(
                definition,
                Map.of(RetryFragment.INITIAL_CONFIG, "500", RetryFragment.MAX_CONFIG, "100"),
                false))
        .validate(problems);

    Config config =
        new Config(
            new java.util.ArrayList<>(
                List.of(
                    new ConfigValue(RetryFragment.INITIAL_CONFIG),
                    new ConfigValue(RetryFragment.MAX_CONFIG))));
    problems.addTo(config);
    assertThat(config.configValues().get(0).errorMessages()).isEmpty();
    assertThat(config.configValues().get(1).errorMessages())
        .containsExactly("100 is less than retry.backoff.initial.ms (500)");
    assertThatThrownBy(problems::throwIfAny)
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(RetryFragment.MAX_CONFIG);
  }

  @Test
  void refusesNamesThatNoTopicCanHave() {
    ConfigDef definition = new ConfigDef();
    SourceFragment.update(definition);
    List<ConfigValue> values =
        definition.validate(Map.of("source.name", "a|b", "topic.prefix", "p/q"));

    assertThat(values)
        .filteredOn(value -> !value.errorMessages().isEmpty())
        .extracting(ConfigValue::name)
        .containsExactlyInAnyOrder("source.name", "topic.prefix");
  }

  @Test
  void takesConstantsInLowerCaseOnly() {
    OneOf<RecordFormat> formats = OneOf.of(RecordFormat.class);
    formats.ensureValid("format", "flat");
    assertThat(formats.parse("flat")).isEqualTo(RecordFormat.FLAT);
    assertThat(formats.validValues("format", Map.of())).containsExactly("envelope", "flat");
    assertThatThrownBy(() -> formats.ensureValid("format", "FLAT"))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("envelope, flat");
  }

  @Test
  void knowsTheVersionItWasBuiltAs() {
    assertThat(PluginVersion.get()).matches("\\d+\\.\\d+\\.\\d+(-SNAPSHOT)?");
  }
}
