package io.indexview.connect.s3.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.indexview.connect.common.aws.AwsFragment;
import io.indexview.connect.s3.AwsTestConfig;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.auth.credentials.WebIdentityTokenFileCredentialsProvider;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

class AwsClientsTest {
  private static final Duration LONG_POLL = Duration.ofSeconds(10);
  private static final URI ELSEWHERE = URI.create("http://localhost:9324");

  @TempDir private Path directory;

  private static AwsFragment withoutKeys() {
    ConfigDef definition = new ConfigDef();
    AwsFragment.update(definition);
    return new AwsFragment(
        new AbstractConfig(definition, Map.of(AwsFragment.REGION_CONFIG, "eu-central-1"), false));
  }

  @Test
  void takesCredentialsAndEndpointsFromTheConfiguration() {
    try (SqsAsyncClient sqs = AwsClients.sqs(AwsTestConfig.aws(), ELSEWHERE, LONG_POLL);
        S3AsyncClient s3 = AwsClients.s3(AwsTestConfig.aws(), ELSEWHERE)) {
      assertThat(sqs.serviceClientConfiguration().endpointOverride()).contains(ELSEWHERE);
      assertThat(s3.serviceClientConfiguration().endpointOverride()).contains(ELSEWHERE);
      assertThat(sqs.serviceClientConfiguration().credentialsProvider())
          .isInstanceOfSatisfying(
              StaticCredentialsProvider.class,
              keys ->
                  assertThat(keys.resolveCredentials().accessKeyId())
                      .isEqualTo(AwsTestConfig.ACCESS_KEY));
    }
  }

  @Test
  void takesTheDefaultChainAndTheRegionsOwnEndpointsWithoutThem() {
    try (SqsAsyncClient sqs = AwsClients.sqs(withoutKeys(), null, LONG_POLL);
        S3AsyncClient s3 = AwsClients.s3(withoutKeys(), null)) {
      assertThat(sqs.serviceClientConfiguration().endpointOverride()).isEmpty();
      assertThat(sqs.serviceClientConfiguration().region().id()).isEqualTo("eu-central-1");
      assertThat(sqs.serviceClientConfiguration().credentialsProvider())
          .isInstanceOf(DefaultCredentialsProvider.class);
      assertThat(s3.serviceClientConfiguration().credentialsProvider())
          .isInstanceOf(DefaultCredentialsProvider.class);
    }
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
}
