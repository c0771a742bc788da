package io.indexview.cli.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublisher;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.security.GeneralSecurityException;
import java.security.cert.CertPathBuilderException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManager;

/**
 * Asks a server. All methods throw {@link ApiException} for an answer that is an error, and {@link
 * CommandException.Unavailable} if there is none.
 */
public final class ServerClient {
  private static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(5);

  /** Above what the server lets a request wait. */
  private static final Duration ANSWER_TIMEOUT = Duration.ofMinutes(2);

  /** Pause between two requests to a server that does not answer. */
  private static final Duration AGAIN = Duration.ofMillis(500);

  private static final JsonMapper JSON = JsonMapper.builder().build();
  private static final String JSON_TYPE = "application/json";

  private final ServerAddress server;
  private final HttpClient http;

  public ServerClient(ServerAddress server) {
    this.server = server;
    this.http = http(server.isSecure());
  }

  private static HttpClient http(boolean secure) {
    HttpClient.Builder http =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(CONNECT_TIMEOUT);
    return (secure ? http : http.sslContext(trustingNobody())).build();
  }

  /** Otherwise every client reads all certificates of the JDK, which takes a third of a command. */
  private static SSLContext trustingNobody() {
    try {
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(new KeyManager[0], new TrustManager[0], null);
      return context;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }

  /**
   * What is sent.
   *
   * @param content null: nothing
   * @param type of the content
   */
  public record Body(String content, String type) {
    public static final Body NONE = new Body(null, null);

    public static Body json(JsonNode content) {
      return new Body(content.toString(), JSON_TYPE);
    }
  }

  public JsonNode get(ApiPath path) {
    return send("GET", path, Body.NONE, Map.of());
  }

  /**
   * Gets like {@link #get(ApiPath)}, and again while the server does not answer.
   *
   * @param timeout how long that; what it failed with then is thrown
   */
  public JsonNode get(ApiPath path, Duration timeout) throws InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      long left;
      try {
        return get(path);
      } catch (ApiException | CommandException.Unavailable e) {
        left = deadline - System.nanoTime();
        if (!mayPass(e) || left <= 0) {
          throw e;
        }
      }
      if (new CountDownLatch(1).await(Math.min(left, AGAIN.toNanos()), TimeUnit.NANOSECONDS)) {
        throw new IllegalStateException("nobody counts down");
      }
    }
  }

  /** Whether what a method threw is an outage, so that the same may go well in a while. */
  public static boolean mayPass(RuntimeException failure) {
    return !(failure instanceof ApiException answer) || answer.exitCode() == ExitCodes.UNAVAILABLE;
  }

  public JsonNode post(ApiPath path, Body body, Map<String, String> headers) {
    return send("POST", path, body, headers);
  }

  public JsonNode put(ApiPath path, Body body, Map<String, String> headers) {
    return send("PUT", path, body, headers);
  }

  public JsonNode delete(ApiPath path, Map<String, String> headers) {
    return send("DELETE", path, Body.NONE, headers);
  }

  private JsonNode send(String method, ApiPath path, Body body, Map<String, String> headers) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(path.on(server.url()))
            .timeout(ANSWER_TIMEOUT)
            .method(method, publisher(body));
    if (body.type() != null) {
      request.header("Content-Type", body.type());
    }
    headers.forEach(request::header);
    server.token().ifPresent(token -> request.header("Authorization", "Bearer " + token));
    HttpResponse<String> response = exchange(request.build());
    JsonNode answer = tree(response.body());
    boolean failed = response.statusCode() >= 400;
    if (failed ? !answer.hasNonNull("title") : !answer.isObject() && !response.body().isEmpty()) {
      throw new CommandException.Unavailable(
          "%s answers with status %d, but not as a server of views does: is the address right?"
              .formatted(server, response.statusCode()),
          null);
    }
    if (failed) {
      throw ApiException.of(response.statusCode(), answer);
    }
    return answer;
  }

  private static BodyPublisher publisher(Body body) {
    return body.content() == null
        ? BodyPublishers.noBody()
        : BodyPublishers.ofString(body.content());
  }

  private HttpResponse<String> exchange(HttpRequest request) {
    try {
      return http.send(request, BodyHandlers.ofString());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new CommandException.Unavailable("interrupted while " + server + " was asked", e);
    } catch (SSLHandshakeException e) {
      if (!isOfTrust(e)) {
        throw new CommandException.Unavailable(
            "TLS with %s failed: %s".formatted(server, cause(e)), e);
      }
      throw new CommandException.Unavailable(
          "%s is not trusted (%s): if its certificate is of an authority of your own, name a trust store with that in INDEXVIEW_JVM_OPTIONS, by -Djavax.net.ssl.trustStore and -Djavax.net.ssl.trustStorePassword"
              .formatted(server, cause(e)),
          e);
    } catch (IOException e) {
      throw new CommandException.Unavailable(
          "no answer from %s (%s): is it running? `indexview local` starts one, --server or INDEXVIEW_SERVER names another"
              .formatted(server, cause(e)),
          e);
    }
  }

  private static boolean isOfTrust(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertPathBuilderException) {
        return true;
      }
    }
    return false;
  }

  private static String cause(IOException failure) {
    if (failure.getMessage() != null) {
      return failure.getMessage();
    }
    // Of names that nobody knows too.
    return failure instanceof ConnectException ? "no connection" : "the connection broke off";
  }

  /** Missing for what is no JSON: an empty answer, or one of something in between. */
  private static JsonNode tree(String body) {
    try {
      return JSON.readTree(body);
    } catch (JsonProcessingException e) {
      return MissingNode.getInstance();
    }
  }
}
