package io.indexview.benchmarks.verify;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.indexview.benchmarks.command.ChildJvm;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.People;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.verification.KvRows;
import io.indexview.verification.Row;
import io.indexview.verification.RowContent;
import io.indexview.verification.TargetReader;
import io.indexview.verification.live.RowLog;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.derive.CompiledView;
import io.indexview.views.derive.DerivationException;
import io.indexview.views.derive.ViewRow;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
import org.apache.avro.generic.GenericRecord;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The process whose heap is measured. */
@Command(name = MemoryCommand.NAME, hidden = true)
public final class MemoryCommand implements Callable<Integer> {
  static final String NAME = "verify-memory";

  private static final long CACHE_BYTES = 1 << 20;

  @Spec private CommandSpec spec;

  @Option(names = "--rows", required = true)
  private int rows;

  @Option(names = "--dir", required = true)
  private Path directory;

  /** Says what it has used. */
  @Override
  public Integer call() throws Exception {
    KvStoreConfig small =
        KvStoreConfig.of(new BenchStore(directory).uri()).withCacheBytes(CACHE_BYTES);
    try (KvStore empty = KvStores.open(small)) {
      MadeUpRows madeUp = new MadeUpRows(new KvRows(empty, VerifiedView.GENERATION), rows);
      VerifiedView.verify(new MadeUpRows(madeUp, 1), new MadeUpRows(madeUp, 1), directory, 1);
      System.gc();
      long idle = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
      AtomicLong max = maxAfterCollections();
      long start = System.nanoTime();
      VerifiedView.verify(madeUp, madeUp, directory, rows);
      long nanos = System.nanoTime() - start;
      ChildJvm.say(spec.commandLine().getOut(), new Used(idle, max.get(), nanos).toLine());
    }
    return 0;
  }

  /** A collection of the young leaves what has died among the old, so this is rather too much. */
  private static AtomicLong maxAfterCollections() {
    Set<String> heap =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    AtomicLong max = new AtomicLong();
    for (GarbageCollectorMXBean collector : ManagementFactory.getGarbageCollectorMXBeans()) {
      ((NotificationEmitter) collector)
          .addNotificationListener(
              (notification, unused) -> {
                long used =
                    GarbageCollectionNotificationInfo.from(
                            (CompositeData) notification.getUserData())
                        .getGcInfo()
                        .getMemoryUsageAfterGc()
                        .entrySet()
                        .stream()
                        .filter(pool -> heap.contains(pool.getKey()))
                        .mapToLong(pool -> pool.getValue().getUsed())
                        .sum();
                max.accumulateAndGet(used, Math::max);
              },
              notification ->
                  notification
                      .getType()
                      .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
              null);
    }
    return max;
  }

  /**
   * Bytes of the heap, and time.
   *
   * @param max after any collection
   */
  record Used(long idle, long max, long nanos) {
    String toLine() {
      return idle + " " + max + " " + nanos;
    }

    /** Reads {@link #toLine} back. */
    static Used ofLine(String line) {
      String[] figures = line.split(" ");
      return new Used(
          Long.parseLong(figures[0]), Long.parseLong(figures[1]), Long.parseLong(figures[2]));
    }
  }

  /** Any number of rows, derived and stored, none of which takes memory. */
  private static final class MadeUpRows implements RowLog, TargetReader {
    private final TargetReader layout;
    private final long rows;
    private final CompiledView view;
    private final ViewRow row;

    /**
     * @param layout of the rows
     */
    MadeUpRows(TargetReader layout, long rows) throws DerivationException {
      this.layout = layout;
      this.rows = rows;
      this.view = CompiledView.compile(VerifiedView.GENERATION, People.SCHEMA);
      this.row = view.rows(People.person(0, 0), People.key(0)).get(0);
    }

    private void forEachRow(Consumer<RowContent> taker) {
      GenericRecord key = view.keyOf(row);
      GenericRecord value = view.valueOf(row, VerifiedView.REVISION);
      for (long i = 0; i < rows; i++) {
        key.put(ViewFields.PRIMARY_KEY, "/Corporate/people/" + i);
        value.put("cost", i);
        taker.accept(layout.derived(key, value, VerifiedView.REVISION));
      }
    }

    @Override
    public void scan(TargetReader.Visitor visitor) {
      throw new UnsupportedOperationException("every row is right at once");
    }

    @Override
    public void scanContents(
        TargetReader.ContentVisitor visitor, Optional<String> from, List<String> sample) {
      forEachRow(row -> visitor.content(row.id(), row.content()));
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, RowLog.Visitor visitor) {
      if (!from.getOrDefault(0, 0L).equals(to.get(0))) {
        forEachRow(row -> visitor.change(row.id(), Optional.of(row)));
      }
    }

    @Override
    public Map<Integer, Long> ends() {
      return Map.of(0, rows);
    }

    @Override
    public boolean isApplied(Map<Integer, Long> ends) {
      return true;
    }

    @Override
    public Row expected(GenericRecord rowKey, GenericRecord rowValue, long revision) {
      return layout.expected(rowKey, rowValue, revision);
    }

    @Override
    public String id(GenericRecord rowKey) {
      return layout.id(rowKey);
    }

    @Override
    public Optional<byte[]> unexpected(String id, Meter meter) {
      return Optional.empty();
    }

    @Override
    public Optional<Row> read(String id, Meter meter) {
      throw new UnsupportedOperationException("every row is right at once");
    }

    @Override
    public OptionalLong revision(String id, Meter meter) {
      throw new UnsupportedOperationException("every row is right at once");
    }

    @Override
    public void close() {}
  }
}
