package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.ServerFile;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What commands ask the bucket of a local stack. */
@Timeout(60)
class BucketCommandsTest {
  @TempDir private Path directory;

  private final List<String> requests = new ArrayList<>();
  private HttpServer server;
  private String answer = "";

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          exchange.getRequestBody().readAllBytes();
          requests.add(
              "%s %s project=%s type=%s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      exchange.getRequestHeaders().getFirst("x-amz-meta-project"),
                      exchange.getRequestHeaders().getFirst("Content-Type")));
          byte[] body = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, body.length == 0 ? -1 : body.length);
          exchange.getResponseBody().write(body);
          exchange.close();
        });
    server.start();
    URI s3 = URI.create("http://127.0.0.1:" + server.getAddress().getPort());
    new ServerFile(s3, new ServerFile.S3(s3, "us-east-1", "local", "secret", "my-files"))
        .write(directory);
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private Cli.Run run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.add("--data=" + directory);
    return Cli.execute(all.toArray(String[]::new));
  }

  @Test
  void putsAFileWithUserMetadata() throws IOException {
    Path file = Files.writeString(directory.resolve("a.txt"), "content");

    Cli.Run named =
        run(
            "files",
            "put",
            file.toString(),
            "USER001_a.txt",
            "--metadata",
            "project=apollo",
            "--content-type=text/x");
    Cli.Run plain = run("files", "put", file.toString(), "--bucket=other");

    assertThat(named.exitCode()).as(named.err()).isZero();
    assertThat(named.out()).contains("my-files/USER001_a.txt");
    assertThat(plain.out()).contains("other/a.txt");
    assertThat(requests.get(0)).isEqualTo("PUT /my-files/USER001_a.txt project=apollo type=text/x");
    assertThat(requests.get(1)).startsWith("PUT /other/a.txt project=null");
  }

  /** Its files lie elsewhere. */
  @Test
  void asksNoBucketOfALocalStackWhereAnotherServerIsNamed() throws IOException {
    Path file = Files.writeString(directory.resolve("a.txt"), "content");

    Cli.Run another = run("files", "put", file.toString(), "--server=https://views.example");
    Cli.Run own =
        run(
            "files",
            "put",
            file.toString(),
            "--server=http://localhost:" + server.getAddress().getPort() + "/");

    assertThat(another.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(another.err()).contains("which bucket?", "another server", "--bucket");
    assertThat(own.exitCode()).as(own.err()).isZero();
    assertThat(requests).singleElement().asString().startsWith("PUT /my-files/a.txt");
  }

  @Test
  void namesAllThatIsWrongBeforeItWrites() {
    Cli.Run run =
        run(
            "files",
            "put",
            "nowhere.txt",
            "k",
            "-m",
            "a",
            "-m",
            "A=b",
            "-m",
            "b=é",
            "-m",
            "c=1",
            "-m",
            "c=2",
            "-m",
            "d=" + "x".repeat(2_100));

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err())
        .contains(
            "nowhere.txt is no readable file",
            "--metadata a:",
            "--metadata A=b:",
            "--metadata b=",
            "c is there already",
            "S3 takes 2,048")
        .hasLineCount(6);
    assertThat(requests).isEmpty();
  }

  @Test
  void listsABucket() {
    answer =
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>my-files</Name>
        <IsTruncated>true</IsTruncated><Contents><Key>USER001_a.txt</Key>
        <LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>7</Size></Contents></ListBucketResult>""";

    Cli.Run run = run("files", "list", "USER001", "--limit=1");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(run.out()).contains("USER001_a.txt", "2026-01-02T03:04:05Z");
    assertThat(run.err()).contains("More: --after USER001_a.txt");
    assertThat(requests.get(0)).contains("GET /my-files?", "prefix=USER001", "max-keys=1");
    assertThat(run("files", "list", "--limit=0").exitCode()).isEqualTo(ExitCodes.USAGE);
  }

  @Test
  void lettingNoObjectKeySteerTheTerminal() {
    answer =
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>my-files</Name>
        <IsTruncated>true</IsTruncated><Contents><Key>a\u009b31m\u202eb</Key>
        <LastModified>2026-01-02T03:04:05.000Z</LastModified><Size>7</Size></Contents></ListBucketResult>""";

    Cli.Run run = run("files", "list");

    assertThat(run.err()).contains("More: --after a").doesNotContain("\u009b", "\u202e");
    assertThat(run.out()).doesNotContain("\u009b", "\u202e");
  }

  @Test
  void removesFiles() {
    Cli.Run run = run("files", "delete", "a.txt", "b.txt");

    assertThat(run.exitCode()).as(run.err()).isZero();
    assertThat(requests).hasSize(2).allMatch(request -> request.startsWith("DELETE /my-files/"));
  }

  @Test
  void asksForTheBucketWhereThereIsNoLocalStack() {
    Cli.Run run = Cli.execute("files", "delete", "a", "--data=" + directory.resolve("none"));

    assertThat(run.exitCode()).isEqualTo(ExitCodes.USAGE);
    assertThat(run.err()).contains("--bucket");
    assertThat(run("files", "list", "--region=eu-west-1").err()).contains("--bucket");
  }
}
