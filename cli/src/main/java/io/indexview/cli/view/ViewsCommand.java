package io.indexview.cli.view;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code indexview views}. */
@Command(
    name = "views",
    description = "Creates, changes, watches and drops views.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      ListCommand.class,
      ShowCommand.class,
      ApplyCommand.class,
      DiffCommand.class,
      DropCommand.class,
      RebuildCommand.class,
      RollbackCommand.class,
      WaitCommand.class
    })
public final class ViewsCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
