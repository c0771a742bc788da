package io.indexview.benchmarks.verify;

import com.sun.management.GarbageCollectionNotificationInfo;
import io.indexview.benchmarks.command.ChildJvm;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.client.verify.KvRows;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import javax.management.NotificationEmitter;
import javax.management.openmbean.CompositeData;
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
      AtomicLong most = mostAfterCollections();
      long start = System.nanoTime();
      VerifiedView.verify(madeUp, madeUp, directory, rows);
      long nanos = System.nanoTime() - start;
      ChildJvm.say(spec.commandLine().getOut(), new Used(idle, most.get(), nanos).toLine());
    }
    return 0;
  }

  /** A collection of the young leaves what has died among the old, so this is rather too much. */
  private static AtomicLong mostAfterCollections() {
    Set<String> heap =
        ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .collect(Collectors.toSet());
    AtomicLong most = new AtomicLong();
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
                most.accumulateAndGet(used, Math::max);
              },
              notification ->
                  notification
                      .getType()
                      .equals(GarbageCollectionNotificationInfo.GARBAGE_COLLECTION_NOTIFICATION),
              null);
    }
    return most;
  }

  /**
   * Bytes of the heap, and time.
   *
   * @param most after any collection
   */
  record Used(long idle, long most, long nanos) {
    String toLine() {
      return idle + " " + most + " " + nanos;
    }

    /** Reads {@link #toLine} back. */
    static Used ofLine(String line) {
      String[] figures = line.split(" ");
      return new Used(
          Long.parseLong(figures[0]), Long.parseLong(figures[1]), Long.parseLong(figures[2]));
    }
  }
}
