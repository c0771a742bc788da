package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.config.InvalidConfigException;
import io.indexview.streams.People;
import io.indexview.streams.app.AppStatus.AppState;
import io.indexview.streams.config.AppConfig;
import io.indexview.views.definition.InvalidViewException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import javax.management.ObjectName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The life of the app where no broker answers. */
class IndexViewAppTest {
  @TempDir private Path directory;
  private final Map<String, String> settings = new HashMap<>();

  @BeforeEach
  void prepare() throws IOException {
    Path views = Files.createDirectory(directory.resolve("views"));
    Files.writeString(views.resolve("by-org.yaml"), People.BY_ORG);
    settings.put("bootstrap.servers", "127.0.0.1:1");
    settings.put("schema.registry.url", "mock://app-test");
    settings.put("record.sets", "people");
    settings.put("views.dir", views.toString());
    settings.put("state.dir", directory.resolve("state").toString());
    settings.put("http.port", "0");
  }

  private IndexViewApp start() {
    return IndexViewApp.start(AppConfig.parse(settings));
  }

  private static HttpResponse<String> get(IndexViewApp app, String path)
      throws IOException, InterruptedException {
    URI uri = URI.create("http://127.0.0.1:" + app.httpAddress().getPort() + path);
    return HttpClient.newHttpClient()
        .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
  }

  @Test
  void isLiveAndSaysWhatItWaitsForWhileItStarts() throws Exception {
    try (IndexViewApp app = start()) {
      // All the clients of the app start first, which is seconds of CPU in a JVM that is cold.
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () ->
                  assertThat(get(app, "/health/ready").body())
                      .startsWith("STARTING: waiting for the brokers"));

      assertThat(app.state()).isEqualTo(AppState.STARTING);
      assertThat(get(app, "/health/ready").statusCode()).isEqualTo(503);
      assertThat(get(app, "/health/live").statusCode()).isEqualTo(200);
      assertThat(get(app, "/metrics").body()).contains("indexview_registry_waits 0");
      assertThatThrownBy(() -> app.awaitRunning(Duration.ofMillis(10)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("STARTING");
    }
  }

  /** As brokers see them, and the metrics of this JVM. */
  @Test
  void namesItsClientsAfterItself() throws Exception {
    settings.put("streams.client.id", "told-apart");
    try (IndexViewApp app = start()) {
      await()
          .atMost(Duration.ofMinutes(1))
          .untilAsserted(
              () ->
                  assertThat(clientIds("told-apart"))
                      .contains(
                          "told-apart-app-admin",
                          "told-apart-app-writer",
                          "told-apart-app-reader",
                          "told-apart-app-position",
                          "told-apart-app-indexview.view-states"));
      assertThat(appMBeans("told-apart")).isNotEmpty();
      assertThat(app.state()).isEqualTo(AppState.STARTING);
      // Those of an app that was closed before may end a moment later.
      await().untilAsserted(() -> assertThat(clientIds("indexview")).isEmpty());
    }
    assertThat(appMBeans("told-apart")).isEmpty();
  }

  private static Set<String> clientIds(String prefix) throws Exception {
    return ManagementFactory.getPlatformMBeanServer()
        .queryNames(new ObjectName("kafka.*:type=app-info,id=%s*".formatted(prefix)), null)
        .stream()
        .map(name -> name.getKeyProperty("id"))
        .collect(Collectors.toSet());
  }

  private static Set<ObjectName> appMBeans(String clientId) throws Exception {
    return ManagementFactory.getPlatformMBeanServer()
        .queryNames(new ObjectName("indexview.app:client-id=%s,*".formatted(clientId)), null);
  }

  @Test
  void endsAtOnceWhenClosedWhileItStarts() throws Exception {
    IndexViewApp app = start();
    app.close();
    app.close();

    assertThat(app.awaitEnd()).isEqualTo(AppState.CLOSED);
    assertThat(app.failure()).isEmpty();
    assertThatThrownBy(() -> get(app, "/health/live")).isInstanceOf(IOException.class);
  }

  @Test
  void endsAtOnceWhenClosedWhileNoBrokerAnswers() throws Exception {
    Path schema = Files.writeString(directory.resolve("person.avsc"), People.SCHEMA.toString());
    settings.put("record.set.people.schema.file", schema.toString());
    IndexViewApp app = start();

    app.close();

    assertThat(app.awaitEnd()).isEqualTo(AppState.CLOSED);
  }

  @Test
  void failsWhenAViewIsNotValid() throws Exception {
    Path schema = Files.writeString(directory.resolve("person.avsc"), People.SCHEMA.toString());
    settings.put("record.set.people.schema.file", schema.toString());
    Files.writeString(
        directory.resolve("views/bad.yaml"), People.BY_ORG.replace("[org]", "[nothing]"));

    try (IndexViewApp app = start()) {
      assertThat(app.awaitEnd()).isEqualTo(AppState.FAILED);
      assertThat(app.failure()).get().isInstanceOf(InvalidViewException.class);
      assertThat(get(app, "/health/live").statusCode()).isEqualTo(503);
      assertThatThrownBy(() -> app.awaitRunning(Duration.ofSeconds(1)))
          .hasCauseInstanceOf(InvalidViewException.class);
    }
  }

  @Test
  void refusesAPortThatIsTaken() throws Exception {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      settings.put("http.port", Integer.toString(taken.getLocalPort()));
      settings.put("streams.client.id", "refused");

      assertThatThrownBy(this::start)
          .isInstanceOf(UncheckedIOException.class)
          .hasMessageContaining("http.port");
      assertThat(appMBeans("refused")).isEmpty();
    }
  }

  @Test
  void refusesAStateDirectoryThatIsNone() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "");
    settings.put("state.dir", file.resolve("state").toString());

    assertThatThrownBy(this::start)
        .isInstanceOf(InvalidConfigException.class)
        .hasMessageContaining("state.dir: " + file.resolve("state") + " cannot be written to");
  }
}
