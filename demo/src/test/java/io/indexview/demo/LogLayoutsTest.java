package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Appender;
import org.apache.logging.log4j.core.LogEvent;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.appender.NullAppender;
import org.apache.logging.log4j.core.appender.RollingFileAppender;
import org.apache.logging.log4j.core.impl.Log4jLogEvent;
import org.apache.logging.log4j.message.SimpleMessage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What the shipped configurations of the log make of what others may have a say in. */
class LogLayoutsTest {
  private static final String LOG_DIRECTORY = "indexview.log.dir";
  private static final String FORGED = "2026-01-01T00:00:00,000 INFO  [main] all is well";

  @TempDir private Path directory;
  private LoggerContext context;

  @AfterEach
  void end() {
    System.clearProperty(LOG_DIRECTORY);
    if (context != null) {
      context.stop();
    }
  }

  /** Of app and server, and of workers in containers. */
  @ParameterizedTest
  @ValueSource(strings = {"config/logging/log4j2.xml", "deploy/docker/connect-log4j2.xml"})
  void nobodyWritesALineOfTheirOwnIntoAShippedLog(String file) {
    Appender console = appender(Path.of("..").resolve(file).toUri(), "console");

    assertHoldsNoForgedLine(console);
    assertTellsExceptionsLineByLine(console);
  }

  @Test
  void nobodyWritesALineOfTheirOwnIntoTheLogOfALocalStack() throws URISyntaxException {
    System.setProperty(LOG_DIRECTORY, directory.toString());
    Appender file = appender(commandLine(), "file");

    assertThat(file).isInstanceOf(RollingFileAppender.class);
    assertHoldsNoForgedLine(file);
    assertTellsExceptionsLineByLine(file);
    assertHoldsNoForgedLine(context.getConfiguration().getAppender("console"));
  }

  @Test
  void commandsWithoutADataDirectoryKeepNoLog() throws URISyntaxException {
    assertThat(appender(commandLine(), "file")).isInstanceOf(NullAppender.class);
  }

  private static URI commandLine() throws URISyntaxException {
    return LogLayoutsTest.class.getResource("/indexview-log4j2.xml").toURI();
  }

  private Appender appender(URI configuration, String name) {
    context = new LoggerContext("layouts", null, configuration);
    context.start();
    return context.getConfiguration().getAppender(name);
  }

  private static void assertTellsExceptionsLineByLine(Appender appender) {
    assertThat(log(appender).lines())
        .contains("    " + FORGED)
        .anyMatch(line -> line.startsWith("    \tat "));
  }

  private static String log(Appender appender) {
    LogEvent event =
        Log4jLogEvent.newBuilder()
            .setLoggerName("io.indexview.Test")
            .setLevel(Level.WARN)
            .setMessage(new SimpleMessage("Object a\r\n" + FORGED))
            .setThrown(
                new IllegalStateException(
                    "bad\n" + FORGED, new IllegalArgumentException("worse\r" + FORGED)))
            .build();
    return appender.getLayout().toSerializable(event).toString();
  }

  private static void assertHoldsNoForgedLine(Appender appender) {
    String text = log(appender);
    List<String> lines = text.lines().toList();

    assertThat(text).endsWith("\n");
    assertThat(lines.get(0)).contains("Object a\\r\\n");
    assertThat(lines).noneMatch(line -> line.startsWith(FORGED));
    assertThat(text.split("IllegalArgumentException", -1)).hasSizeLessThanOrEqualTo(2);
  }
}
