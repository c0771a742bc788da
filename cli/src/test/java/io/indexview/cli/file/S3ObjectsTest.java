package io.indexview.cli.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import io.indexview.cli.api.CommandException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.S3Object;

/** What S3 answers, on a server that answers so. */
@Timeout(120)
class S3ObjectsTest {
  private static final String ERROR =
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <Error><Code>%s</Code><Message>%s</Message><RequestId>1</RequestId></Error>
      """;

  @TempDir private Path directory;

  private HttpServer server;
  private int status;
  private String body;
  private volatile String query;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          query = exchange.getRequestURI().getQuery();
          byte[] answer = body.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(status, answer.length);
          exchange.getResponseBody().write(answer);
          exchange.close();
        });
    server.start();
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private void answers(int code, String text) {
    status = code;
    body = text;
  }

  private long fetch() throws IOException {
    try (S3Objects fetch = open()) {
      return fetch.fetch(
          "files", "a.txt", Destination.of(directory.resolve("a.txt"), "a.txt", false));
    }
  }

  private S3Objects open() {
    return new S3Objects(
        S3Client.builder()
            .httpClientBuilder(UrlConnectionHttpClient.builder())
            .endpointOverride(URI.create("http://127.0.0.1:" + server.getAddress().getPort()))
            .forcePathStyle(true)
            .region(Region.US_EAST_1)
            .credentialsProvider(
                StaticCredentialsProvider.create(AwsBasicCredentials.create("id", "secret")))
            .overrideConfiguration(c -> c.retryStrategy(r -> r.maxAttempts(1)))
            .build());
  }

  @Test
  void givesTheObject() throws IOException {
    answers(200, "content");

    assertThat(fetch()).isEqualTo(7);
    assertThat(directory.resolve("a.txt")).hasContent("content");
  }

  @Test
  void saysThatAKeyIsMissing() {
    answers(404, ERROR.formatted("NoSuchKey", "The specified key does not exist."));

    assertThatThrownBy(this::fetch)
        .isInstanceOf(CommandException.NotFound.class)
        .hasMessageContainingAll("a.txt", "files");
    assertThat(Files.exists(directory.resolve("a.txt"))).isFalse();
  }

  @Test
  void listsKeysThatXmlCannotHold() {
    answers(
        200,
        "<ListBucketResult><EncodingType>url</EncodingType>"
            + "<Contents><Key>a+b/%03</Key></Contents></ListBucketResult>");

    try (S3Objects objects = open()) {
      assertThat(objects.list("files", null, null, 10).contents())
          .extracting(S3Object::key)
          .containsExactly("a b/\u0003");
    }
    assertThat(query).contains("encoding-type=url");
  }

  @Test
  void saysThatAnArchivedObjectHasToBeRestored() {
    answers(
        403,
        ERROR.formatted(
            "InvalidObjectState", "The operation is not valid for the object's storage class"));

    assertThatThrownBy(this::fetch)
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContainingAll("a.txt", "storage class", "restore")
        .hasMessageNotContaining("s3:GetObject");
  }

  @Test
  void saysWhichRightIsMissing() {
    answers(403, ERROR.formatted("AccessDenied", "Access Denied"));

    assertThatThrownBy(this::fetch)
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContainingAll("a.txt", "files", "Access Denied", "s3:GetObject")
        .hasMessageNotContainingAny("software.amazon", "Request ID");
  }

  @Test
  void saysThatTheRequestWentToTheWrongPlace() {
    answers(400, ERROR.formatted("AuthorizationHeaderMalformed", "the region is wrong"));

    assertThatThrownBy(this::fetch)
        .isInstanceOf(CommandException.Usage.class)
        .hasMessageContainingAll("the region is wrong", "--region");
  }

  @Test
  void isUnavailableWhenS3IsOverloaded() {
    answers(503, ERROR.formatted("SlowDown", "Please reduce your request rate."));

    assertThatThrownBy(this::fetch)
        .isInstanceOf(CommandException.Unavailable.class)
        .hasMessageContaining("Please reduce your request rate.");
  }
}
