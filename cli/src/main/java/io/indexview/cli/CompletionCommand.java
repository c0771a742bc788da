package io.indexview.cli;

import io.indexview.cli.api.ExitCodes;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code indexview completion}. */
@Command(
    name = "completion",
    description = {
      "Prints a script that lets bash and zsh complete commands and options.",
      "Use it with: source <(indexview completion)"
    },
    mixinStandardHelpOptions = true,
    exitCodeListHeading = ExitCodes.HEADING,
    exitCodeList = {ExitCodes.OK_HELP, ExitCodes.USAGE_HELP})
final class CompletionCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    CommandLine root = spec.root().commandLine();
    spec.commandLine().getOut().print(AutoComplete.bash(root.getCommandName(), root));
    spec.commandLine().getOut().flush();
  }
}
