package io.indexview.cli;

import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.file.FilesCommand;
import io.indexview.cli.output.TerminalText;
import io.indexview.cli.query.QueryCommand;
import io.indexview.cli.view.ViewsCommand;
import java.io.Console;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Properties;
import java.util.logging.LogManager;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** {@code indexview}: all commands of the command line. */
@Command(
    name = "indexview",
    description = "Index views behind a key/value store or an object store.",
    scope = ScopeType.INHERIT,
    mixinStandardHelpOptions = true,
    versionProvider = Indexview.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
      "0:it is done",
      "1:it failed, or something else was written meanwhile",
      "2:the command line or what it names is wrong",
      "3:the view is not ready, or not fresh enough",
      "4:there is no such view, source, record or file",
      "5:the server, or what it needs, does not answer"
    })
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
    Console terminal = System.console();
    // What is no terminal gets JSON and YAML as others read them, whatever the locale.
    Charset charset = terminal == null ? StandardCharsets.UTF_8 : terminal.charset();
    commandLine.setOut(writer(FileDescriptor.out, charset));
    commandLine.setErr(writer(FileDescriptor.err, charset));
    int exitCode = commandLine.execute(args);
    boolean isLost = commandLine.getOut().checkError();
    if (isLost && exitCode == ExitCodes.OK) {
      commandLine.getErr().println(new CommandException.OutputLost().getMessage());
      exitCode = ExitCodes.FAILED;
    }
    commandLine.getErr().flush();
    System.exit(exitCode);
  }

  /** Knows what fails, which {@link System#out} keeps for itself. */
  private static PrintWriter writer(FileDescriptor stream, Charset charset) {
    return new PrintWriter(new FileOutputStream(stream), true, charset);
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

  /** Tells a command's failure on one screen, and gives its exit code. */
  private static final class CommandFailures implements IExecutionExceptionHandler {
    @Override
    public int handleExecutionException(
        Exception failure, CommandLine command, ParseResult parsed) {
      if (failure instanceof ApiException answer) {
        return tell(command, answer.screen(), answer.exitCode());
      }
      return failure instanceof CommandException known
          ? tell(command, List.of(known.getMessage()), known.exitCode())
          : tell(command, List.of(failure.toString()), ExitCodes.FAILED);
    }

    private static int tell(CommandLine command, List<String> lines, int exitCode) {
      PrintWriter err = command.getErr();
      lines.stream().map(TerminalText::clean).forEach(err::println);
      err.flush();
      return exitCode;
    }
  }

  /**
   * Tells what is wrong with a command line. The help of a command is longer than a screen, and
   * would push the message out of sight; only commands that have others below show theirs.
   */
  private static final class UsageFailures implements IParameterExceptionHandler {
    @Override
    public int handleParseException(ParameterException failure, String[] arguments) {
      CommandLine command = failure.getCommandLine();
      PrintWriter err = command.getErr();
      err.println(TerminalText.clean(failure.getMessage()));
      if (!UnmatchedArgumentException.printSuggestions(failure, err)) {
        if (command.getSubcommands().isEmpty()) {
          err.println("Try: %s --help".formatted(command.getCommandSpec().qualifiedName()));
        } else {
          command.usage(err);
        }
      }
      err.flush();
      return ExitCodes.USAGE;
    }
  }

  /** Reads the versions that the build wrote down. */
  static final class Version implements IVersionProvider {
    private static final String FILE = "version.properties";

    @Override
    public String[] getVersion() throws IOException {
      Properties properties = new Properties();
      try (InputStream in = Version.class.getResourceAsStream(FILE)) {
        properties.load(in);
      }
      return new String[] {
        "Indexview " + properties.getProperty("version"),
        "Apache Kafka " + properties.getProperty("kafka.version"),
        "Java " + Runtime.version()
      };
    }
  }

  /** {@code indexview completion}. */
  @Command(
      name = "completion",
      description = {
        "Prints a script that lets bash and zsh complete commands and options.",
        "Use it with: source <(indexview completion)"
      })
  static final class CompletionCommand implements Runnable {
    @Spec private CommandSpec spec;

    @Override
    public void run() {
      CommandLine root = spec.root().commandLine();
      spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
      spec.commandLine().getOut().flush();
    }
  }
}
