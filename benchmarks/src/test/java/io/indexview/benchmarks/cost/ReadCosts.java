package io.indexview.benchmarks.cost;

import com.sun.management.ThreadMXBean;
import io.indexview.benchmarks.data.BenchStore;
import io.indexview.benchmarks.data.BenchViews;
import io.indexview.benchmarks.data.People;
import io.indexview.benchmarks.data.TemporaryDirectory;
import io.indexview.benchmarks.sink.KvSinkRun;
import io.indexview.benchmarks.sink.ViewRecords;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.ViewMetadata;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * What the client library allocates for a page of a view in an embedded KV store, that store's own
 * part among it. The round counts that allocated the least.
 */
final class ReadCosts {
  private static final int PEOPLE = 2_000;
  private static final int ROWS = 20;

  /** Where pages begin. */
  private static final List<String> IDS = IntStream.range(0, 500).mapToObj(People::id).toList();

  private static final int ROUNDS = 5;
  private static final String VIEW =
      "key: [active, id]\nshardKey: 1\ninclude: [name, org]\ntarget: kv\nlayout: key-value\n";
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  /** By name, each per page of {@value #ROWS} rows. */
  Map<String, Double> measure() throws Exception {
    ViewGeneration generation = BenchViews.generation("pages", 1, VIEW);
    try (TemporaryDirectory directory = TemporaryDirectory.in(null)) {
      BenchStore files = new BenchStore(directory.path());
      try (KvStore store = files.open(KvDurability.WRITE_NO_SYNC);
          KvSinkRun sink =
              new KvSinkRun(files, WriteMode.OVERWRITE, 1, KvDurability.WRITE_NO_SYNC)) {
        sink.write(new ViewRecords(generation).of(PEOPLE, 1));
        tellThatItServes(store, generation);
        IndexViewReader reader =
            IndexViewReaders.of(store, ReaderConfig.of(PageTokens.ofThisProcess()));
        long least = Long.MAX_VALUE;
        for (int round = 0; round < ROUNDS; round++) {
          long before = THREADS.getCurrentThreadAllocatedBytes();
          read(reader);
          least = Math.min(least, THREADS.getCurrentThreadAllocatedBytes() - before);
        }
        return Map.of("page.kv.allocated.bytes", (double) least / IDS.size());
      }
    }
  }

  private static void tellThatItServes(KvStore store, ViewGeneration generation) {
    ViewMetadata ready =
        new ViewMetadata(
            generation.view(),
            "uid-1",
            1,
            0,
            ViewState.State.READY,
            "",
            People.NAME,
            "connect-sink",
            List.of(new ViewMetadata.Generation(ViewState.Role.SERVING, generation)),
            ViewState.Freshness.UNKNOWN);
    KvPath path = KvLayout.of(generation).metadata(ready.state().name());
    store.put(
        new KvKey(path.major(), path.minor()), ready.toJson().getBytes(StandardCharsets.UTF_8));
  }

  private static void read(IndexViewReader reader) {
    for (String id : IDS) {
      RowPage found =
          reader.read(
              ViewQuery.of("pages")
                  .where("active", true)
                  .where(new ViewQuery.Range("id", id, true, null, true))
                  .withLimit(ROWS),
              ReadOptions.DEFAULT);
      if (found.rows().size() != ROWS) {
        throw new IllegalStateException(found.rows().size() + " rows of " + ROWS);
      }
    }
  }
}
