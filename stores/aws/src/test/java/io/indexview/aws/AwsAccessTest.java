package io.indexview.aws;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.profiles.ProfileFile;

class AwsAccessTest {
  private static final URI ITS_OWN = null;

  @TempDir private Path directory;

  private static AwsAccess with(String id, String secret, String token) {
    return new AwsAccess("eu-central-1", ITS_OWN, id, secret, token);
  }

  private static AwsCredentials resolved(AwsAccess access) {
    return (AwsCredentials) access.credentials().resolveIdentity().join();
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
    assertThat(with(null, null, null).credentials()).isInstanceOf(DefaultCredentialsProvider.class);
  }

  /** What a pod with a role has; the chain passes over it without the module. */
  @Test
  void hasWhatTheDefaultChainNeedsForWebIdentityTokens() {
    AwsCredentialsProvider tokens =
        WebIdentityTokenFileCredentialsProvider.builder()
            .roleArn("arn:aws:iam::111122223333:role/source")
            .webIdentityTokenFile(directory.resolve("missing"))
            .build();

    Throwable thrown = catchThrowable(tokens::resolveCredentials);

    assertThat(thrown).isNotNull();
    assertThat(thrown).hasMessageNotContaining("class path");
  }

  /** What somebody who logged in with {@code aws sso login} has, of both kinds. */
  @ParameterizedTest
  @ValueSource(strings = {"by-session", "by-itself"})
  void hasWhatTheDefaultChainNeedsForSingleSignOn(String profile) throws IOException {
    Path file = directory.resolve("config");
    Files.writeString(
        file,
        """
        [sso-session company]
        sso_region = eu-central-1
        sso_start_url = https://indexview.example/start-%1$s

        [profile by-session]
        sso_session = company
        sso_account_id = 111122223333
        sso_role_name = source

        [profile by-itself]
        sso_region = eu-central-1
        sso_start_url = https://indexview.example/start-%1$s
        sso_account_id = 111122223333
        sso_role_name = source
        """
            .formatted(UUID.randomUUID()));

    Throwable thrown =
        catchThrowable(
            () -> {
              try (ProfileCredentialsProvider signedOn =
                  ProfileCredentialsProvider.builder()
                      .profileFile(
                          ProfileFile.builder()
                              .content(file)
                              .type(ProfileFile.Type.CONFIGURATION)
                              .build())
                      .profileName(profile)
                      .build()) {
                signedOn.resolveCredentials();
              }
            });

    assertThat(thrown).isNotNull();
    assertThat(thrown).hasMessageNotContaining("class path");
  }
}
