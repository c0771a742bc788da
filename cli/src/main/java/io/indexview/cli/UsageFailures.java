package io.indexview.cli;

import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.output.TerminalText;
import java.io.PrintWriter;
import picocli.CommandLine;
import picocli.CommandLine.IParameterExceptionHandler;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.UnmatchedArgumentException;

/**
 * Tells what is wrong with a command line. The help of a command is longer than a screen, and would
 * push the message out of sight; only commands that have others below show theirs.
 */
final class UsageFailures implements IParameterExceptionHandler {
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
