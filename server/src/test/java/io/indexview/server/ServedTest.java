package io.indexview.server;

import io.indexview.server.api.Api;
import java.io.IOException;
import java.io.StringWriter;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.Logger;
import org.apache.logging.log4j.core.appender.WriterAppender;
import org.apache.logging.log4j.core.layout.PatternLayout;
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

  /** The lines that a class logs meanwhile. */
  protected static List<String> logged(Class<?> by, Runnable action) {
    StringWriter log = new StringWriter();
    WriterAppender appender =
        WriterAppender.createAppender(
            PatternLayout.newBuilder().withPattern("%m%n").build(), null, log, "log", false, false);
    appender.start();
    Logger logger = (Logger) LogManager.getLogger(by);
    logger.addAppender(appender);
    try {
      action.run();
    } finally {
      logger.removeAppender(appender);
    }
    return log.toString().lines().toList();
  }
}
