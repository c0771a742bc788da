package io.indexview.benchmarks;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code all}. */
@Command(
    name = "all",
    mixinStandardHelpOptions = true,
    description = "All of them, one after the other, as they are without options.")
final class AllCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Override
  public Integer call() {
    for (String benchmark : List.of("scan", "sink", "dynamodb-sink", "queue", "derive", "codec")) {
      int exitCode = spec.root().subcommands().get(benchmark).execute();
      if (exitCode != 0) {
        return exitCode;
      }
    }
    return 0;
  }
}
