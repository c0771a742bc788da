package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.WriteCondition.Fence;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** How often a request is sent, to a service that always fails in one way. */
class FailFastRetriesTest {
  private final AtomicInteger requests = new AtomicInteger();
  private volatile int status;
  private volatile String error;
  private HttpServer service;
  private ItemStore store;

  @BeforeEach
  void start() throws IOException {
    service = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    service.createContext(
        "/",
        exchange -> {
          requests.incrementAndGet();
          ServiceAnswers.fail(exchange, status, error);
        });
    service.start();
    URI endpoint = URI.create("http://127.0.0.1:" + service.getAddress().getPort());
    store =
        DynamoDbItemStore.openFailingFast(
            new DynamoDbSettings("local", endpoint, "key", "secret", 4));
  }

  @AfterEach
  void stop() {
    store.close();
    service.stop(0);
  }

  @ParameterizedTest
  @CsvSource({
    "400, ProvisionedThroughputExceededException, 1",
    "400, ThrottlingException, 1",
    "400, RequestLimitExceeded, 1",
    "500, InternalServerError, 3",
    "503, ServiceUnavailable, 3",
  })
  void tellsOfThrottlingAtOnceAndRepeatsWhatMayPass(int code, String name, int sent) {
    connect();
    status = code;
    error = name;

    assertThatThrownBy(
            () ->
                store
                    .put("files", new ItemWrite.Put(Map.of("id", "a"), Map.of("id", "a")), fence())
                    .join())
        .hasCauseInstanceOf(ItemStoreException.Unavailable.class);

    assertThat(requests).hasValue(sent);
  }

  /** With classes to load that may take so long that it is sent again. */
  private void connect() {
    status = 400;
    error = "ResourceNotFoundException";
    assertThat(store.describe("files")).isEmpty();
    requests.set(0);
  }

  private static Fence fence() {
    return new Fence("version", 1);
  }
}
