package io.indexview.benchmarks.sink;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import io.indexview.benchmarks.command.ScratchDirectory;
import io.indexview.benchmarks.sink.SinkBenchmark.SinkCase;
import io.indexview.kvstore.KvDurability;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code sink}. */
@Command(
    name = "sink",
    mixinStandardHelpOptions = true,
    description = "The kvstore sink against a loop of single puts.")
public final class SinkCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;
  @Mixin private final Rounds rounds = new Rounds(5);

  @Option(
      names = "--rows",
      defaultValue = "20000",
      description = "Rows that a trial writes. Default: ${DEFAULT-VALUE}")
  private int rows;

  @Option(
      names = "--concurrency",
      defaultValue = "4",
      description = "Requests at once, of the sink and of the loop. Default: ${DEFAULT-VALUE}")
  private int concurrency;

  @Option(
      names = "--durability",
      defaultValue = "write_no_sync",
      description = "Of both: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}")
  private KvDurability durability;

  @Option(
      names = "--layout",
      defaultValue = "",
      description = "Only layouts that begin with this: key-only, key-value, list.")
  private String layout;

  @Override
  public Integer call() throws Exception {
    output.require("--rows", List.of(rows));
    output.require("--concurrency", List.of(concurrency));
    SinkBenchmark.Settings settings =
        new SinkBenchmark.Settings(
            directory.parent(), rounds.count(output), rows, concurrency, durability);
    output.print(
        new SinkBenchmark(settings, output::progress)
            .run(SinkCase.ALL.stream().filter(one -> one.shape().startsWith(layout)).toList()));
    return 0;
  }
}
