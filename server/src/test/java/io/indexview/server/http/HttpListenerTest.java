package io.indexview.server.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.client.read.ViewQuery;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.server.FakeReader;
import io.indexview.server.People;
import io.indexview.server.ServedTest;
import io.indexview.server.TestServer;
import io.indexview.server.api.Api;
import io.indexview.server.config.HttpSettings;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.errors.TimeoutException;
import org.glassfish.jersey.internal.MapPropertiesDelegate;
import org.glassfish.jersey.server.ContainerRequest;
import org.glassfish.jersey.server.ResourceConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What reaches the resources, and how everything else is answered. */
class HttpListenerTest extends ServedTest {
  private static void assertProblem(String answer, int status) {
    assertThat(answer)
        .startsWith("HTTP/1.1 " + status)
        .containsIgnoringCase("Content-Type: application/problem+json")
        .containsIgnoringCase("X-Content-Type-Options: nosniff")
        .contains("\"status\":" + status)
        .doesNotContainIgnoringCase("jetty")
        .doesNotContain("<");
  }

  /** A page of the attacker's name, rebound to loopback, would be let in by its browser. */
  @ParameterizedTest
  @ValueSource(strings = {"attacker.example", "attacker.example:80", "127.0.0.1.attacker.example"})
  void refusesOtherHosts(String host) throws IOException {
    assertProblem(
        RawHttp.send(server.address(), "GET /views HTTP/1.1", "Host: " + host, "Connection: close"),
        403);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"127.0.0.1:1", "localhost", "LOCALHOST:8480", "[::1]:8480", "views.example"})
  void answersToItsOwnNames(String host) throws IOException {
    assertThat(
            RawHttp.send(
                server.address(), "GET /views HTTP/1.1", "Host: " + host, "Connection: close"))
        .startsWith("HTTP/1.1 200");
  }

  /** Probes address the server as they know it, by its IP or the name of its container. */
  @ParameterizedTest
  @ValueSource(strings = {"/health/live", "/health/ready"})
  void answersForItsHealthToWhateverItIsCalled(String path) throws IOException {
    assertThat(
            RawHttp.send(
                server.address(),
                "GET " + path + " HTTP/1.1",
                "Host: 10.0.0.7:8480",
                "Connection: close"))
        .startsWith("HTTP/1.1 200");
  }

  /** Of an address of IPv6, which the header has in brackets. */
  @ParameterizedTest
  @ValueSource(
      strings = {"[fe80::5]:8480", "[fe80::5]", "[FE80::5]:1", "[fe80::6]", "views.example"})
  void answersToItsOwnAddressOfIpv6(String host) {
    ContainerRequest request =
        new ContainerRequest(
            URI.create("http://views.example/"),
            URI.create("http://views.example/views"),
            "GET",
            null,
            new MapPropertiesDelegate(),
            null);
    request.header("Host", host);
    HttpFilters.OriginCheck check =
        HttpFilters.OriginCheck.of(
            new HttpSettings.Address("fe80::5", 0, Set.of("views.example", "fe80::6")));

    assertThatCode(() -> check.filter(request)).doesNotThrowAnyException();
  }

  /** Of which a decoder makes U+FFFD: it would be another key, or other rows. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "/views/by-org/rows?org=Z%FCrich",
        "/views/by-org/rows?org=Z\u00FCrich",
        "/views/by-org/rows?from=%EF%BF%BD&to=%C3",
        "/views/by-org/rows?=%EF%BF%BD&org=%C3",
        "/views/by-org/rows?or%FF=x",
        "/records/people?key=%2FWorld%2Fpeople%2FZ%FCrich"
      })
  void refusesParametersThatAreNoUtf8(String path) throws IOException {
    String answer =
        RawHttp.send(
            server.address(), "GET " + path + " HTTP/1.1", "Host: localhost", "Connection: close");

    assertProblem(answer, 400);
    assertThat(answer).contains("no UTF-8");
  }

  @Test
  void takesAnyCharacterInParameters() {
    assertThat(api.get("/views/by-org/rows?org=Z%C3%BCrich%EF%BF%BD%F0%9F%98%80").status())
        .isEqualTo(200);

    assertThat(server.reader().query().equal())
        .containsExactly(new ViewQuery.Equality("org", "Z\u00FCrich\uFFFD\uD83D\uDE00"));
  }

  /** Which nobody reads. */
  @Test
  void passesOverParametersWithoutAName() {
    assertThat(api.get("/views/by-org/rows?=%EF%BF%BD&org=%EF%BF%BD").status()).isEqualTo(200);

    assertThat(server.reader().query().equal())
        .containsExactly(new ViewQuery.Equality("org", "\uFFFD"));
  }

  /** A form of any page can post to loopback without asking. */
  @Test
  void refusesPagesOfOtherOrigins() {
    api.put("/views/by-org", People.definition("by-org", "org"));

    assertThat(
            api.post("/views/by-org/rebuild", null, "Origin", "https://attacker.example").status())
        .isEqualTo(403);
    assertThat(api.get("/views", "Origin", "null").status()).isEqualTo(403);
    assertThat(api.get("/views", "Sec-Fetch-Site", "cross-site").status()).isEqualTo(403);
    assertThat(api.get("/views", "Origin", server.address().toString()).status()).isEqualTo(200);
    assertThat(api.get("/views/by-org").body().at("/generations")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"/", "/view", "/views/a/b/c", "/views/%3Cscript%3E", "/..%2fviews"})
  void answersUnknownPathsWithAProblem(String path) throws IOException {
    String answer =
        RawHttp.send(
            server.address(),
            "GET " + path + " HTTP/1.1",
            "Host: localhost",
            "Accept: text/html",
            "Connection: close");

    assertThat(answer).containsIgnoringCase("Content-Type: application/problem+json");
    assertThat(answer).doesNotContainIgnoringCase("text/html");
  }

  @Test
  void namesTheMethodsOfAPath() {
    Api.Answer refused = server.api().send("PATCH", "/views/by-org", null);

    assertThat(refused.status()).isEqualTo(405);
    assertThat(refused.problem()).isEqualTo("method-not-allowed");
    assertThat(refused.header("Allow")).contains("GET", "PUT", "DELETE");
  }

  @Test
  void answersWhatIsNoRequest() throws IOException {
    assertProblem(RawHttp.send(server.address(), "<script>alert(1)</script>"), 400);
    assertProblem(RawHttp.send(server.address(), "GET /views HTTP/1.1", "Connection: close"), 400);
    assertProblem(
        RawHttp.send(
            server.address(),
            "GET /" + "a".repeat(80_000) + " HTTP/1.1",
            "Host: localhost",
            "Connection: close"),
        414);
    assertProblem(
        RawHttp.send(
            server.address(),
            "GET /views HTTP/1.1",
            "Host: localhost",
            "X: " + "a".repeat(80_000),
            "Connection: close"),
        431);
  }

  @Test
  void refusesLargeBodies() {
    String large = " ".repeat((int) TestServer.MAX_BYTES) + People.definition("by-org", "org");

    assertThat(server.api().put("/views/by-org", large).status()).isEqualTo(413);
  }

  /** The length of a body that comes in chunks is not known beforehand. */
  @Test
  void refusesLargeBodiesOfUnknownLength() throws Exception {
    HttpResponse<String> answer =
        HttpClient.newHttpClient()
            .send(
                HttpRequest.newBuilder(server.address().resolve("/views/by-org"))
                    .header("Content-Type", "application/json")
                    .PUT(
                        HttpRequest.BodyPublishers.ofInputStream(
                            () -> new SpacesStream(4 * TestServer.MAX_BYTES)))
                    .build(),
                HttpResponse.BodyHandlers.ofString());

    assertThat(answer.statusCode()).isEqualTo(413);
    assertThat(answer.headers().firstValue("Content-Type")).contains("application/problem+json");
  }

  /** Else a few of them would hold all threads for as long as they like. */
  @Test
  @Timeout(120)
  void endsRequestsWhoseBodiesHardlyMove() throws Exception {
    try (Socket slow = new Socket(server.address().getHost(), server.address().getPort())) {
      String head =
          "PUT /views/by-org HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              + "Content-Length: 1000\r\nConnection: close\r\n\r\n";
      slow.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      while (slow.getInputStream().available() == 0) {
        slow.getOutputStream().write(' ');
        TimeUnit.SECONDS.sleep(1);
      }

      assertProblem(RawHttp.answer(slow), 408);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 1_900})
  void refusesBodiesThatAreNestedDeeply(int depth) {
    assertThat(server.api().put("/views/by-org", "[".repeat(depth)).status()).isEqualTo(400);
  }

  @Test
  void saysNothingOfItsInsideWhenItFails() {
    server.views().fail(new IllegalStateException("password=hunter2"));
    Api.Answer failed = server.api().get("/views");

    assertThat(failed.status()).isEqualTo(500);
    assertThat(failed.text()).doesNotContain("hunter2", "Exception", "io.indexview");
    assertThat(failed.body().path("detail").asText()).startsWith("incident ");
  }

  @Test
  void saysWhenToComeBackWhileSomethingDoesNotAnswer() {
    for (RuntimeException failure :
        List.of(
            new TimeoutException("no broker"),
            new RegistryException.Unavailable("no registry", null))) {
      server.views().fail(failure);
      Api.Answer failed = server.api().get("/views");

      assertThat(failed.status()).isEqualTo(503);
      assertThat(failed.problem()).isEqualTo("unavailable");
      assertThat(failed.header("Retry-After")).isEqualTo("5");
    }
    assertThat(server.api().get("/health/ready").status()).isEqualTo(503);
    assertThat(server.api().get("/health/live").status()).isEqualTo(200);
  }

  @Test
  void isReadyWhileTheClusterAnswers() {
    Api.Answer health = server.api().get("/health/ready");

    assertThat(health.status()).isEqualTo(200);
    assertThat(health.body().path("status").asText()).isEqualTo("UP");
  }

  @Test
  void takesNothingWithoutItsToken() throws IOException {
    String token = "0123456789abcdef";
    try (TestServer secured = TestServer.startWithToken(token)) {
      Api api = secured.api();

      assertThat(api.get("/views").status()).isEqualTo(401);
      assertThat(api.get("/views").header("WWW-Authenticate")).startsWith("Bearer");
      assertThat(api.get("/views", "Authorization", "Bearer " + token + "0").status())
          .isEqualTo(401);
      assertThat(api.get("/views", "Authorization", "Basic " + token).status()).isEqualTo(401);
      assertThat(api.get("/nothing").status()).isEqualTo(401);
      assertThat(api.get("/metrics").status()).isEqualTo(401);
      assertThat(api.get("/views", "Authorization", "bearer " + token).status()).isEqualTo(200);
      assertThat(api.get("/health/live").status()).isEqualTo(200);
      assertThat(api.get("/health/ready").status()).isEqualTo(200);
    }
  }

  @Test
  void namesTheAddressThatIsTaken() throws IOException {
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      HttpSettings settings =
          new HttpSettings(
              new HttpSettings.Address("127.0.0.1", taken.getLocalPort(), Set.of()),
              Optional.empty(),
              Optional.empty(),
              8,
              Duration.ofSeconds(30),
              TestServer.MAX_BYTES);

      assertThatThrownBy(() -> HttpListener.start(settings, new ResourceConfig()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(":" + taken.getLocalPort())
          .hasMessageContaining("http.port");
    }
  }

  @Test
  void endsIdleConnectionsWhenItIsClosedAndAnswersTheOthers() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch over = new CountDownLatch(1);
    try (TestServer closing = TestServer.start();
        Socket idle = new Socket(closing.address().getHost(), closing.address().getPort())) {
      RawHttp.head(idle, "/health/live");
      closing
          .reader()
          .answer(
              (query, options) -> {
                begun.countDown();
                assertThatCode(over::await).doesNotThrowAnyException();
                return FakeReader.page(List.of(), null);
              });
      CompletableFuture<Integer> answer =
          CompletableFuture.supplyAsync(() -> closing.api().get("/views/by-org/rows").status());
      begun.await();

      CompletableFuture<Void> closed = CompletableFuture.runAsync(closing::close);
      assertThat(idle.getInputStream().read()).isEqualTo(-1);

      assertThat(answer).isNotDone();
      over.countDown();
      assertThat(answer.get()).isEqualTo(200);
      closed.get();
    }
  }

  /** Spaces without an announced length. */
  private static final class SpacesStream extends InputStream {
    private long left;

    SpacesStream(long length) {
      this.left = length;
    }

    @Override
    public int read() {
      return left-- > 0 ? ' ' : -1;
    }
  }
}
