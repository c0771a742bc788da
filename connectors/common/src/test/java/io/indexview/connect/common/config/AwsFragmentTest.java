package io.indexview.connect.common.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;

class AwsFragmentTest {
  private static final String ID = "aws.access.key.id";
  private static final String SECRET = "aws.secret.access.key";
  private static final String TOKEN = "aws.session.token";

  private static AwsFragment fragment(String... keys) {
    ConfigDef definition = new ConfigDef();
    AwsFragment.update(definition);
    Map<String, String> properties = new HashMap<>(Map.of("aws.region", "eu-central-1"));
    for (String key : keys) {
      properties.put(key, "value of " + key);
    }
    return new AwsFragment(new AbstractConfig(definition, properties, false));
  }

  private static ConfigProblems problems(String... keys) {
    ConfigProblems problems = new ConfigProblems();
    fragment(keys).validate(problems);
    return problems;
  }

  @Test
  void takesLastingKeysTemporaryOnesAndNone() {
    assertThat(problems().isEmpty()).isTrue();
    assertThat(problems(ID, SECRET).isEmpty()).isTrue();
    assertThat(problems(ID, SECRET, TOKEN).isEmpty()).isTrue();
    assertThat(fragment(ID, SECRET, TOKEN).sessionToken()).isEqualTo("value of " + TOKEN);
    assertThat(fragment(ID, SECRET).sessionToken()).isNull();
  }

  @Test
  void namesEachKeyThatIsMissing() {
    assertThatThrownBy(() -> problems(ID).throwIfAny())
        .hasMessageContaining(SECRET + ": missing: " + ID + " is set");
    assertThatThrownBy(() -> problems(SECRET, TOKEN).throwIfAny())
        .hasMessageContaining(ID + ": missing: " + SECRET + ", " + TOKEN + " is set");
    assertThatThrownBy(() -> problems(TOKEN).throwIfAny())
        .hasMessageContainingAll(ID + ": missing", SECRET + ": missing");
  }

  @Test
  void keepsSecretsToItself() {
    ConfigDef definition = new ConfigDef();
    AwsFragment.update(definition);

    assertThat(definition.configKeys().get(SECRET).type).isEqualTo(ConfigDef.Type.PASSWORD);
    assertThat(definition.configKeys().get(TOKEN).type).isEqualTo(ConfigDef.Type.PASSWORD);
    assertThat(problems(SECRET, TOKEN).toString()).doesNotContain("value of");
  }
}
