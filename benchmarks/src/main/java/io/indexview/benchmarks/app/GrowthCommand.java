package io.indexview.benchmarks.app;

import io.indexview.benchmarks.app.BenchCluster.BenchPaths;
import io.indexview.benchmarks.app.BenchCluster.Wanted;
import io.indexview.benchmarks.app.Running.Turn;
import io.indexview.benchmarks.command.BenchOutput;
import io.indexview.benchmarks.command.ScratchDirectory;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.ViewSet;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code growth}. */
@Command(
    name = "growth",
    mixinStandardHelpOptions = true,
    description = "What the streams app costs as records and views grow.",
    footer = {
      "",
      "For each number of records and of views an app of its own takes in all records, then changes",
      "of them, of which a twentieth delete one: the second is in the table. The rows are compared",
      "unless there are more than 2,000,000, which this process would have to hold."
    })
public final class GrowthCommand implements Callable<Integer> {
  private static final long MAX_COMPARED = 2_000_000;
  private static final double MEGABYTE = 1 << 20;

  @Mixin private BenchOutput output;
  @Mixin private ScratchDirectory directory;

  @Option(
      names = "--records",
      split = ",",
      defaultValue = "10000,100000",
      description = "Records, up to 10000000. Default: ${DEFAULT-VALUE}")
  private List<Integer> records;

  @Option(
      names = "--views",
      split = ",",
      defaultValue = "1,20",
      description = "Views, up to 999. Default: ${DEFAULT-VALUE}")
  private List<Integer> views;

  @Option(
      names = "--events",
      defaultValue = "100000",
      description = "Changes that are measured, after half as many. Default: ${DEFAULT-VALUE}")
  private int events;

  @Override
  public Integer call() throws Exception {
    output.require("--records", records);
    output.require("--views", views);
    output.require("--events", List.of(events));
    Table table =
        new Table(
            "The streams app, %,d changes".formatted(events),
            "records",
            "views",
            "records/s, first",
            "events/s",
            "CPU s/million",
            "B allocated/event",
            "B to view topics/event",
            "B of state on disk/record",
            "peak MB");
    try (BenchCluster cluster = BenchCluster.start(BenchPaths.in(directory.parent()))) {
      for (int size : records) {
        for (int count : views) {
          run(table, cluster, size, ViewSet.of(count));
        }
      }
    }
    output.print(table);
    return 0;
  }

  private void run(Table table, BenchCluster cluster, int size, ViewSet set) throws Exception {
    try (Running one =
        cluster.contestant(
            Wanted.shipped(Map.of()),
            "bench-%d-%s".formatted(size, set.text()),
            set,
            new Workload(size, false, set))) {
      one.start();
      Turn first = one.fill();
      one.turn(Math.max(1, events / 2), false);
      Turn turn = one.turn(events, false);
      boolean compared = (long) size * one.entrant().generations().size() <= MAX_COMPARED;
      output.progress(
          "growth: %,d records, %s: %,.0f events/s, %s"
              .formatted(
                  size,
                  set,
                  turn.rate(),
                  compared
                      ? "all %,d rows are right".formatted(one.check())
                      : "rows are not compared"));
      table.row(
          Table.whole(size),
          set.text(),
          Table.whole(first.rate()),
          Table.whole(turn.rate()),
          Table.ratio(turn.secondsPerMillion(Figures::cpuNanos)),
          Table.whole(turn.each(turn.used().allocatedBytes())),
          Table.whole(turn.each(turn.rowBytes())),
          Table.whole((double) bytes(one.entrant().directory().resolve("state")) / size),
          Table.whole(turn.used().peakBytes() / MEGABYTE));
    }
  }

  /** Bytes of all files; some may disappear meanwhile. */
  private static long bytes(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(GrowthCommand::size).sum();
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
