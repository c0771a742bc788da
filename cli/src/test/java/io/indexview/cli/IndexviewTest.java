package io.indexview.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.api.ExitCodes;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class IndexviewTest {
  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();

  @Test
  void listsItsCommandsWhenAskedForHelp() {
    assertThat(run("--help")).isZero();
    assertThat(out.toString()).contains("views", "query");
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

  /** What scripts go by is in the help of each command. */
  @Test
  void documentsTheExitCodesOfEveryCommand() {
    List<CommandLine> commands = new ArrayList<>();
    collect(Indexview.commandLine(List.of()), commands);

    assertThat(commands)
        .filteredOn(command -> command.getSubcommands().isEmpty())
        .filteredOn(command -> !(command.getCommand() instanceof CommandLine.HelpCommand))
        .allSatisfy(
            command ->
                assertThat(command.getCommandSpec().usageMessage().exitCodeList())
                    .as(command.getCommandSpec().qualifiedName())
                    .containsKeys("0", "2"));
  }

  private static void collect(CommandLine command, List<CommandLine> commands) {
    commands.add(command);
    command.getSubcommands().values().forEach(sub -> collect(sub, commands));
  }

  @Test
  void saysThatNoServerAnswers() {
    assertThat(run("views", "list", "--server", "http://127.0.0.1:1"))
        .isEqualTo(ExitCodes.UNAVAILABLE);
    assertThat(err.toString())
        .contains("http://127.0.0.1:1 (no connection)", "indexview local")
        .hasLineCount(1);
  }

  @Test
  void completesItsCommands() {
    assertThat(run("completion")).isZero();
    assertThat(out.toString()).contains("indexview", "rollback", "--at-least", "complete -F");
  }

  private int run(String... arguments) {
    return Indexview.commandLine(List.of())
        .setOut(new PrintWriter(out))
        .setErr(new PrintWriter(err))
        .execute(arguments);
  }
}
