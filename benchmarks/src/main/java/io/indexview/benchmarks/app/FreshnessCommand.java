package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.Rounds;
import io.indexview.benchmarks.command.ScratchDirectory;
import io.indexview.benchmarks.contest.Latencies;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.ViewSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
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
    description = "How soon an event is in a view topic, and in the store, at steady rates.",
    footer = {
      "",
      "From when an event should have been sent until a reader of committed rows has its row, of",
      "the first of two views. Contestants are those of app that take flat values, but for limit,",
      "also with settings: app-flat:commit.interval.min.ms=100. Every other round has them in the",
      "opposite order.",
      "With --store the kvstore sink writes the rows of the app into an embedded store that syncs,",
      "in a Connect worker beside what sends and reads, and one person in twenty is looked for",
      "there once a millisecond."
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
  @Mixin private final Rounds rounds = new Rounds(1);

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

  @Option(names = "--store", description = "Also tell how soon rows can be read in the KV store.")
  private boolean stores;

  @Override
  public Integer call() throws Exception {
    output.require("--rates", rates);
    output.require("--keys", List.of(keys));
    output.requireAtLeast(0, "--warm-up", List.of(warmUp));
    output.require("--seconds", List.of(seconds));
    int turns = rounds.count(output);
    List<Wanted> all = contestants.stream().map(this::contestant).toList();
    List<Wanted> reversed = new ArrayList<>(all);
    Collections.reverse(reversed);
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
            "processors in use",
            "records sent again",
            "in the store: p50 ms",
            "p99 ms",
            "max ms");
    try (BenchCluster cluster = BenchCluster.start(BenchPaths.in(directory.parent()))) {
      int number = 0;
      for (int turn = 0; turn < turns; turn++) {
        for (Wanted wanted : turn % 2 == 0 ? all : reversed) {
          run(table, cluster, wanted, number++);
        }
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
      if (!stores || !wanted.kind().isApp()) {
        run(table, one, null);
        return;
      }
      // Has it save its registry.
      one.figures();
      try (StoredRows stored = StoredRows.start(one.entrant())) {
        run(table, one, stored);
      }
    }
  }

  /**
   * @param stored null: nobody writes rows into a store
   */
  private void run(Table table, Running one, StoredRows stored) throws Exception {
    for (int rate : rates) {
      output.progress("freshness: %s, %,d events/s".formatted(one.name(), rate));
      run(table, one, stored, rate);
    }
  }

  private void run(Table table, Running one, StoredRows stored, int rate) throws Exception {
    try (LiveLoad load =
        stored == null
            ? LiveLoad.start(one.entrant(), keys, rate)
            : LiveLoad.start(one.entrant(), keys, rate, stored)) {
      TimeUnit.SECONDS.sleep(warmUp);
      load.window();
      if (stored != null) {
        stored.window();
      }
      long start = System.nanoTime();
      long cpu = one.figures().cpuNanos();
      long retries = retries(one);
      TimeUnit.SECONDS.sleep(seconds);
      double processors = (double) (one.figures().cpuNanos() - cpu) / (System.nanoTime() - start);
      retries = retries(one) - retries;
      Latencies all = load.finish();
      Latencies readable = stored == null ? new Latencies() : stored.finish();
      table.row(
          one.name(),
          Table.whole(rate),
          Table.whole(all.count()),
          Table.whole(all.millis(0.5)),
          Table.whole(all.millis(0.99)),
          Table.whole(all.millis(0.999)),
          Table.whole(all.millis(1)),
          Table.ratio(processors),
          Table.whole(retries),
          readable(readable, 0.5),
          readable(readable, 0.99),
          readable(readable, 1));
    }
  }

  private static long retries(Running one) throws IOException {
    return Long.parseLong(one.ask(EntrantCommand.RETRIES));
  }

  private static String readable(Latencies latencies, double share) {
    return latencies.count() == 0 ? "-" : Table.whole(latencies.millis(share));
  }
}
