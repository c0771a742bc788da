package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The job of docker-compose.yml that submits connectors, with a worker that is stood in for. */
class SubmitConnectorsTest {
  @TempDir private Path directory;

  /** The worker answers when the connector's preflight has waited for those who do not. */
  @Test
  void saysWhyAConnectorIsRefusedHoweverLongThatTakes() throws Exception {
    program("timeout", "[ \"$1\" -gt 90 ] || exit 124\nshift\nexec \"$@\"");
    program("http", "echo 'kvstore.uri: no answer within 60000 ms'\nexit 22");

    assertThat(submit()).contains("my-source: kvstore.uri: no answer within 60000 ms");
  }

  @Test
  void saysWhichConnectorNoWorkerAnswersFor() throws Exception {
    program("timeout", "exit 124");

    assertThat(submit()).contains("my-source: http://connect:8083 does not answer");
  }

  private void program(String name, String script) throws IOException {
    Path bin = Files.createDirectories(directory.resolve("bin"));
    Path program = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + script + "\n");
    assertThat(program.toFile().setExecutable(true)).isTrue();
  }

  /** What it says when it has no more time to try again. */
  private String submit() throws IOException, InterruptedException {
    Path connectors = Files.createDirectories(directory.resolve("connectors"));
    Files.writeString(connectors.resolve("my-source.json"), "{}");
    Path output = directory.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(
                "bash",
                "../deploy/docker/submit-connectors",
                "http://connect:8083",
                connectors.toString())
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    String bin = directory.resolve("bin").toString();
    builder.environment().merge("PATH", bin, (path, ours) -> ours + ":" + path);
    builder.environment().put("SUBMIT_TIMEOUT_S", "0");
    int exitCode = builder.start().waitFor();
    String said = Files.readString(output);
    assertThat(exitCode).as(said).isEqualTo(1);
    return said;
  }
}
