package io.indexview.cli.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.indexview.schemas.fixtures.OwnCertificate;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import javax.net.ssl.SSLContext;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServerClientTest {
  private HttpServer other;

  @BeforeEach
  void start() throws IOException {
    other = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    other.start();
  }

  @AfterEach
  void stop() {
    other.stop(0);
  }

  /** A proxy, or another server: what it says would pass for "there are no views". */
  @ParameterizedTest
  @CsvSource({"200, <html>", "200, []", "400, <html>", "404, {}", "502, ''"})
  void doesNotTakeAnotherServerForOneOfViews(int status, String body) {
    other.createContext(
        "/",
        exchange -> {
          byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, bytes.length == 0 ? -1 : bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    URI address = URI.create("http://127.0.0.1:" + other.getAddress().getPort());
    ServerClient client = new ServerClient(new ServerAddress(address, Optional.empty()));

    assertThatThrownBy(() -> client.get(ApiPath.of("views")))
        .isInstanceOf(CommandException.Unavailable.class)
        .hasMessageContaining(address.toString())
        .hasMessageContaining("status " + status)
        .hasMessageContaining("is the address right?");
  }

  @Test
  void saysThatItDoesNotTrustACertificate(@TempDir Path directory) throws Exception {
    OwnCertificate own =
        new OwnCertificate(directory.resolve("server.p12"), "changeit", "dns:localhost");

    assertThatRequestTo(own.serverContext())
        .hasMessageContaining("is not trusted")
        .hasMessageContaining("javax.net.ssl.trustStore");
  }

  /** No trust store helps. */
  @Test
  void namesAnotherFailureOfTls() throws Exception {
    SSLContext withoutCertificate = SSLContext.getInstance("TLS");
    withoutCertificate.init(null, null, null);

    assertThatRequestTo(withoutCertificate)
        .hasMessageContaining("TLS with https://127.0.0.1")
        .hasMessageNotContaining("trustStore");
  }

  private static AbstractThrowableAssert<?, ?> assertThatRequestTo(SSLContext context)
      throws IOException {
    HttpsServer https =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    https.setHttpsConfigurator(new HttpsConfigurator(context));
    https.start();
    try {
      URI address = URI.create("https://127.0.0.1:" + https.getAddress().getPort());
      ServerClient client = new ServerClient(new ServerAddress(address, Optional.empty()));

      return assertThatThrownBy(() -> client.get(ApiPath.of("views")))
          .isInstanceOf(CommandException.Unavailable.class)
          .hasMessageContaining(address.toString())
          .hasMessageNotContaining("is it running?");
    } finally {
      https.stop(0);
    }
  }

  private ServerClient answering(Supplier<String> statusAndBody) {
    other.createContext(
        "/",
        exchange -> {
          String[] answer = statusAndBody.get().split(" ", 2);
          byte[] bytes = answer[1].getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(Integer.parseInt(answer[0]), bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    URI address = URI.create("http://127.0.0.1:" + other.getAddress().getPort());
    return new ServerClient(new ServerAddress(address, Optional.empty()));
  }

  @Test
  void asksAgainWhileTheServerDoesNotAnswer() throws InterruptedException {
    Deque<String> answers =
        new ArrayDeque<>(
            List.of("502 <html>", "503 {\"title\": \"no broker\"}", "200 {\"view\": \"x\"}"));
    ServerClient client = answering(answers::remove);

    assertThat(client.get(ApiPath.of("views", "x"), Duration.ofMinutes(1)).path("view").asText())
        .isEqualTo("x");
    assertThat(answers).isEmpty();
  }

  @Test
  void doesNotAskAgainForWhatIsRefusedNorForLongerThanItIsTold() {
    ServerClient refused = answering(() -> "404 {\"title\": \"no such view\"}");
    assertThatThrownBy(() -> refused.get(ApiPath.of("views", "x"), Duration.ofMinutes(1)))
        .isInstanceOf(ApiException.class)
        .hasMessage("no such view");
    other.removeContext("/");

    ServerClient failing = answering(() -> "503 {\"title\": \"no broker\"}");
    assertThatThrownBy(() -> failing.get(ApiPath.of("views", "x"), Duration.ofMillis(20)))
        .isInstanceOf(ApiException.class)
        .hasMessage("no broker");
  }
}
