package io.indexview.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.OwnCertificate;
import io.indexview.server.config.ServerConfig;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** A server that others than this machine may reach. */
class SecureServerTest {
  private static final String PASSWORD = "hunter2hunter2";
  private static final String TOKEN = "0123456789abcdef";

  @TempDir private static Path directory;

  private static Path keystore;
  private static IndexviewServer server;
  private static URI document;

  @BeforeAll
  static void start() throws Exception {
    keystore = directory.resolve("server.p12");
    new OwnCertificate(keystore, PASSWORD, "dns:localhost");
    server = IndexviewServer.start(ServerConfig.parse(secured()));
    document =
        URI.create("https://localhost:%d/openapi.yaml".formatted(server.address().getPort()));
  }

  /** The cluster is not asked for anything here; what asks it nevertheless gives up soon. */
  private static Map<String, String> open() {
    return new HashMap<>(
        Map.of(
            "bootstrap.servers",
            "127.0.0.1:1",
            "kafka.default.api.timeout.ms",
            "200",
            "kafka.request.timeout.ms",
            "100",
            "schema.registry.url",
            "http://127.0.0.1:1",
            "http.host",
            "0.0.0.0",
            "http.port",
            "0"));
  }

  private static Map<String, String> secured() {
    Map<String, String> config = open();
    config.put("http.tls.keystore.location", keystore.toString());
    config.put("http.tls.keystore.password", PASSWORD);
    config.put("http.token", TOKEN);
    return config;
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  private static HttpClient trusting() throws Exception {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    try (InputStream in = Files.newInputStream(keystore)) {
      trusted.load(in, PASSWORD.toCharArray());
    }
    KeyStore certificates = KeyStore.getInstance("PKCS12");
    certificates.load(null, null);
    certificates.setCertificateEntry("server", trusted.getCertificate("mykey"));
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(certificates);
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, trust.getTrustManagers(), null);
    return HttpClient.newBuilder().sslContext(context).build();
  }

  private static HttpResponse<String> get(URI uri, String... headers) throws Exception {
    HttpRequest.Builder request = HttpRequest.newBuilder(uri);
    return trusting()
        .send(
            (headers.length == 0 ? request : request.headers(headers)).build(),
            BodyHandlers.ofString());
  }

  @Test
  void answersOverTlsToThoseWhoHaveTheToken() throws Exception {
    HttpResponse<String> answer = get(document, "Authorization", "Bearer " + TOKEN);

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).startsWith("openapi: 3.1");
    assertThat(server.address().getScheme()).isEqualTo("https");
  }

  @Test
  void answersNobodyElse() throws Exception {
    assertThat(get(document).statusCode()).isEqualTo(401);
    assertThat(get(document, "Authorization", "Bearer " + TOKEN + "0").statusCode()).isEqualTo(401);
    assertThat(get(document).body()).doesNotContain(TOKEN);
  }

  @Test
  void speaksNothingButTls() {
    URI plain = URI.create(document.toString().replace("https", "http"));

    assertThatThrownBy(() -> get(plain, "Authorization", "Bearer " + TOKEN))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(
            () ->
                HttpClient.newHttpClient()
                    .send(HttpRequest.newBuilder(document).build(), BodyHandlers.ofString()))
        .isInstanceOf(SSLHandshakeException.class);
  }

  @Test
  void doesNotStartOpenToOthersWithoutBoth() throws IOException {
    String refusal = refusal(open());
    assertThat(refusal)
        .contains("http.host", "0.0.0.0", "http.tls.keystore.location", "http.token");

    Map<String, String> noToken = secured();
    noToken.remove("http.token");
    assertThat(refusal(noToken)).contains("http.token").doesNotContain(PASSWORD);

    Map<String, String> wrongPassword = secured();
    wrongPassword.put("http.tls.keystore.password", PASSWORD + "3");
    assertThat(refusal(wrongPassword))
        .contains("http.tls.keystore.location")
        .doesNotContain(PASSWORD);
  }

  /** What the command line says, which ends with the exit code of wrong use. */
  private static String refusal(Map<String, String> config) throws IOException {
    Path file = directory.resolve("server.properties");
    Properties properties = new Properties();
    properties.putAll(config);
    try (var writer = Files.newBufferedWriter(file)) {
      properties.store(writer, null);
    }
    StringWriter err = new StringWriter();
    int exitCode =
        new CommandLine(new ServerCommand())
            .setErr(new PrintWriter(err))
            .execute("--config", file.toString());
    assertThat(exitCode).as(err.toString()).isEqualTo(CommandLine.ExitCode.USAGE);
    return err.toString();
  }
}
