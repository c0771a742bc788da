package io.indexview.benchmarks.dynamodb;

import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** DynamoDB Local in memory, in a process of its own. */
public final class LocalTables implements AutoCloseable {
  private final LocalStack stack =
      LocalStack.start(StackConfig.builder().parts(PartName.DYNAMODB).build());

  /**
   * A client of its own for each who asks.
   *
   * @param roundTrip added to every answer
   */
  public DynamoDbAsyncClient client(int maxInFlight, Duration roundTrip) {
    DynamoDbAsyncClient client =
        DynamoDbAsyncClient.builder()
            .region(Region.of("local"))
            .endpointOverride(stack.dynamoDbUrl())
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create("bench", "bench")))
            .httpClientBuilder(NettyNioAsyncHttpClient.builder().maxConcurrency(maxInFlight))
            .build();
    return FarClient.of(client, roundTrip);
  }

  @Override
  public void close() {
    stack.close();
  }

  /** A client whose answers take longer, as from a service that is further away. */
  private static final class FarClient {
    private FarClient() {}

    /**
     * @param roundTrip added to every answer that is no failure
     */
    static DynamoDbAsyncClient of(DynamoDbAsyncClient client, Duration roundTrip) {
      if (roundTrip.isZero()) {
        return client;
      }
      Executor later =
          CompletableFuture.delayedExecutor(
              roundTrip.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
      return (DynamoDbAsyncClient)
          Proxy.newProxyInstance(
              FarClient.class.getClassLoader(),
              new Class<?>[] {DynamoDbAsyncClient.class},
              (proxy, method, arguments) -> {
                try {
                  Object answer = method.invoke(client, arguments);
                  return answer instanceof CompletableFuture<?> future
                      ? future.thenApplyAsync(value -> value, later)
                      : answer;
                } catch (InvocationTargetException e) {
                  throw e.getCause();
                }
              });
    }
  }
}
