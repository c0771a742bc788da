package io.indexview.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class MainTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void listsItsCommandsAndThoseOfTheCommandLineWhenAskedForHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString())
        .containsSubsequence("demo", "local", "emulators", "views", "query", "help");
  }

  /** What scripts go by is in the help of each command. */
  @ParameterizedTest
  @ValueSource(strings = {"demo", "local", "emulators"})
  void documentsTheExitCodesOfEveryCommand(String command) {
    assertThat(
            Main.commandLine()
                .getSubcommands()
                .get(command)
                .getCommandSpec()
                .usageMessage()
                .exitCodeList())
        .containsKeys("0", "2");
  }

  @Test
  void completesItsCommands() {
    assertThat(run("completion")).isZero();
    assertThat(out.toString()).contains("--records", "--port", "rollback");
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

  @ParameterizedTest
  @CsvSource({
    "broker=9092, port of broker: it is not started",
    "s3=0, port 0 of s3: use 1 to 65535"
  })
  void saysWhatIsWrongWithAPortOfAnEmulator(String option, String message) {
    assertThat(run("emulators", "--data", "never-made", "--port", option))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains(message);
  }

  @Test
  void takesADeployedStackWithoutOptionsOfItsOwn() {
    assertThat(run("demo", "--stack", "stack.properties", "--keep"))
        .isEqualTo(CommandLine.ExitCode.USAGE);
    assertThat(err.toString()).contains("neither --data nor --keep");
  }

  private int run(String... arguments) {
    return Main.commandLine()
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
