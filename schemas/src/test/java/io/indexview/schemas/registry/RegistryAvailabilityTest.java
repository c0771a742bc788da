package io.indexview.schemas.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.schemas.registry.RegistryHttpServer.Answer;
import io.indexview.schemas.registry.RegistryHttpServer.Request;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.WriterAppender;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What happens while a registry does not answer, and who is told the credentials. */
class RegistryAvailabilityTest {
  private static final Schema SCHEMA =
      SchemaBuilder.record("Person").fields().requiredString("name").endRecord();

  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();
  private RegistryHttpServer server;
  private RegistryHttpServer second;

  @BeforeEach
  void start() throws IOException {
    server = new RegistryHttpServer(registry);
    second = new RegistryHttpServer(registry);
  }

  @AfterEach
  void stop() {
    server.close();
    second.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {408, 429, 500, 502, 503, 504})
  void triesAgainWhenTheAnswerSaysLater(int status) {
    server.answerNext(Answer.error(status, 50002, "later"), new Answer(status, "<html>"));

    try (SchemaRegistry client = client(server.url(), Map.of())) {
      assertThat(client.register("people-value", SCHEMA)).isEqualTo(1);
    }
    assertThat(server.requests()).hasSize(3);
  }

  @Test
  void givesUpAfterTheRetriesWithWhatTheRegistrySaid() {
    Answer later = Answer.error(503, 50301, "leader election");
    server.answerNext(later, later, later, later);

    try (SchemaRegistry client = client(server.url(), Map.of())) {
      assertThatThrownBy(() -> client.byId(7))
          .isInstanceOf(RegistryException.Unavailable.class)
          .hasMessageContaining("schema id 7")
          .hasMessageContaining("leader election");
    }
    assertThat(server.requests()).hasSize(3);
  }

  @Test
  void goesToTheNextAddressAndStaysThere() throws IOException {
    registry.register("people-value", SCHEMA);
    server.close();

    try (SchemaRegistry client = client(server.url() + "," + second.url(), Map.of())) {
      assertThat(client.byId(1)).isEqualTo(SCHEMA);
      assertThat(client.latest("people-value")).isPresent();
    }
    assertThat(second.requests()).hasSize(2);
  }

  @Test
  void doesNotAskAnotherAddressWhenOneRefuses() {
    server.answerNext(Answer.error(401, 401, "Unauthorized"));

    try (SchemaRegistry client = client(server.url() + "," + second.url(), Map.of())) {
      assertThatThrownBy(() -> client.byId(1))
          .isExactlyInstanceOf(RegistryException.class)
          .hasMessageContaining(RegistryConfig.USER_INFO_CONFIG);
    }
    assertThat(second.requests()).isEmpty();
  }

  @Test
  void tellsEveryAddressThatDidNotAnswer() {
    server.close();
    second.close();

    try (SchemaRegistry client = client(server.url() + "," + second.url(), Map.of())) {
      RegistryException.Unavailable failure =
          catchThrowableOfType(RegistryException.Unavailable.class, () -> client.byId(1));
      assertThat(failure).hasMessageContaining(second.url());
      assertThat(failure.getSuppressed()).hasSize(1);
      assertThat(failure.getSuppressed()[0]).hasMessageContaining(server.url());
    }
  }

  @Test
  void doesNotWaitLongerThanTheTimeoutForABodyThatNeverComes() throws IOException {
    CompletableFuture<Void> served;
    try (ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      served = CompletableFuture.runAsync(() -> sendHeadersOnly(mute));
      Map<String, String> config =
          Map.of(RegistryConfig.REQUEST_TIMEOUT_CONFIG, "200", RegistryConfig.RETRIES_CONFIG, "0");

      try (SchemaRegistry client = client("http://127.0.0.1:" + mute.getLocalPort(), config)) {
        assertThatThrownBy(() -> client.byId(1))
            .isInstanceOf(RegistryException.Unavailable.class)
            .hasMessageContaining("200 ms");
      }
    }
    served.join();
  }

  @Test
  void endsAtOnceWithTheFlagSetWhenInterrupted() {
    try (SchemaRegistry client = client(server.url(), Map.of())) {
      Thread.currentThread().interrupt();
      assertThatThrownBy(() -> client.byId(1))
          .isInstanceOf(RegistryException.Unavailable.class)
          .hasMessageContaining("interrupted");
    } finally {
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(server.requests().size()).isLessThan(2);
  }

  @Test
  void answersNothingAfterClose() {
    SchemaRegistry client = client(server.url(), Map.of());
    client.close();

    assertThatThrownBy(() -> client.byId(1))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
    assertThat(server.requests()).isEmpty();
  }

  @Test
  void sendsTheCredentialsItWasGiven() {
    authenticate(server.url(), Map.of(RegistryConfig.USER_INFO_CONFIG, "user:pässword"));
    authenticate(server.url(), Map.of(RegistryConfig.BEARER_TOKEN_CONFIG, "a.b.c"));
    authenticate("http://user:secret@" + server.address(), Map.of());

    assertThat(server.requests())
        .extracting(Request::authorization)
        .containsExactly("Basic dXNlcjpww6Rzc3dvcmQ=", "Bearer a.b.c", "Basic dXNlcjpzZWNyZXQ=");
  }

  @Test
  void neverLogsCredentials() {
    StringWriter log = new StringWriter();
    Logger root = (Logger) LogManager.getRootLogger();
    Level level = root.getLevel();
    WriterAppender appender =
        WriterAppender.createAppender(
            PatternLayout.newBuilder().withPattern("%m %throwable%n").build(),
            null,
            log,
            "credentials",
            false,
            false);
    appender.start();
    root.addAppender(appender);
    Configurator.setRootLevel(Level.ALL);
    try {
      second.answerNext(Answer.error(503, 50301, "later"));
      server.close();
      authenticate(
          "http://user:hush@" + server.address() + ",http://user:hush@" + second.address(),
          Map.of());
    } finally {
      Configurator.setRootLevel(level);
      root.removeAppender(appender);
    }
    assertThat(log.toString()).contains(second.url()).doesNotContain("hush", "dXNlcjpodXNo");
  }

  private void authenticate(String urls, Map<String, String> config) {
    try (SchemaRegistry client = client(urls, config)) {
      assertThat(client.latest("people-value")).isEmpty();
    }
  }

  private static SchemaRegistry client(String urls, Map<String, String> config) {
    Map<String, String> all = new HashMap<>();
    all.put(RegistryConfig.URL_CONFIG, urls);
    all.put(RegistryConfig.RETRIES_CONFIG, "2");
    all.put(RegistryConfig.RETRY_BACKOFF_CONFIG, "1");
    all.putAll(config);
    return SchemaRegistries.create(all);
  }

  private static void sendHeadersOnly(ServerSocket listener) {
    try (Socket socket = listener.accept()) {
      socket
          .getOutputStream()
          .write(
              "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    } catch (IOException e) {
      // The client has given up, perhaps before all of this was written.
    }
  }
}
