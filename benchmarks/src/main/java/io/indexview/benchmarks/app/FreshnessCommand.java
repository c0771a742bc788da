package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.ScratchDirectory;
import io.indexview.benchmarks.contest.Latencies;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.ViewSet;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code freshness}. */
@Command(
    name = "freshness",
    mixinStandardHelpOptions = true,
    description = "How soon an event is in a view topic, at steady rates.",
    footer = {
      "",
      "From when an event should have been sent until a reader of committed rows has its row, of",
      "the first of two views. Contestants are those of app that take flat values, but for limit,",
      "also with settings: app-flat:commit.interval.min.ms=100."
    })
public final class FreshnessCommand implements Callable<Integer> {
  private static final List<Entrant.Kind> KINDS =
      List.of(
          Entrant.Kind.PLAIN,
          Entrant.Kind.TUNED,
          Entrant.Kind.APP_FLAT,
          Entrant.Kind.APP_AT_LEAST_ONCE,
          Entrant.Kind.FLINK_HEAP,
          Entrant.Kind.FLINK_HEAP_EXACTLY_ONCE,
          Entrant.Kind.FLINK_ROCKSDB,
          Entrant.Kind.FLINK_ROCKSDB_EXACTLY_ONCE);

  @Spec private CommandSpec spec;
  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;

  @Option(
      names = "--rates",
      split = ",",
      defaultValue = "2000,10000",
      description = "Events a second, one after the other. Default: ${DEFAULT-VALUE}")
  private List<Integer> rates;

  @Option(
      names = "--keys",
      defaultValue = "20000",
      description = "Records that are updated. Default: ${DEFAULT-VALUE}")
  private int keys;

  @Option(
      names = "--warm-up",
      defaultValue = "10",
      description = "Seconds of each rate that do not count. Default: ${DEFAULT-VALUE}")
  private int warmUp;

  @Option(
      names = "--seconds",
      defaultValue = "20",
      description = "Seconds of each rate that count. Default: ${DEFAULT-VALUE}")
  private int seconds;

  @Option(
      names = "--contestants",
      split = ",",
      defaultValue = "plain,app-flat",
      description = "Who takes part, one after the other. Default: ${DEFAULT-VALUE}")
  private List<String> contestants;

  @Override
  public Integer call() throws Exception {
    output.require("--rates", rates);
    output.require("--keys", List.of(keys));
    output.requireAtLeast(0, "--warm-up", List.of(warmUp));
    output.require("--seconds", List.of(seconds));
    List<Wanted> all = contestants.stream().map(this::contestant).toList();
    Table table =
        new Table(
            "From when an event should be sent until its committed row is read, %,d keys, 2 views"
                .formatted(keys),
            "contestant",
            "events/s",
            "events",
            "p50 ms",
            "p99 ms",
            "p99.9 ms",
            "max ms",
            "processors in use");
    try (BenchCluster cluster = BenchCluster.start(BenchPaths.in(directory.parent()))) {
      for (Wanted wanted : all) {
        run(table, cluster, wanted, all.indexOf(wanted));
      }
    }
    output.print(table);
    return 0;
  }

  private Wanted contestant(String text) {
    Wanted wanted;
    try {
      wanted = Wanted.parse(text);
    } catch (IllegalArgumentException e) {
      throw new ParameterException(spec.commandLine(), "--contestants: " + e.getMessage());
    }
    if (wanted.other() || !KINDS.contains(wanted.kind())) {
      throw refuse(text, "there are " + KINDS);
    }
    if (wanted.kind().isFlink() && FlinkProgram.classPath().isEmpty()) {
      throw refuse(text, FlinkProgram.NEEDED);
    }
    return wanted;
  }

  private ParameterException refuse(String text, String why) {
    return new ParameterException(
        spec.commandLine(), "--contestants: \"%s\": %s".formatted(text, why));
  }

  private void run(Table table, BenchCluster cluster, Wanted wanted, int number) throws Exception {
    ViewSet views = ViewSet.of(2);
    try (Running one =
        cluster.contestant(wanted, "bench-" + number, views, new Workload(keys, false, views))) {
      one.start();
      one.fill();
      for (int rate : rates) {
        output.progress("freshness: %s, %,d events/s".formatted(one.name(), rate));
        run(table, one, rate);
      }
    }
  }

  private void run(Table table, Running one, int rate) throws Exception {
    try (LiveLoad load = LiveLoad.start(one.entrant(), keys, rate)) {
      TimeUnit.SECONDS.sleep(warmUp);
      load.window();
      long start = System.nanoTime();
      long cpu = one.figures().cpuNanos();
      TimeUnit.SECONDS.sleep(seconds);
      double processors = (double) (one.figures().cpuNanos() - cpu) / (System.nanoTime() - start);
      Latencies all = load.finish();
      table.row(
          one.name(),
          Table.whole(rate),
          Table.whole(all.count()),
          Table.whole(all.millis(0.5)),
          Table.whole(all.millis(0.99)),
          Table.whole(all.millis(0.999)),
          Table.whole(all.millis(1)),
          Table.ratio(processors));
    }
  }
}
