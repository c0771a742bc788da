package io.indexview.cli;

import io.indexview.server.ServedTest;
import org.junit.jupiter.api.BeforeAll;

/** Commands of one test class share a server; each test begins with one that knows nothing. */
abstract class ServedScenario extends ServedTest {
  static Cli cli;

  @BeforeAll
  static void openCli() {
    cli = Cli.of(server);
  }
}
