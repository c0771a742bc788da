package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConnectClientTest {
  private static final Duration SOON = Duration.ofMinutes(1);
  private static final String RUNNING = "{\"state\":\"RUNNING\"}";

  private final Queue<Answer> answers = new ArrayDeque<>();
  private final List<String> requests = new CopyOnWriteArrayList<>();
  private HttpServer worker;
  private ConnectClient client;

  @BeforeEach
  void start() throws IOException {
    worker = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    worker.createContext("/", this::answer);
    worker.start();
    client = new ConnectClient(URI.create("http://127.0.0.1:" + worker.getAddress().getPort()));
  }

  @AfterEach
  void stop() {
    worker.stop(0);
  }

  @Test
  void asksAgainWhenTheGroupRebalances() {
    answers.add(new Answer(409, "{\"message\":\"rebalance\"}"));
    answers.add(new Answer(201, "{}"));

    client.put("a b", Map.of("connector.class", "x"));

    assertThat(requests)
        .hasSizeGreaterThanOrEqualTo(2)
        .containsOnly("PUT /connectors/a%20b/config");
  }

  @Test
  void saysWhatTheWorkerSaysWhenItRefuses() {
    answers.add(new Answer(400, "{\"error_code\":400,\"message\":\"topics is missing\"}"));

    assertThatThrownBy(() -> client.put("sink", Map.of()))
        .isInstanceOf(StackException.class)
        .hasMessage("cannot create connector sink: status 400, topics is missing");
  }

  @Test
  void waitsUntilAllTasksRun() {
    answers.add(new Answer(404, ""));
    answers.add(status("[]"));
    answers.add(status("[" + RUNNING + ",{\"state\":\"UNASSIGNED\"}]"));
    answers.add(status("[" + RUNNING + "," + RUNNING + "]"));

    client.awaitRunning("sink", SOON);

    assertThat(requests).hasSize(4);
  }

  @Test
  void carriesTheTraceWhenATaskHasFailed() {
    answers.add(status("[{\"state\":\"FAILED\",\"trace\":\"java.lang.Error: no table\"}]"));

    assertThatThrownBy(() -> client.awaitRunning("sink", SOON))
        .isInstanceOf(StackException.class)
        .hasMessage("connector sink has failed: java.lang.Error: no table");
  }

  /** On a machine that is busy it may leave a question unanswered while it starts. */
  @Test
  void asksAgainWhetherTheWorkerHasJoinedItsGroup() throws Exception {
    answers.add(Answer.NONE);
    answers.add(new Answer(503, ""));
    answers.add(new Answer(200, ""));

    client.awaitMember(SOON, Duration.ofMillis(200));

    assertThat(requests).hasSizeGreaterThanOrEqualTo(3).containsOnly("GET /health");
  }

  @Test
  void waitsForAWorkerThatDoesNotListenYet() {
    worker.stop(0);

    assertThatThrownBy(() -> client.awaitMember(Duration.ofMillis(200), SOON))
        .isInstanceOf(StackException.class)
        .hasMessageContaining("did not join its group");
  }

  @Test
  void ignoresADeletionWhenThereIsNothing() {
    answers.add(new Answer(404, "{\"message\":\"not found\"}"));

    client.delete("gone");

    assertThat(requests).containsOnly("DELETE /connectors/gone");
  }

  private static Answer status(String tasks) {
    return new Answer(
        200, "{\"name\":\"sink\",\"connector\":" + RUNNING + ",\"tasks\":" + tasks + "}");
  }

  /** The last answer again and again: a question that was answered too late comes again. */
  private synchronized void answer(HttpExchange exchange) throws IOException {
    requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI());
    exchange.getRequestBody().readAllBytes();
    Answer answer = answers.size() > 1 ? answers.remove() : answers.element();
    if (answer.equals(Answer.NONE)) {
      return;
    }
    byte[] body = answer.body().getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(answer.status(), body.length == 0 ? -1 : body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private record Answer(int status, String body) {
    static final Answer NONE = new Answer(0, "");
  }
}
