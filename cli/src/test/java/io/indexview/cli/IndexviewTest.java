package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

class IndexviewTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void listsItsCommandsWhenAskedForHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("local", "demo");
  }

  @Test
  void tellsTheVersionsThatWereBuilt() {
    assertThat(run("--version")).isZero();
    assertThat(out.toString())
        .matches("(?s)Indexview \\d+\\.\\d+\\.\\d+.*Apache Kafka \\d+\\.\\d+\\.\\d+.*Java .*");
  }

  @Test
  void fallsBackToItsUsageWhenNoCommandIsGiven() {
    assertThat(run()).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("Missing command", "Usage: indexview");
  }

  @ParameterizedTest
  @CsvSource({
    "broker=99999, port 99999 of broker: use 1 to 65535",
    "kvstore=9000, kvstore listens on no port",
    "zookeeper=2181, but was 'zookeeper'",
    "broker=x, 'x' is not an int"
  })
  void saysWhatIsWrongWithAPort(String option, String message) {
    assertThat(run("local", "--port", option)).isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }

  private int run(String... arguments) {
    return Indexview.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
