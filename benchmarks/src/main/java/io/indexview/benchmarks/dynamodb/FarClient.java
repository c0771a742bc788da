package io.indexview.benchmarks.dynamodb;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** A client whose answers take longer, as from a service that is further away. */
final class FarClient {
  private FarClient() {}

  /**
   * @param roundTrip added to every answer that is no failure
   */
  static DynamoDbAsyncClient of(DynamoDbAsyncClient client, Duration roundTrip) {
    if (roundTrip.isZero()) {
      return client;
    }
    Executor later =
        CompletableFuture.delayedExecutor(roundTrip.toNanos(), TimeUnit.NANOSECONDS, Runnable::run);
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
