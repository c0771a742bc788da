package io.indexview.connect.s3.client;

import io.indexview.aws.AwsAccess;
import java.time.Duration;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3AsyncClientBuilder;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

/** Builds the clients of one task; each is to be closed. */
public final class AwsClients {
  private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);
  private static final Duration ATTEMPT_TIMEOUT = Duration.ofSeconds(10);

  /** Each receive request keeps one for the time of a long poll: deletes must find others. */
  private static final int MAX_QUEUE_CONNECTIONS = 256;

  private AwsClients() {}

  /**
   * @param longPoll how long the queue may take to answer when it has no message
   */
  public static SqsAsyncClient sqs(AwsAccess access, Duration longPoll) {
    return access
        .configure(SqsAsyncClient.builder())
        .httpClientBuilder(
            AwsAccess.http(MAX_QUEUE_CONNECTIONS).readTimeout(longPoll.plus(ATTEMPT_TIMEOUT)))
        .overrideConfiguration(
            c ->
                c.apiCallAttemptTimeout(longPoll.plus(ATTEMPT_TIMEOUT))
                    .apiCallTimeout(longPoll.plus(CALL_TIMEOUT)))
        .build();
  }

  /**
   * @param access without an endpoint: that of each bucket's region
   * @param concurrency requests that may be made at once
   */
  public static S3AsyncClient s3(AwsAccess access, int concurrency) {
    return s3(access).httpClientBuilder(AwsAccess.http(concurrency)).build();
  }

  /** Builds a client of S3 over any HTTP client. */
  static S3AsyncClientBuilder s3(AwsAccess access) {
    return access
        .configure(S3AsyncClient.builder())
        // Servers that stand in for S3 have no host name per bucket.
        .forcePathStyle(access.endpoint() != null)
        // SNS and EventBridge bring events of other regions' buckets to the queue, too.
        .crossRegionAccessEnabled(access.endpoint() == null)
        .overrideConfiguration(
            c -> c.apiCallAttemptTimeout(ATTEMPT_TIMEOUT).apiCallTimeout(CALL_TIMEOUT));
  }
}
