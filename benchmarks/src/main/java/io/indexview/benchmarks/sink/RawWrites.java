package io.indexview.benchmarks.sink;

import io.indexview.connect.common.row.StructFields;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.sink.SinkRecord;

/** A loop of single puts, several at once, of records that are ready to be written. */
final class RawWrites implements AutoCloseable {
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
