package io.indexview.aws;

import io.netty.channel.nio.NioEventLoopGroup;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.net.URI;
import java.util.Objects;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.AwsSessionCredentials;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.http.nio.netty.SdkEventLoopGroup;
import software.amazon.awssdk.regions.Region;

/**
 * Where a service of AWS is, or a server that speaks its API, and who asks.
 *
 * @param endpoint null: the region's own
 * @param accessKeyId null: the SDK's default chain finds the credentials
 * @param secretAccessKey set exactly with {@code accessKeyId}
 * @param sessionToken what temporary keys come with; null: they are no temporary ones
 */
public record AwsAccess(
    String region, URI endpoint, String accessKeyId, String secretAccessKey, String sessionToken) {
  public AwsAccess {
    Objects.requireNonNull(region, "region");
    if ((accessKeyId == null) != (secretAccessKey == null)) {
      throw new IllegalArgumentException(
          "access key id and secret access key: give both, or none for the default chain");
    }
    if (sessionToken != null && accessKeyId == null) {
      throw new IllegalArgumentException(
          "session token: give it with the access key id and secret that it came with");
    }
  }

  /** Sets region, credentials and endpoint of a service's client. */
  public <B extends AwsClientBuilder<? super B, ?>> B configure(B builder) {
    builder.region(Region.of(region)).credentialsProvider(credentials());
    if (endpoint != null) {
      builder.endpointOverride(endpoint);
    }
    return builder;
  }

  /**
   * An HTTP client on the threads that all clients share.
   *
   * @param connections requests that may be made at once
   */
  public static NettyNioAsyncHttpClient.Builder http(int connections) {
    return NettyNioAsyncHttpClient.builder()
        .eventLoopGroup(EventLoops.SHARED)
        .maxConcurrency(connections);
  }

  /**
   * The threads that do the network's work for all clients, for the life of the process. A client
   * with threads of its own would take two quiet seconds to close.
   */
  private static final class EventLoops {
    private static final int THREADS = 2;

    private static final SdkEventLoopGroup SHARED =
        SdkEventLoopGroup.create(
            new NioEventLoopGroup(THREADS, new DefaultThreadFactory("indexview-aws-io", true)));
  }

  AwsCredentialsProvider credentials() {
    if (accessKeyId == null) {
      return DefaultCredentialsProvider.builder().build();
    }
    return StaticCredentialsProvider.create(
        sessionToken == null
            ? AwsBasicCredentials.create(accessKeyId, secretAccessKey)
            : AwsSessionCredentials.create(accessKeyId, secretAccessKey, sessionToken));
  }

  @Override
  public String toString() {
    return "AwsAccess[region=%s, endpoint=%s, credentials=%s]"
        .formatted(region, endpoint, accessKeyId == null ? "default chain" : "static");
  }
}
