package io.indexview.benchmarks.scan;

import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Consumer;

/**
 * The source's scans against a bare iteration of the same store: a first scan, which publishes
 * every record and materializes it in the index, and one that finds nothing changed.
 */
final class ScanBenchmark {
  private static final String BARE = "bare iteration";
  private static final String FIRST = "first scan";
  private static final String STEADY = "steady scan";

  /** Rounds of the smallest contest, which comes first. */
  private static final int WARMUPS = 3;

  /** Records that a trial reads at least where it may read them again, unless they are few. */
  private static final int MIN_RECORDS = 200_000;

  /** A scan of next to nothing waits more than it works. */
  private static final int MAX_REPEATS = 20;

  private final Path parent;
  private final int rounds;
  private final Consumer<String> progress;

  /**
   * @param parent directory for stores and indexes; null: the system's
   * @param progress called with what happens
   */
  ScanBenchmark(Path parent, int rounds, Consumer<String> progress) {
    this.parent = parent;
    this.rounds = rounds;
    this.progress = progress;
  }

  /** Runs a contest for each number of records. */
  Table run(List<Integer> sizes) throws Exception {
    Table table =
        new Table(
            "Scans of the kvstore source, embedded store, against a bare iteration",
            "records",
            "contestant",
            "records/s",
            "ratio",
            "CPU us/record",
            "CPU ratio",
            "CPU per record over that of " + Table.whole(sizes.get(0)));
    Outcome smallest = null;
    for (int size : sizes) {
      Outcome outcome = run(size, smallest == null ? WARMUPS : 0);
      smallest = smallest == null ? outcome : smallest;
      for (String contestant : List.of(BARE, FIRST, STEADY)) {
        table.row(
            Table.whole(size),
            contestant,
            Table.whole(outcome.rate(contestant)),
            outcome.ratio(contestant).toString(),
            Table.ratio(outcome.cpuMicros(contestant)),
            outcome.cpuRatio(contestant).toString(),
            Table.ratio(outcome.cpuMicros(contestant) / smallest.cpuMicros(contestant)));
      }
    }
    return table;
  }

  private Outcome run(int size, int warmups) throws Exception {
    String title = "scan of " + Table.whole(size);
    int repeats = Math.max(1, Math.min(MIN_RECORDS / size, MAX_REPEATS));
    try (TemporaryDirectory directory = TemporaryDirectory.in(parent)) {
      BenchStore store = new BenchStore(directory.path());
      progress.accept(title + ": loading the store");
      store.load(size);
      try (KvStore bare = store.open(KvDurability.WRITE_NO_SYNC);
          Sources sources = new Sources(store, directory.path())) {
        return new Contest(
                title,
                List.of(
                    new Contestant(BARE, () -> Effort.of(() -> iterate(bare, repeats))),
                    new Contestant(FIRST, () -> first(sources.another(), size)),
                    new Contestant(
                        STEADY, () -> Effort.of(() -> steady(sources.last, size, repeats)))))
            .run(warmups, rounds, progress);
      }
    }
  }

  private static long iterate(KvStore store, int repeats) {
    long records = 0;
    for (int i = 0; i < repeats; i++) {
      try (KvIterator<KvRecord> scan =
          store.storeIterator(KvScan.under(KvKey.ofMajor("Corporate", "people")))) {
        while (scan.hasNext()) {
          records += scan.next().value().length > 0 ? 1 : 0;
        }
      }
    }
    return records;
  }

  private static Effort first(ScannedSource source, int size) throws Exception {
    Effort effort = Effort.of(source::scan);
    requireAll(size, effort.units());
    requireAll(size, source.published());
    return effort;
  }

  private static long steady(ScannedSource source, int size, int repeats)
      throws InterruptedException {
    long records = 0;
    for (int i = 0; i < repeats; i++) {
      records += source.scan();
    }
    requireAll(size * (long) repeats, records);
    requireAll(size, source.published());
    return records;
  }

  private static void requireAll(long expected, long actual) {
    if (actual != expected) {
      throw new IllegalStateException("%d records instead of %d".formatted(actual, expected));
    }
  }

  /** Sources over one store, one open at a time. */
  private static final class Sources implements AutoCloseable {
    private final BenchStore store;
    private final Path parent;
    private TemporaryDirectory index;
    private ScannedSource last;

    Sources(BenchStore store, Path parent) {
      this.store = store;
      this.parent = parent;
    }

    /** Replaces the source by one that has seen nothing yet. */
    ScannedSource another() {
      close();
      index = TemporaryDirectory.in(parent);
      last = new ScannedSource(store, index.path());
      return last;
    }

    @Override
    public void close() {
      if (last != null) {
        last.close();
        last = null;
        index.close();
      }
    }
  }
}
