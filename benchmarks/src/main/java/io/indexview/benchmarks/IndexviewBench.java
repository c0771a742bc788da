package io.indexview.benchmarks;

import io.indexview.benchmarks.app.AppCommand;
import io.indexview.benchmarks.app.BrokerCommand;
import io.indexview.benchmarks.app.BuildCommand;
import io.indexview.benchmarks.app.EntrantCommand;
import io.indexview.benchmarks.app.FreshnessCommand;
import io.indexview.benchmarks.app.GrowthCommand;
import io.indexview.benchmarks.app.RestartCommand;
import io.indexview.benchmarks.codec.CodecCommand;
import io.indexview.benchmarks.derive.DeriveCommand;
import io.indexview.benchmarks.dynamodb.DynamoDbSinkCommand;
import io.indexview.benchmarks.queue.QueueCommand;
import io.indexview.benchmarks.read.ReadCommand;
import io.indexview.benchmarks.scan.ScanCommand;
import io.indexview.benchmarks.sink.SinkCommand;
import io.indexview.benchmarks.verify.MemoryCommand;
import io.indexview.benchmarks.verify.VerifyCommand;
import io.indexview.benchmarks.write.WriteCommand;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code indexview-bench}: all benchmarks. */
@Command(
    name = "indexview-bench",
    description = "Benchmarks of Indexview, side by side with what they are compared with.",
    mixinStandardHelpOptions = true,
    synopsisSubcommandLabel = "BENCHMARK",
    commandListHeading = "%nBenchmarks:%n",
    subcommands = {
      ScanCommand.class,
      SinkCommand.class,
      DynamoDbSinkCommand.class,
      QueueCommand.class,
      ReadCommand.class,
      WriteCommand.class,
      VerifyCommand.class,
      DeriveCommand.class,
      CodecCommand.class,
      AppCommand.class,
      FreshnessCommand.class,
      BuildCommand.class,
      RestartCommand.class,
      GrowthCommand.class,
      BrokerCommand.class,
      EntrantCommand.class,
      MemoryCommand.class,
      IndexviewBench.AllCommand.class,
      HelpCommand.class
    })
public final class IndexviewBench implements Runnable {
  @Spec private CommandSpec spec;

  /** Ends the process with the command's exit code. */
  public static void main(String[] args) {
    System.exit(commandLine().execute(args));
  }

  /** All commands. */
  public static CommandLine commandLine() {
    return new CommandLine(new IndexviewBench())
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setUsageHelpAutoWidth(true);
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing benchmark");
  }

  /** {@code all}. */
  @Command(
      name = "all",
      mixinStandardHelpOptions = true,
      description = "All of them, one after the other, as they are without options.")
  static final class AllCommand implements Callable<Integer> {
    @Spec private CommandSpec spec;

    @Override
    public Integer call() {
      for (String benchmark :
          List.of(
              "scan",
              "sink",
              "dynamodb-sink",
              "queue",
              "read",
              "write",
              "verify",
              "derive",
              "codec",
              "app",
              "freshness",
              "build",
              "restart",
              "growth")) {
        int exitCode = spec.root().subcommands().get(benchmark).execute();
        if (exitCode != 0) {
          return exitCode;
        }
      }
      return 0;
    }
  }
}
