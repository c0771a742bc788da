package io.indexview.cli;

import io.indexview.cli.api.ApiException;
import io.indexview.cli.api.ConflictException;
import io.indexview.cli.api.ExitCodes;
import io.indexview.cli.api.NotFoundException;
import io.indexview.cli.api.UnavailableException;
import io.indexview.cli.api.UsageException;
import io.indexview.cli.output.TerminalText;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionExceptionHandler;
import picocli.CommandLine.ParseResult;

/** Tells a command's failure on one screen, and gives its exit code. */
final class CommandFailures implements IExecutionExceptionHandler {
  @Override
  public int handleExecutionException(Exception failure, CommandLine command, ParseResult parsed) {
    if (failure instanceof ApiException answer) {
      return tell(command, answer.screen(), answer.exitCode());
    }
    if (failure instanceof UnavailableException) {
      return tell(command, List.of(failure.getMessage()), ExitCodes.UNAVAILABLE);
    }
    if (failure instanceof NotFoundException) {
      return tell(command, List.of(failure.getMessage()), ExitCodes.NOT_FOUND);
    }
    if (failure instanceof ConflictException) {
      return tell(command, List.of(failure.getMessage()), ExitCodes.FAILED);
    }
    return failure instanceof UsageException
        ? tell(command, List.of(failure.getMessage()), ExitCodes.USAGE)
        : tell(command, List.of(failure.toString()), ExitCodes.FAILED);
  }

  private static int tell(CommandLine command, List<String> lines, int exitCode) {
    PrintWriter err = command.getErr();
    lines.stream().map(TerminalText::clean).forEach(err::println);
    err.flush();
    return exitCode;
  }
}
