package io.indexview.benchmarks.sink;

import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewGeneration;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * The kvstore sink against a loop of single puts of the same records at the same concurrency. What
 * the sink does beside writing is part of its time: mapping and encoding rows, grouping, offsets.
 */
final class SinkBenchmark {
  private static final String RAW = "single puts";
  private static final String SINK = "sink";

  private final Settings settings;
  private final Consumer<String> progress;

  /** How the store differs from generation to generation: rows of two never share a key. */
  private int generations;

  /**
   * @param parent directory for the stores; null: the system's
   * @param rows that a trial writes
   * @param concurrency requests at once, of both
   */
  record Settings(Path parent, int rounds, int rows, int concurrency, KvDurability durability) {}

  /**
   * @param progress called with what happens
   */
  SinkBenchmark(Settings settings, Consumer<String> progress) {
    this.settings = settings;
    this.progress = progress;
  }

  /** Runs a contest for each case, after a round of all that warms the compiler up. */
  Table run(List<SinkCase> cases) throws Exception {
    for (SinkCase one : cases) {
      run("warming up, " + one.title(), one, 1);
    }
    Table table =
        new Table(
            "kvstore sink, embedded store, durability %s, concurrency %d, against single puts"
                .formatted(
                    settings.durability().name().toLowerCase(Locale.ROOT), settings.concurrency()),
            "layout",
            "mode",
            "rows",
            RAW + ", rows/s",
            SINK + ", rows/s",
            "ratio",
            "CPU us/row",
            "CPU ratio");
    for (SinkCase one : cases) {
      Outcome outcome = run(one.title(), one, settings.rounds());
      table.row(
          one.shape(),
          one.mode().name().toLowerCase(Locale.ROOT),
          one.rows(),
          Table.whole(outcome.rate(RAW)),
          Table.whole(outcome.rate(SINK)),
          outcome.ratio(SINK).toString(),
          Table.ratio(outcome.cpuMicros(RAW)) + " / " + Table.ratio(outcome.cpuMicros(SINK)),
          outcome.cpuRatio(SINK).toString());
    }
    return table;
  }

  private Outcome run(String title, SinkCase one, int rounds) throws Exception {
    try (TemporaryDirectory directory = TemporaryDirectory.in(settings.parent())) {
      BenchStore files = new BenchStore(directory.path());
      try (KvStore store = files.open(settings.durability());
          RawWrites raw = new RawWrites(store, settings.concurrency());
          KvSinkRun sink =
              new KvSinkRun(files, one.mode(), settings.concurrency(), settings.durability())) {
        return new Contest(
                title,
                List.of(
                    new Contestant(RAW, () -> raw(one, raw, sink)),
                    new Contestant(SINK, () -> sink(one, sink))))
            .run(0, rounds, progress);
      }
    }
  }

  private Effort raw(SinkCase one, RawWrites raw, KvSinkRun sink) throws Exception {
    ViewGeneration generation = prepared(one, sink);
    List<SinkRecord> records = new ViewRecords(generation).of(settings.rows(), 2);
    List<RawWrites.Row> rows = RawWrites.rows(generation, records, 2);
    return Effort.of(() -> raw.write(rows));
  }

  private Effort sink(SinkCase one, KvSinkRun sink) throws Exception {
    List<SinkRecord> records = new ViewRecords(prepared(one, sink)).of(settings.rows(), 2);
    return Effort.of(() -> sink.write(records));
  }

  /** A generation that is new, with older rows in it if the case says so. */
  private ViewGeneration prepared(SinkCase one, KvSinkRun sink) throws Exception {
    ViewGeneration generation = BenchViews.generation("rows", ++generations, one.view());
    if (one.changed()) {
      sink.write(new ViewRecords(generation).of(settings.rows(), 1));
    }
    return generation;
  }
}
