package io.indexview.local;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Client of a Connect worker's REST API. Every method throws {@link StackException} with the
 * worker's own words if the worker refuses; safe for use by several threads.
 */
public final class ConnectClient {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration REQUEST = Duration.ofSeconds(60);

  /** The worker's answer while its group rebalances: ask again. */
  private static final int CONFLICT = 409;

  private static final int NOT_FOUND = 404;

  private final URI base;
  private final HttpClient http = HttpClient.newHttpClient();

  /**
   * @param base address of the worker
   */
  public ConnectClient(URI base) {
    this.base = base;
  }

  public URI url() {
    return base;
  }

  /**
   * Waits until the worker, which may be starting, has joined its group; it answers requests
   * before, which would then wait.
   *
   * @param probe how long it may take to answer one question; one that it leaves unanswered is
   *     asked again
   * @throws StackException after the timeout
   */
  public void awaitMember(Duration timeout, Duration probe) throws Exception {
    HttpRequest health = HttpRequest.newBuilder(base.resolve("/health")).timeout(probe).build();
    Poll.until(
        () -> isHealthy(health) ? Optional.of(true) : Optional.empty(),
        timeout,
        () ->
            new StackException(
                "connect did not join its group within " + timeout.toSeconds() + " s"));
  }

  private boolean isHealthy(HttpRequest health) throws InterruptedException {
    try {
      return http.send(health, HttpResponse.BodyHandlers.discarding()).statusCode() == 200;
    } catch (IOException e) {
      // It does not listen, does not answer in time, or ends: it may be starting again.
      return false;
    }
  }

  /** Creates a connector, or replaces its configuration. */
  public void put(String connector, Map<String, String> config) {
    String body;
    try {
      body = JSON.writeValueAsString(config);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a map of strings is JSON", e);
    }
    accepted(
        "create connector " + connector,
        request(path(connector) + "/config")
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(body)));
  }

  /** Stops and forgets a connector; nothing happens when there is none. */
  public void delete(String connector) {
    String action = "delete connector " + connector;
    HttpResponse<String> response = send(action, request(path(connector)).DELETE());
    if (response.statusCode() != NOT_FOUND) {
      require(action, response);
    }
  }

  /** Restarts a connector and all its tasks. */
  public void restart(String connector) {
    restart(connector, "");
  }

  /** Restarts a connector and those of its tasks that have failed. */
  public void restartFailed(String connector) {
    restart(connector, "&onlyFailed=true");
  }

  private void restart(String connector, String which) {
    accepted(
        "restart connector " + connector,
        request(path(connector) + "/restart?includeTasks=true" + which)
            .POST(HttpRequest.BodyPublishers.noBody()));
  }

  /** The connector's state and those of its tasks; empty if there is none, or not yet. */
  public Optional<Status> status(String connector) {
    String action = "status of connector " + connector;
    HttpResponse<String> response = send(action, request(path(connector) + "/status").GET());
    if (response.statusCode() == NOT_FOUND) {
      return Optional.empty();
    }
    require(action, response);
    return Optional.of(Status.parse(response.body()));
  }

  /**
   * Waits until the connector and all its tasks run, at least one.
   *
   * @throws StackException with the trace, as soon as one has failed, or after the timeout
   */
  public void awaitRunning(String connector, Duration timeout) {
    try {
      Poll.until(
          () -> {
            Optional<Status> status = status(connector);
            status.flatMap(Status::failure).ifPresent(trace -> fail(connector, trace));
            return status.filter(Status::isRunning);
          },
          timeout,
          () ->
              new StackException(
                  "connector %s does not run after %d s: %s"
                      .formatted(
                          connector,
                          timeout.toSeconds(),
                          status(connector).map(Status::toString).orElse("unknown"))));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted while waiting for connector " + connector, e);
    } catch (StackException e) {
      throw e;
    } catch (Exception e) {
      throw new StackException("cannot wait for connector " + connector, e);
    }
  }

  private static void fail(String connector, String trace) {
    throw new StackException("connector %s has failed: %s".formatted(connector, trace));
  }

  private static String path(String connector) {
    return "/connectors/"
        + URLEncoder.encode(connector, StandardCharsets.UTF_8).replace("+", "%20");
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(base.resolve(path)).timeout(REQUEST);
  }

  private void accepted(String action, HttpRequest.Builder request) {
    require(action, send(action, request));
  }

  private HttpResponse<String> send(String action, HttpRequest.Builder request) {
    try {
      return Poll.until(
          () -> {
            HttpResponse<String> response =
                http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return response.statusCode() == CONFLICT ? Optional.empty() : Optional.of(response);
          },
          REQUEST,
          () ->
              new StackException(
                  "cannot %s: the worker's group still rebalances".formatted(action)));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new StackException("interrupted: " + action, e);
    } catch (StackException e) {
      throw e;
    } catch (Exception e) {
      throw new StackException("cannot %s at %s: %s".formatted(action, base, e), e);
    }
  }

  private static void require(String action, HttpResponse<String> response) {
    if (response.statusCode() / 100 != 2) {
      throw new StackException(
          "cannot %s: status %d, %s"
              .formatted(action, response.statusCode(), message(response.body())));
    }
  }

  private static String message(String body) {
    try {
      return JSON.readTree(body).path("message").asText(body);
    } catch (IOException e) {
      return body;
    }
  }

  /**
   * What a worker says of a connector.
   *
   * @param state of the connector itself, for instance RUNNING
   * @param tasks the states of its tasks
   * @param failure the first failure and its causes, if something has failed
   */
  public record Status(String state, List<String> tasks, Optional<String> failure) {
    private static final String RUNNING = "RUNNING";

    static Status parse(String body) {
      try {
        JsonNode root = JSON.readTree(body);
        List<JsonNode> all = new ArrayList<>();
        all.add(root.path("connector"));
        root.path("tasks").forEach(all::add);
        List<String> tasks = all.stream().skip(1).map(task -> task.path("state").asText()).toList();
        Optional<String> failure =
            all.stream()
                .filter(node -> "FAILED".equals(node.path("state").asText()))
                .map(node -> causes(node.path("trace").asText("no trace")))
                .findFirst();
        return new Status(all.get(0).path("state").asText(), tasks, failure);
      } catch (JsonProcessingException e) {
        throw new StackException("a connector's status is not JSON: " + body, e);
      }
    }

    /** A trace without its stack frames, which are in the worker's log. */
    private static String causes(String trace) {
      return trace
          .lines()
          .filter(line -> !line.startsWith("\t"))
          .collect(Collectors.joining(System.lineSeparator()));
    }

    public boolean isRunning() {
      return RUNNING.equals(state) && !tasks.isEmpty() && tasks.stream().allMatch(RUNNING::equals);
    }
  }
}
