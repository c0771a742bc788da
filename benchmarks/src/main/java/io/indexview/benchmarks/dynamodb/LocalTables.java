package io.indexview.benchmarks.dynamodb;

import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBRequestHandler;
import com.amazonaws.services.dynamodbv2.local.server.LocalDynamoDBServerHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.handler.ContextHandler;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;

/** DynamoDB Local in memory, in this process, over HTTP as the service is. */
final class LocalTables implements AutoCloseable {
  private static final String HOST = "127.0.0.1";

  private final LocalDynamoDBServerHandler handler;
  private final Server server = new Server();
  private final int port;

  private LocalTables() throws Exception {
    this.handler =
        new LocalDynamoDBServerHandler(
            new LocalDynamoDBRequestHandler(0, true, null, true, false), null);
    ServerConnector connector = new ServerConnector(server);
    connector.setHost(HOST);
    server.addConnector(connector);
    server.setHandler(new ContextHandler(handler));
    server.start();
    this.port = connector.getLocalPort();
  }

  static LocalTables start() throws Exception {
    return new LocalTables();
  }

  /**
   * A client of its own for each who asks.
   *
   * @param roundTrip added to every answer
   */
  DynamoDbAsyncClient client(int maxInFlight, Duration roundTrip) {
    DynamoDbAsyncClient client =
        DynamoDbAsyncClient.builder()
            .region(Region.of("local"))
            .endpointOverride(URI.create("http://%s:%d".formatted(HOST, port)))
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create("bench", "bench")))
            .httpClientBuilder(NettyNioAsyncHttpClient.builder().maxConcurrency(maxInFlight))
            .build();
    return FarClient.of(client, roundTrip);
  }

  @Override
  public void close() throws Exception {
    server.stop();
    handler.close();
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
