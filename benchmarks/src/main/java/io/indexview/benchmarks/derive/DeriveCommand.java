package io.indexview.benchmarks.derive;

import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.jmh.JmhContest;
import io.indexview.benchmarks.jmh.JmhContest.Pair;
import io.indexview.benchmarks.jmh.JmhOptions;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code derive}. */
@Command(
    name = "derive",
    mixinStandardHelpOptions = true,
    description = "One event through the streams app's own code, against a naive one per view.")
public final class DeriveCommand implements Callable<Integer> {
  @Mixin private BenchOutput output;
  @Mixin private JmhOptions jmh;

  @Option(
      names = "--views",
      split = ",",
      defaultValue = "1,5,20",
      description = "Numbers of views, up to 20 different ones. Default: ${DEFAULT-VALUE}")
  private List<Integer> views;

  @Override
  public Integer call() throws Exception {
    output.require("--views", views);
    Table table = JmhContest.table("One event, in-memory state, rows not sent", "views");
    new JmhContest(
            DeriveBenchmark.class,
            "views",
            List.of(new Pair("event", "naiveEvent"), new Pair("event", "decodeAlone")))
        .run(views.stream().map(String::valueOf).toList(), jmh, output::progress, table);
    output.print(table);
    return 0;
  }
}
