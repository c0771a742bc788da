package io.indexview.cli.file;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code indexview files}. */
@Command(
    name = "files",
    description =
        "Finds files of a bucket by what is known of them; fetches, writes, lists and removes them.",
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
      SearchCommand.class,
      FetchCommand.class,
      PutCommand.class,
      ListCommand.class,
      DeleteCommand.class
    })
public final class FilesCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}
