package io.indexview.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.schemas.fixtures.LogLines;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ServerCommandTest {
  @TempDir private Path directory;

  /**
   * With INDEXVIEW_LOG_FORMAT=json a line of another kind is none that a collector of logs reads.
   */
  @Test
  void saysInItsLogAloneWhereItListens() throws Exception {
    Path config =
        Files.writeString(
            directory.resolve("server.properties"),
            """
            bootstrap.servers=127.0.0.1:1
            schema.registry.url=http://127.0.0.1:1
            http.port=0
            """);
    StringWriter out = new StringWriter();
    CommandLine command = new CommandLine(new ServerCommand()).setOut(new PrintWriter(out));
    Thread server = new Thread(() -> command.execute("--config", config.toString()));
    try (LogLines log = LogLines.of(IndexviewServer.class)) {
      server.start();

      await()
          .untilAsserted(
              () -> assertThat(log.get()).anyMatch(line -> line.startsWith("Listening on http")));
    } finally {
      server.interrupt();
      server.join();
    }
    assertThat(out.toString()).isEmpty();
  }
}
