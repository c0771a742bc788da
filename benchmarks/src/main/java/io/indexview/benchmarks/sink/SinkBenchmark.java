package io.indexview.benchmarks.sink;

import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.connect.common.row.StructFields;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.kafka.connect.data.Struct;
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

  /** A loop of single puts, several at once, of records that are ready to be written. */
  private static final class RawWrites implements AutoCloseable {
    private final KvStore store;
    private final int concurrency;
    private final ExecutorService executor;

    /** A record to be put. */
    record Row(KvKey key, byte[] value) {}

    /**
     * @param store stays open
     * @param concurrency puts in flight at once
     */
    RawWrites(KvStore store, int concurrency) {
      this.store = store;
      this.concurrency = concurrency;
      this.executor = Executors.newFixedThreadPool(concurrency);
    }

    /** What the sink would write for records of one generation that is new. */
    static List<Row> rows(ViewGeneration generation, List<SinkRecord> records, long revision) {
      KvLayout layout = KvLayout.of(generation);
      return records.stream().map(record -> row(layout, record, revision)).toList();
    }

    private static Row row(KvLayout layout, SinkRecord record, long revision) {
      Struct key = (Struct) record.key();
      KvPath path = layout.path(key::get);
      return new Row(
          new KvKey(path.major(), path.minor()),
          layout.value(key::get, StructFields.of((Struct) record.value()), revision));
    }

    /** Puts all; returns how many. */
    long write(List<Row> rows) throws Exception {
      AtomicInteger next = new AtomicInteger();
      Callable<Void> loop =
          () -> {
            for (int i = next.getAndIncrement(); i < rows.size(); i = next.getAndIncrement()) {
              store.put(rows.get(i).key(), rows.get(i).value());
            }
            return null;
          };
      List<Callable<Void>> loops = new ArrayList<>();
      for (int i = 0; i < concurrency; i++) {
        loops.add(loop);
      }
      for (Future<Void> done : executor.invokeAll(loops)) {
        done.get();
      }
      return rows.size();
    }

    @Override
    public void close() {
      executor.shutdownNow();
    }
  }

  /**
   * What the sink is to write.
   *
   * @param shape how rows lie in the store
   * @param view the definition after name and source
   * @param changed whether all rows are there already, with an older revision
   */
  record SinkCase(String shape, WriteMode mode, boolean changed, String view) {
    private static final String ALONE = "key: [id]\n";
    private static final String OF_40 = "key: [country, id]\nshardKey: 1\n";
    private static final String OF_2 = "key: [active, id]\nshardKey: 1\n";

    private static final String KEY_ONLY = "target: kv\nlayout: key-only\n";
    private static final String KEY_VALUE = "target: kv\nlayout: key-value\ninclude: [name]\n";

    /** Fifty primary keys in a record when there are 20,000 people. */
    private static final String LISTS =
        "key: [city]\ntarget: kv\nlayout: list\nmaxElements: 10000\n";

    static final List<SinkCase> ALL =
        List.of(
            new SinkCase("key-only, alone", WriteMode.OVERWRITE, false, ALONE + KEY_ONLY),
            new SinkCase("key-value, alone", WriteMode.OVERWRITE, false, ALONE + KEY_VALUE),
            new SinkCase("key-value, alone", WriteMode.CONDITIONAL, false, ALONE + KEY_VALUE),
            new SinkCase("key-value, alone", WriteMode.CONDITIONAL, true, ALONE + KEY_VALUE),
            new SinkCase("key-only, 40 major paths", WriteMode.OVERWRITE, false, OF_40 + KEY_ONLY),
            new SinkCase(
                "key-value, 40 major paths", WriteMode.OVERWRITE, false, OF_40 + KEY_VALUE),
            new SinkCase(
                "key-value, 40 major paths", WriteMode.CONDITIONAL, false, OF_40 + KEY_VALUE),
            new SinkCase(
                "key-value, 40 major paths", WriteMode.CONDITIONAL, true, OF_40 + KEY_VALUE),
            new SinkCase("key-value, 2 major paths", WriteMode.OVERWRITE, false, OF_2 + KEY_VALUE),
            new SinkCase("list, 400 records", WriteMode.OVERWRITE, false, LISTS));

    String title() {
      return "%s, %s, %s".formatted(shape, mode.name().toLowerCase(Locale.ROOT), rows());
    }

    String rows() {
      return changed ? "changed" : "new";
    }
  }
}
