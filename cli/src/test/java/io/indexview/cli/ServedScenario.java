package io.indexview.cli;

import io.indexview.server.TestServer;
import java.io.IOException;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Commands that talk to one server, which forgets between tests. */
abstract class ServedScenario {
  static TestServer server;
  static Cli cli;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    cli = Cli.of(server);
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void forget() {
    server.reset();
  }
}
