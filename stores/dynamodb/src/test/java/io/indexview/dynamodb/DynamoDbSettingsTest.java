package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class DynamoDbSettingsTest {

  @Test
  void keepsSecretsToItself() {
    assertThat(new DynamoDbSettings("eu-central-1", null, "AKIA", "top-secret", 5).toString())
        .doesNotContain("top-secret")
        .doesNotContain("AKIA");
  }

  @Test
  void wantsBothHalvesOfTheCredentials() {
    assertThatThrownBy(() -> new DynamoDbSettings("eu-central-1", null, "AKIA", null, 5))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
