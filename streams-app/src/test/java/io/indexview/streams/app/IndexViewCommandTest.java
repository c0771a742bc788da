package io.indexview.streams.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.People;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class IndexViewCommandTest {
  @TempDir private Path directory;
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  private int execute(String... args) {
    return new CommandLine(new IndexViewCommand())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(args);
  }

  private String config(String... lines) throws IOException {
    return Files.writeString(directory.resolve("app.properties"), String.join("\n", lines))
        .toString();
  }

  @Test
  void explainsItself() {
    assertThat(execute("--help")).isZero();
    assertThat(out.toString()).contains("--config=FILE", "Exit codes:");
  }

  @Test
  void namesItsVersion() {
    assertThat(execute("--version")).isZero();
    assertThat(out.toString()).matches("indexview-streams \\d+\\.\\d+.*\\s*");
  }

  @Test
  void needsAConfiguration() {
    assertThat(execute()).isEqualTo(2);
    assertThat(err.toString()).contains("--config");
  }

  @Test
  void endsWithUsageErrorWhenTheConfigurationIsWrong() throws IOException {
    assertThat(execute("--config", config("record.sets=people", "http.port=x"))).isEqualTo(2);
    assertThat(err.toString()).contains("bootstrap.servers", "http.port", "state.dir");
  }

  @Test
  void namesAFailureThatHasNoMessage() {
    int exitCode = IndexViewCommand.fail(new IllegalStateException(), new PrintWriter(err, true));

    assertThat(exitCode).isEqualTo(1);
    assertThat(err.toString()).contains("IllegalStateException").doesNotContain("null");
  }

  @Test
  void endsWithUsageErrorWhenTheFileCannotBeRead() {
    assertThat(execute("--config", directory.resolve("none").toString())).isEqualTo(2);
    assertThat(err.toString()).contains("--config").contains("none");
  }

  @Test
  void endsWithUsageErrorWhenAViewIsWrong() throws IOException {
    Path views = Files.createDirectory(directory.resolve("views"));
    Files.writeString(views.resolve("bad.yaml"), People.BY_ORG.replace("[org]", "[nothing]"));
    Path schema = Files.writeString(directory.resolve("person.avsc"), People.SCHEMA.toString());

    int exitCode =
        execute(
            "--config",
            config(
                "bootstrap.servers=127.0.0.1:1",
                "schema.registry.url=mock://command-test",
                "record.sets=people",
                "record.set.people.schema.file=" + schema,
                "views.dir=" + views,
                "http.port=0",
                "state.dir=" + directory.resolve("state")));

    assertThat(exitCode).isEqualTo(2);
    assertThat(err.toString()).contains("bad.yaml").contains("nothing");
  }
}
