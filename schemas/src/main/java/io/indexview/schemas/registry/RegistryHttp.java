package io.indexview.schemas.registry;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests to a registry: the addresses in turn, all of them again after a pause while none
 * answers. Safe for use by several threads.
 */
final class RegistryHttp implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(RegistryHttp.class);
  private static final String MEDIA_TYPE = "application/vnd.schemaregistry.v1+json";

  private final List<Endpoint> endpoints;
  private final RetryPolicy retries;
  private final Duration timeout;
  private final HttpClient client;
  private final CountDownLatch closed = new CountDownLatch(1);

  /** Index of the address that answered last: the next request starts there. */
  private volatile int preferred;

  RegistryHttp(List<Endpoint> endpoints, RegistryConfig config) {
    this.endpoints = endpoints;
    this.retries = config.retryPolicy();
    this.timeout = config.requestTimeout();
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(config.connectTimeout());
    if (endpoints.stream().anyMatch(endpoint -> endpoint.base().startsWith("https:"))) {
      builder.sslContext(config.trustStore().sslContext());
    }
    this.client = builder.build();
  }

  /**
   * @param action what the request is for, in words, for messages
   * @param path encoded, below the address
   */
  JsonNode get(String action, String path) {
    return send(new Call(action, path, null));
  }

  /** Sends a request with a body, and otherwise as {@link #get} does. */
  JsonNode post(String action, String path, JsonNode body) {
    return send(new Call(action, path, body.toString()));
  }

  @Override
  public void close() {
    closed.countDown();
  }

  private JsonNode send(Call call) {
    for (int round = 0; ; round++) {
      try {
        return tryAll(call);
      } catch (RegistryException.Unavailable e) {
        if (round >= retries.retries() || Thread.currentThread().isInterrupted()) {
          throw e;
        }
        pause(retries.pauseAfter(round), e);
      }
    }
  }

  private JsonNode tryAll(Call call) {
    int first = preferred;
    RegistryException.Unavailable failure = null;
    for (int i = 0; i < endpoints.size(); i++) {
      int index = (first + i) % endpoints.size();
      try {
        JsonNode answer = exchange(endpoints.get(index), call);
        if (index != preferred) {
          LOGGER.warn(
              "Schema registry {} does not answer, using {}",
              endpoints.get(first),
              endpoints.get(index));
          preferred = index;
        }
        return answer;
      } catch (RegistryException.Unavailable e) {
        if (failure != null) {
          e.addSuppressed(failure);
        }
        failure = e;
        if (Thread.currentThread().isInterrupted()) {
          break;
        }
      }
    }
    throw failure;
  }

  private JsonNode exchange(Endpoint endpoint, Call call) {
    if (closed.getCount() == 0) {
      throw new IllegalStateException("the schema registry client is closed");
    }
    CompletableFuture<HttpResponse<byte[]>> answer =
        client.sendAsync(request(endpoint, call), BodyHandlers.ofByteArray());
    try {
      // The client's own timeout ends with the headers; this one covers a body that never comes.
      HttpResponse<byte[]> response = answer.get(timeout.toMillis(), TimeUnit.MILLISECONDS);
      return Answers.read(endpoint, call.action(), response.statusCode(), response.body());
    } catch (TimeoutException e) {
      answer.cancel(true);
      throw unavailable(endpoint, call, "no answer within " + timeout.toMillis() + " ms", e);
    } catch (InterruptedException e) {
      answer.cancel(true);
      Thread.currentThread().interrupt();
      throw unavailable(endpoint, call, "interrupted", e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof IOException cause) {
        throw unavailable(endpoint, call, reason(cause), cause);
      }
      throw new RegistryException(
          "schema registry %s: %s: the request could not be made".formatted(endpoint, call.action),
          e.getCause());
    }
  }

  private HttpRequest request(Endpoint endpoint, Call call) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(endpoint.base() + call.path()))
            .header("Accept", MEDIA_TYPE + ", application/json");
    if (endpoint.authorization() != null) {
      request.header("Authorization", endpoint.authorization());
    }
    if (call.body() != null) {
      request.header("Content-Type", MEDIA_TYPE).POST(BodyPublishers.ofString(call.body()));
    }
    return request.build();
  }

  private void pause(Duration pause, RegistryException.Unavailable failure) {
    LOGGER.debug("{}; trying again in {} ms", failure.getMessage(), pause.toMillis());
    try {
      if (closed.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
        throw failure;
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new RegistryException.Unavailable(
          "interrupted before a retry; " + failure.getMessage(), failure);
    }
  }

  private static String reason(IOException e) {
    return e.getMessage() == null
        ? e.getClass().getSimpleName()
        : e.getClass().getSimpleName() + ": " + e.getMessage();
  }

  private static RegistryException.Unavailable unavailable(
      Endpoint endpoint, Call call, String reason, Exception cause) {
    return new RegistryException.Unavailable(
        "schema registry %s: %s: %s".formatted(endpoint, call.action(), reason), cause);
  }

  private record Call(String action, String path, String body) {}

  /**
   * @param retries rounds after the first
   * @param backoff pause before the first retry, doubling from there
   */
  record RetryPolicy(int retries, Duration backoff) {
    private static final long MAX_BACKOFF_MS = 5_000;

    /**
     * The pause after a failed round, with jitter so that many clients do not come back at once.
     */
    Duration pauseAfter(int round) {
      long full = Math.min(MAX_BACKOFF_MS, backoff.toMillis() << Math.min(round, 16));
      return Duration.ofMillis(ThreadLocalRandom.current().nextLong(full / 2, full + 1));
    }
  }
}
