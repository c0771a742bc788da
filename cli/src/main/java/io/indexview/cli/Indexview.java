package io.indexview.cli;

import io.indexview.cli.file.FilesCommand;
import io.indexview.cli.query.QueryCommand;
import io.indexview.cli.record.RecordsCommand;
import io.indexview.cli.source.SourcesCommand;
import io.indexview.cli.view.ViewsCommand;
import java.util.List;
import java.util.logging.LogManager;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code indexview}: all commands of the command line. */
@Command(
    name = "indexview",
    description = "Index views behind a key/value store or an object store.",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    synopsisSubcommandLabel = "COMMAND")
public final class Indexview implements Runnable {
  private static final List<Class<?>> COMMANDS =
      List.of(
          StatusCommand.class,
          ViewsCommand.class,
          QueryCommand.class,
          RecordsCommand.class,
          FilesCommand.class,
          SourcesCommand.class,
          CompletionCommand.class,
          HelpCommand.class);

  @Spec private CommandSpec spec;

  /** Ends the process with the command's exit code. */
  public static void main(String[] args) {
    run(commandLine(List.of()), args);
  }

  /** Runs a command, and ends the process with its exit code. */
  public static void run(CommandLine commandLine, String... args) {
    // Libraries that log through the JDK would write to the terminal.
    LogManager.getLogManager().reset();
    System.exit(commandLine.execute(args));
  }

  /**
   * All commands.
   *
   * @param first commands of others, which its help lists before its own
   */
  public static CommandLine commandLine(List<Class<?>> first) {
    CommandLine line = new CommandLine(new Indexview());
    first.forEach(line::addSubcommand);
    COMMANDS.forEach(line::addSubcommand);
    return line.setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(new CommandFailures())
        .setParameterExceptionHandler(new UsageFailures())
        .setUsageHelpAutoWidth(true);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
