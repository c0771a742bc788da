package io.indexview.connect.s3.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.indexview.aws.AwsAccess;
import io.indexview.connect.s3.AwsTestConfig;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.http.SdkHttpResponse;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.sqs.SqsAsyncClient;

class AwsClientsTest {
  private static final Duration LONG_POLL = Duration.ofSeconds(10);
  private static final URI ELSEWHERE = URI.create("http://localhost:9324");

  /** More than the HTTP client allows by itself. */
  private static final int MANY = 60;

  private static AwsAccess withoutKeys() {
    return new AwsAccess("eu-central-1", null, null, null, null);
  }

  private static AwsAccess withKeys(URI endpoint) {
    return new AwsAccess("eu-central-1", endpoint, "AKIA", "secret", null);
  }

  @Test
  void takesCredentialsAndEndpointsFromTheConfiguration() {
    try (SqsAsyncClient sqs = AwsClients.sqs(AwsTestConfig.access(ELSEWHERE), LONG_POLL);
        S3AsyncClient s3 = AwsClients.s3(AwsTestConfig.access(ELSEWHERE), 1)) {
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
    try (SqsAsyncClient sqs = AwsClients.sqs(withoutKeys(), LONG_POLL);
        S3AsyncClient s3 = AwsClients.s3(withoutKeys(), 1)) {
      assertThat(sqs.serviceClientConfiguration().endpointOverride()).isEmpty();
      assertThat(sqs.serviceClientConfiguration().region().id()).isEqualTo("eu-central-1");
      assertThat(sqs.serviceClientConfiguration().credentialsProvider())
          .isInstanceOf(DefaultCredentialsProvider.class);
      assertThat(s3.serviceClientConfiguration().credentialsProvider())
          .isInstanceOf(DefaultCredentialsProvider.class);
    }
  }

  @Test
  void followsABucketIntoItsRegionUnlessAServerStandsInForS3() {
    Region home = Region.EU_WEST_1;
    HomeRegion http = new HomeRegion(home.id());
    try (S3AsyncClient s3 = AwsClients.s3(withKeys(null)).httpClient(http).build()) {
      for (int i = 0; i < 2; i++) {
        assertThat(s3.headObject(r -> r.bucket("documents").key("a")).join().contentLength())
            .isEqualTo(7);
      }
    }
    assertThat(http.hosts)
        .as("the region is asked for once")
        .containsExactly(
            "documents.s3.eu-central-1.amazonaws.com",
            "documents.s3.eu-west-1.amazonaws.com",
            "documents.s3.eu-west-1.amazonaws.com");

    try (S3AsyncClient s3 = AwsClients.s3(withKeys(ELSEWHERE)).httpClient(http).build()) {
      assertThatThrownBy(() -> s3.headObject(r -> r.bucket("documents").key("a")).join())
          .hasCauseInstanceOf(S3Exception.class);
    }
  }

  @Test
  void makesAsManyRequestsAtOnceAsItMay() throws IOException {
    CountDownLatch asked = new CountDownLatch(MANY);
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), MANY);
    ExecutorService threads = Executors.newCachedThreadPool();
    server.setExecutor(threads);
    server.createContext("/", exchange -> answerOnceAllAsked(exchange, asked));
    server.start();
    URI endpoint = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    try (S3AsyncClient s3 = AwsClients.s3(withKeys(endpoint), MANY)) {
      CompletableFuture<?>[] reads = new CompletableFuture<?>[MANY];
      for (int i = 0; i < MANY; i++) {
        String key = "file-" + i;
        reads[i] = s3.headObject(r -> r.bucket("documents").key(key));
      }
      assertThat(CompletableFuture.allOf(reads)).succeedsWithin(Duration.ofSeconds(60));
    } finally {
      threads.shutdownNow();
      server.stop(0);
    }
  }

  private static void answerOnceAllAsked(HttpExchange exchange, CountDownLatch asked)
      throws IOException {
    asked.countDown();
    try {
      asked.await();
    } catch (InterruptedException e) {
      throw new InterruptedIOException("the test is over");
    }
    exchange.sendResponseHeaders(200, -1);
    exchange.close();
  }

  /** Answers for one region; sends everybody else there, as S3 does. */
  private static final class HomeRegion implements SdkAsyncHttpClient {
    private final List<String> hosts = new CopyOnWriteArrayList<>();
    private final String region;

    private HomeRegion(String region) {
      this.region = region;
    }

    @Override
    public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
      String host = request.request().host();
      hosts.add(host);
      boolean isHome = host.contains(region);
      request
          .responseHandler()
          .onHeaders(
              SdkHttpResponse.builder()
                  .statusCode(isHome ? 200 : 301)
                  .putHeader("x-amz-bucket-region", region)
                  .putHeader("Content-Length", "7")
                  .build());
      request.responseHandler().onStream(AsyncRequestBody.empty());
      return CompletableFuture.completedFuture(null);
    }

    @Override
    public void close() {}
  }
}
