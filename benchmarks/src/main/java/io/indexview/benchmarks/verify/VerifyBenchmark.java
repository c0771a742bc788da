package io.indexview.benchmarks.verify;

import io.indexview.benchmarks.contest.Contest;
import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Effort;
import io.indexview.benchmarks.contest.Outcome;
import io.indexview.benchmarks.contest.Table;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.verification.KvRows;
import io.indexview.verification.Row;
import io.indexview.verification.TargetReader;
import io.indexview.verification.live.RowDecoder;
import io.indexview.verification.live.RowLog;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.ViewRow;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/** Verifications of a view against scans of its rows. */
final class VerifyBenchmark {
  private static final String BARE = "bare scan";
  private static final String DECODED = "decoded scan";
  private static final String ONE_RANGE = "contents";
  private static final String RANGES = "contents in ranges";
  private static final String VERIFICATION = "verification";

  /** Most ranges of a verification. */
  private static final int MAX_RANGES = 256;

  private static final int KEY_SCHEMA = 1;
  private static final int VALUE_SCHEMA = 2;
  private static final int ROWS_PER_PUT = 1_000;

  private final Path parent;
  private final Consumer<String> progress;

  /**
   * @param parent directory for store and files; null: the system's
   * @param progress called with what happens
   */
  VerifyBenchmark(Path parent, Consumer<String> progress) {
    this.parent = parent;
    this.progress = progress;
  }

  /** Runs the contest, after a round that warms the compiler up. */
  Table run(int rows, int rounds) throws Exception {
    Outcome outcome;
    try (TemporaryDirectory directory = TemporaryDirectory.in(parent);
        KvStore store = new BenchStore(directory.path()).open(KvDurability.WRITE_NO_SYNC)) {
      progress.accept("loading the store");
      Path topic = directory.path().resolve("topic");
      load(store, topic, rows);
      outcome = contest(store, topic, directory.path(), rows).run(1, rounds, progress);
    }
    Table table =
        new Table(
            "Verification of %s rows in the embedded store".formatted(Table.whole(rows)),
            "contestant",
            "rows/s",
            "ratio",
            "CPU us/row",
            "CPU ratio");
    for (String contestant : List.of(BARE, DECODED, ONE_RANGE, RANGES, VERIFICATION)) {
      table.row(
          contestant,
          Table.whole(outcome.rate(contestant)),
          outcome.ratio(contestant).toString(),
          Table.ratio(outcome.cpuMicros(contestant)),
          outcome.cpuRatio(contestant).toString());
    }
    return table;
  }

  private static void load(KvStore store, Path topic, int rows) throws Exception {
    CompiledView view = CompiledView.compile(VerifiedView.GENERATION, People.SCHEMA);
    KvLayout layout = KvLayout.of(VerifiedView.GENERATION);
    Map<KvKey, byte[]> batch = new HashMap<>();
    try (StoredTopic.Writer writer = new StoredTopic.Writer(topic)) {
      for (int i = 0; i < rows; i++) {
        for (ViewRow row : view.rows(People.person(i, 0), People.key(i))) {
          writer.write(row.key(KEY_SCHEMA), row.value(VALUE_SCHEMA, VerifiedView.REVISION));
          GenericRecord key = view.keyOf(row);
          GenericRecord value = view.valueOf(row, VerifiedView.REVISION);
          KvPath path = layout.path(key::get);
          batch.put(
              new KvKey(path.major(), path.minor()),
              layout.value(key::get, value::get, VerifiedView.REVISION));
        }
        if (batch.size() >= ROWS_PER_PUT || i == rows - 1) {
          store.putAll(batch);
          batch.clear();
        }
      }
    }
  }

  private static Contest contest(KvStore store, Path topic, Path directory, int rows) {
    TargetReader target = new KvRows(store, VerifiedView.GENERATION);
    StoredTopic log =
        new StoredTopic(topic, rows, new RowDecoder(VerifiedView.GENERATION, KEY_SCHEMA, target));
    return new Contest(
        "verification",
        List.of(
            new Contestant(BARE, () -> Effort.of(() -> requireAll(rows, bareScan(store)))),
            new Contestant(DECODED, () -> Effort.of(() -> requireAll(rows, decodedScan(target)))),
            new Contestant(
                ONE_RANGE,
                () -> Effort.of(() -> requireAll(rows, contents(target, List.of()).rows))),
            new Contestant(
                RANGES, () -> Effort.of(() -> requireAll(rows, contentsInRanges(target, rows)))),
            new Contestant(
                VERIFICATION,
                () -> Effort.of(() -> VerifiedView.verify(log, target, directory, rows)))));
  }

  private static long bareScan(KvStore store) {
    KvScan scan = KvScan.under(new KvKey(KvLayout.of(VerifiedView.GENERATION).parent(), List.of()));
    long rows = 0;
    long bytes = 0;
    try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
      while (records.hasNext()) {
        bytes += records.next().value().length;
        rows++;
      }
    }
    return bytes > rows ? rows : 0;
  }

  private static long decodedScan(TargetReader target) {
    RowCount count = new RowCount();
    target.scan(count);
    return count.rows;
  }

  private static Contents contents(TargetReader target, List<String> sample) {
    Contents contents = new Contents();
    target.scanContents(contents, Optional.empty(), sample);
    return contents;
  }

  /**
   * Reads contents in ranges, as many as a verification makes of more rows, or as there are cities.
   */
  private static long contentsInRanges(TargetReader target, int rows) throws Exception {
    CompiledView view = CompiledView.compile(VerifiedView.GENERATION, People.SCHEMA);
    List<String> sample = new ArrayList<>();
    for (int i = 0; i < Math.min(rows, MAX_RANGES); i++) {
      sample.add(target.id(view.keyOf(view.rows(People.person(i, 0), People.key(i)).get(0))));
    }
    Contents contents = contents(target, sample);
    if (contents.ranges < Math.min(sample.size(), MAX_RANGES)) {
      throw new IllegalStateException("only %d ranges".formatted(contents.ranges));
    }
    return contents.rows;
  }

  private static long requireAll(long expected, long actual) {
    if (actual != expected) {
      throw new IllegalStateException("%d rows instead of %d".formatted(actual, expected));
    }
    return actual;
  }

  private static final class Contents extends RowCount implements TargetReader.ContentVisitor {
    private int ranges = 1;

    @Override
    public void content(String id, byte[] content) {
      rows++;
    }

    @Override
    public void reached(String position) {
      ranges++;
    }
  }

  private static class RowCount implements TargetReader.Visitor {
    long rows;

    @Override
    public void row(Row row) {
      rows++;
    }

    @Override
    public void consumed(long bytes, double readUnits) {}

    @Override
    public void tombstone(String id) {
      throw new IllegalStateException("a tombstone that nobody wrote: " + id);
    }

    @Override
    public void unexpected(String id, Kind kind, String reason, byte[] content) {
      throw new IllegalStateException(id + ": " + reason);
    }
  }

  /**
   * A topic of one partition with the rows of a view in a file, as a consumer hands them out: what
   * fetching them costs is left out.
   */
  private static final class StoredTopic implements RowLog {
    private static final int BUFFER_BYTES = 1 << 16;

    private final Path file;
    private final long records;
    private final RowDecoder decoder;

    /**
     * @param records that a {@link Writer} has put into the file
     */
    StoredTopic(Path file, long records, RowDecoder decoder) {
      this.file = file;
      this.records = records;
      this.decoder = decoder;
    }

    @Override
    public Map<Integer, Long> ends() {
      return Map.of(0, records);
    }

    @Override
    public boolean isApplied(Map<Integer, Long> ends) {
      return true;
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
      if (from.getOrDefault(0, 0L).equals(to.get(0))) {
        return;
      }
      String topic = VerifiedView.GENERATION.viewTopic();
      RowHeaders headers = new RowHeaders();
      try (DataInputStream in =
          new DataInputStream(new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES))) {
        for (long offset = 0; offset < records; offset++) {
          ConsumerRecord<byte[], byte[]> message =
              new ConsumerRecord<>(topic, 0, offset, bytes(in), bytes(in));
          headers
              .of(VerifiedView.REVISION, VerifiedView.GENERATION.number())
              .forEach(message.headers()::add);
          decoder.decode(message, visitor);
        }
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private static byte[] bytes(DataInputStream in) throws IOException {
      byte[] bytes = new byte[in.readInt()];
      in.readFully(bytes);
      return bytes;
    }

    @Override
    public void close() {}

    /** Makes the file. */
    static final class Writer implements AutoCloseable {
      private final DataOutputStream out;

      Writer(Path file) throws IOException {
        out =
            new DataOutputStream(
                new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES));
      }

      void write(byte[] key, byte[] value) throws IOException {
        out.writeInt(key.length);
        out.write(key);
        out.writeInt(value.length);
        out.write(value);
      }

      @Override
      public void close() throws IOException {
        out.close();
      }
    }
  }
}
