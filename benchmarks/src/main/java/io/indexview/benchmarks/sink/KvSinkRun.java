package io.indexview.benchmarks.sink;

import io.indexview.benchmarks.data.BenchStore;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.connect.kvstore.sink.KvStoreSinkTask;
import io.indexview.kvstore.KvDurability;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.connect.sink.SinkRecord;

/** A running task of the kvstore sink. */
public final class KvSinkRun implements AutoCloseable {
  /** Records that a worker's consumer hands out at once. */
  private static final int BATCH = 500;

  private final KvStoreSinkTask task = new KvStoreSinkTask();
  private final BenchSinkContext context = new BenchSinkContext();

  public KvSinkRun(BenchStore store, WriteMode mode, int concurrency, KvDurability durability) {
    task.initialize(context);
    task.start(
        Map.of(
            "kvstore.uri",
            store.uri(),
            "kvstore.mode",
            mode.name().toLowerCase(Locale.ROOT),
            "kvstore.durability",
            durability.name().toLowerCase(Locale.ROOT),
            "sink.concurrency",
            Integer.toString(concurrency)));
  }

  /** Hands out all records, batch by batch; returns how many. */
  public long write(List<SinkRecord> records) {
    for (int from = 0; from < records.size(); from += BATCH) {
      task.put(records.subList(from, Math.min(from + BATCH, records.size())));
      task.preCommit(Map.of());
    }
    context.requireNothingRejected();
    return records.size();
  }

  @Override
  public void close() {
    task.stop();
  }
}
