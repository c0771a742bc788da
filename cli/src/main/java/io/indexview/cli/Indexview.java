package io.indexview.cli;

import io.indexview.cli.demo.DemoCommand;
import io.indexview.cli.file.FilesCommand;
import io.indexview.cli.query.QueryCommand;
import io.indexview.cli.record.RecordsCommand;
import io.indexview.cli.source.SourcesCommand;
import io.indexview.cli.view.ViewsCommand;
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
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      DemoCommand.class,
      LocalCommand.class,
      StatusCommand.class,
      ViewsCommand.class,
      QueryCommand.class,
      RecordsCommand.class,
      FilesCommand.class,
      SourcesCommand.class,
      CompletionCommand.class,
      HelpCommand.class
    })
public final class Indexview implements Runnable {
  @Spec private CommandSpec spec;

  /** Ends the process with the command's exit code. */
  public static void main(String[] args) {
    // Libraries that log through the JDK would write to the terminal.
    LogManager.getLogManager().reset();
    System.exit(commandLine().execute(args));
  }

  static CommandLine commandLine() {
    return new CommandLine(new Indexview())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExecutionExceptionHandler(new CommandFailures())
        .setParameterExceptionHandler(new UsageFailures())
        .setUsageHelpAutoWidth(true);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
