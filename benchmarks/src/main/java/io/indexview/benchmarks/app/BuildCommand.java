package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.ScratchDirectory;
import io.indexview.benchmarks.contest.Latencies;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.ViewSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code build}. */
@Command(
    name = "build",
    mixinStandardHelpOptions = true,
    description = "How fast a view is built that is added, and what live events suffer meanwhile.",
    footer = {
      "",
      "The streams app has a state and two views, and updates come at a steady rate. Then a view is",
      "defined: all takes until the last task has reported it built, building alone from the first",
      "report of a task. Latencies are as in freshness."
    })
public final class BuildCommand implements Callable<Integer> {
  private static final double MILLI = 1e6;
  private static final double SECOND_IN_MS = 1e3;

  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;
  @Mixin private StateSizes records;

  @Option(
      names = "--rate",
      defaultValue = "2000",
      description = "Live events a second. Default: ${DEFAULT-VALUE}")
  private int rate;

  @Option(
      names = "--seconds",
      defaultValue = "10",
      description =
          "Seconds of live events that do not count, then as many that are compared with those of"
              + " the build. Default: ${DEFAULT-VALUE}")
  private int seconds;

  @Override
  public Integer call() throws Exception {
    List<Integer> sizes = records.sizes(output);
    output.require("--rate", List.of(rate));
    output.require("--seconds", List.of(seconds));
    Table table =
        new Table(
            "A view added to two, %,d live events/s".formatted(rate),
            "records",
            "all, ms",
            "building, ms",
            "records/s, all",
            "records/s, building",
            "live before: p50 ms",
            "p99 ms",
            "live meanwhile: p50 ms",
            "p99 ms",
            "max ms");
    try (BenchCluster cluster = BenchCluster.start(BenchPaths.in(directory.parent()))) {
      for (int size : sizes) {
        run(table, cluster, size);
      }
    }
    output.print(table);
    return 0;
  }

  private void run(Table table, BenchCluster cluster, int size) throws Exception {
    ViewSet views = ViewSet.of(2);
    Wanted wanted = Wanted.shipped(Map.of());
    try (Running one =
        cluster.contestant(wanted, "bench-" + size, views, new Workload(size, false, views))) {
      one.start();
      one.fill();
      output.progress("build: a state of %,d records".formatted(size));
      try (LiveLoad load = LiveLoad.start(one.entrant(), size, rate)) {
        TimeUnit.SECONDS.sleep(seconds);
        load.window();
        TimeUnit.SECONDS.sleep(seconds);
        Latencies before = load.window();
        String[] built = one.ask(EntrantCommand.BUILD).split(" ");
        Latencies meanwhile = load.finish();
        double all = Long.parseLong(built[0]) / MILLI;
        double building = Math.max(1, Long.parseLong(built[1]));
        long read = Long.parseLong(built[2]);
        table.row(
            Table.whole(read),
            Table.whole(all),
            Table.whole(building),
            Table.whole(read * SECOND_IN_MS / all),
            Table.whole(read * SECOND_IN_MS / building),
            Table.whole(before.millis(0.5)),
            Table.whole(before.millis(0.99)),
            Table.whole(meanwhile.millis(0.5)),
            Table.whole(meanwhile.millis(0.99)),
            Table.whole(meanwhile.millis(1)));
      }
    }
  }
}
