package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URI;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;

class DynamoDbSettingsTest {
  private static final String REGION = "eu-central-1";
  private static final URI ITS_OWN = null;

  private static DynamoDbSettings with(String id, String secret, String token) {
    return new DynamoDbSettings(REGION, ITS_OWN, id, secret, token, 5);
  }

  private static AwsCredentials resolved(DynamoDbSettings settings) {
    return (AwsCredentials) DynamoDbItemStore.credentials(settings).resolveIdentity().join();
  }

  @Test
  void keepsSecretsToItself() {
    assertThat(with("AKIA", "top-secret", "session").toString())
        .doesNotContain("top-secret")
        .doesNotContain("AKIA")
        .doesNotContain("session");
  }

  @Test
  void wantsBothHalvesOfTheCredentials() {
    assertThatThrownBy(() -> with("AKIA", null, null)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> with(null, null, "session"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("session token");
  }

  @Test
  void signsWithTheKeysThatAreGiven() {
    assertThat(resolved(with("AKIA", "secret", null)))
        .isEqualTo(AwsBasicCredentials.create("AKIA", "secret"));
    assertThat(resolved(with("ASIA", "secret", "session")))
        .isEqualTo(AwsSessionCredentials.create("ASIA", "secret", "session"));
    assertThat(DynamoDbItemStore.credentials(with(null, null, null)))
        .isInstanceOf(DefaultCredentialsProvider.class);
  }
}
