package io.indexview.connect.s3.client;

import io.indexview.connect.common.aws.AwsFragment;
import java.net.URI;
import java.time.Duration;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3AsyncClientBuilder;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;
import software.amazon.awssdk.services.sqs.SqsAsyncClientBuilder;

/** Builds the clients of one task; each is to be closed. */
public final class AwsClients {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(10);

  /** Each receive request keeps one for the time of a long poll: deletes must find others. */
  private static final int MOST_CONNECTIONS = 256;

  private AwsClients() {}

  /**
   * @param endpoint null: the region's own
   * @param longPoll how long the queue may take to answer when it has no message
   */
  public static SqsAsyncClient sqs(AwsFragment aws, URI endpoint, Duration longPoll) {
    SqsAsyncClientBuilder builder = SqsAsyncClient.builder();
    configure(builder, aws, endpoint);
    return builder
        .httpClientBuilder(
            NettyNioAsyncHttpClient.builder()
                .eventLoopGroup(EventLoops.SHARED)
                .maxConcurrency(MOST_CONNECTIONS)
                .readTimeout(longPoll.plus(ATTEMPT_TIMEOUT)))
        .overrideConfiguration(
            c ->
                c.apiCallAttemptTimeout(longPoll.plus(ATTEMPT_TIMEOUT))
                    .apiCallTimeout(longPoll.plus(CALL_TIMEOUT)))
        .build();
  }

  /**
   * @param endpoint null: that of each bucket's region
   * @param concurrency requests that may be made at once
   */
  public static S3AsyncClient s3(AwsFragment aws, URI endpoint, int concurrency) {
    return s3(aws, endpoint)
        .httpClientBuilder(
            NettyNioAsyncHttpClient.builder()
                .eventLoopGroup(EventLoops.SHARED)
                .maxConcurrency(concurrency))
        .build();
  }

  /** The same, over any HTTP client. */
  static S3AsyncClientBuilder s3(AwsFragment aws, URI endpoint) {
    S3AsyncClientBuilder builder = S3AsyncClient.builder();
    configure(builder, aws, endpoint);
    return builder
        // Servers that stand in for S3 have no host name per bucket.
        .forcePathStyle(endpoint != null)
        // SNS and EventBridge bring events of other regions' buckets to the queue, too.
        .crossRegionAccessEnabled(endpoint == null)
        .overrideConfiguration(
            c -> c.apiCallAttemptTimeout(ATTEMPT_TIMEOUT).apiCallTimeout(CALL_TIMEOUT));
  }

  private static void configure(AwsClientBuilder<?, ?> builder, AwsFragment aws, URI endpoint) {
    builder.region(Region.of(aws.region())).credentialsProvider(credentials(aws));
    if (endpoint != null) {
      builder.endpointOverride(endpoint);
    }
  }

  private static AwsCredentialsProvider credentials(AwsFragment aws) {
    if (aws.accessKeyId() == null) {
      return DefaultCredentialsProvider.builder().build();
    }
    String id = aws.accessKeyId();
    String secret = aws.secretAccessKey();
    return StaticCredentialsProvider.create(
        aws.sessionToken() == null
            ? AwsBasicCredentials.create(id, secret)
            : AwsSessionCredentials.create(id, secret, aws.sessionToken()));
  }
}
