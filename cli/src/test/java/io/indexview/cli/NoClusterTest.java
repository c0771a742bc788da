package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import io.indexview.server.IndexviewServer;
import io.indexview.server.config.ServerConfig;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server whose brokers are away answers, and says so. */
@Timeout(60)
class NoClusterTest {
  private static final int WAITING = 8;

  @TempDir private static Path directory;

  /** Has a port that nobody else gets, and does not listen. */
  private static final Socket NOBODY = new Socket();

  private static IndexviewServer server;
  private static Cli cli;

  @BeforeAll
  static void start() throws IOException {
    NOBODY.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    String nobody = "127.0.0.1:" + NOBODY.getLocalPort();
    server =
        IndexviewServer.start(
            ServerConfig.parse(
                Map.of(
                    "bootstrap.servers",
                    nobody,
                    "schema.registry.url",
                    "http://" + nobody,
                    "http.port",
                    "0",
                    "kafka.default.api.timeout.ms",
                    "200",
                    "kafka.request.timeout.ms",
                    "100")));
    cli = new Cli(server.address());
    Files.writeString(
        directory.resolve("v.yaml"), "name: v\nsource: people\nkey: [org]\ntarget: kv\n");
  }

  @AfterAll
  static void stop() throws IOException {
    server.close();
    NOBODY.close();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "status",
        "views list",
        "views show v",
        "views apply -f FILE",
        "views diff -f FILE",
        "views drop v",
        "views rebuild v",
        "views rollback v",
        "views wait v",
        "sources list",
        "sources retire kvstore-people",
        "records get people /people/1",
        "records put people /people/1 {}",
        "records delete people /people/1"
      })
  void everyCommandSaysThatTheClusterDoesNotAnswer(String line) {
    String file = directory.resolve("v.yaml").toString();
    Cli.Run run =
        cli.run(
            Stream.of(line.split(" ")).map(w -> w.replace("FILE", file)).toArray(String[]::new));

    assertThat(run.exitCode()).as(run.err()).isEqualTo(ExitCodes.UNAVAILABLE);
    assertThat(run.err()).contains("does not answer").hasLineCount(1);
  }

  @Test
  void changesAtTheSameTimeAllSaySo() {
    ExecutorService threads = Executors.newFixedThreadPool(WAITING);
    try {
      List<CompletableFuture<Cli.Run>> runs =
          Stream.generate(
                  () -> CompletableFuture.supplyAsync(() -> cli.run("views", "drop", "v"), threads))
              .limit(WAITING)
              .toList();

      assertThat(runs).allMatch(run -> run.join().exitCode() == ExitCodes.UNAVAILABLE);
    } finally {
      threads.shutdownNow();
    }
  }

  @Test
  void isNotReady() throws Exception {
    URI health = server.address().resolve("/health/ready");

    assertThat(
            HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(health).build(), BodyHandlers.discarding())
                .statusCode())
        .isEqualTo(503);
  }
}
