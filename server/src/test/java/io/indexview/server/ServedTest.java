package io.indexview.server;

import io.indexview.schemas.fixtures.LogLines;
import io.indexview.server.api.Api;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;

/** Tests of one class share a server; each begins with one that knows nothing. */
public abstract class ServedTest {
  protected static TestServer server;
  protected static Api api;

  @BeforeAll
  static void start() throws IOException {
    server = TestServer.start();
    api = server.api();
  }

  @AfterAll
  static void stop() {
    server.close();
  }

  @BeforeEach
  void forget() {
    server.reset();
  }

  /** The warnings and errors that a class logs meanwhile. */
  protected static List<String> logged(Class<?> by, Runnable action) {
    try (LogLines lines = LogLines.warnings(by)) {
      action.run();
      return lines.get();
    }
  }
}
