package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.sink.FakeSinkContext;
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.KvLayout;
import io.indexview.views.layout.KvPath;
import io.indexview.views.layout.StoredRow;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A sink session on an embedded store whose calls are seen and can be made to fail. */
abstract class KvSinkHarness {
  static final int CONCURRENCY = 2;

  /** So that whatever is put is there. */
  static final Duration NEVER_SLOW = Duration.ofHours(1);

  static final int MAX_VALUE_BYTES = 1 << 20;
  static final long WRITTEN_BYTES = 1 << 20;
  static final Duration RETENTION = Duration.ofDays(15);
  static final Duration INTERVAL = Duration.ofDays(1);

  @TempDir Path directory;
  KvStore store;
  final FakeSinkContext context = new FakeSinkContext();
  final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  volatile BiConsumer<String, Object[]> fault = (method, arguments) -> {};
  volatile Runnable opening = () -> {};
  final ManualClock clock = new ManualClock(Instant.EPOCH);
  KvStoreSinkSession session;

  @BeforeEach
  void open() {
    store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory)
                .withCacheBytes(8L << 20)
                .withDurability(KvDurability.WRITE_NO_SYNC));
    session = session();
  }

  WriteMode mode() {
    return WriteMode.OVERWRITE;
  }

  Duration slow() {
    return NEVER_SLOW;
  }

  KvStoreSinkSession session() {
    return session(context, "META");
  }

  final KvStoreSinkSession session(FakeSinkContext of, String... metadataPrefixes) {
    return new KvStoreSinkSession(
        of, this::observedStore, settings(List.of(metadataPrefixes)), clock);
  }

  final KvStoreSinkSession.Settings settings(List<String> metadataPrefixes) {
    return new KvStoreSinkSession.Settings(
        mode(),
        CONCURRENCY,
        KvRowWriter.MIN_IN_BULK,
        slow(),
        MAX_VALUE_BYTES,
        WRITTEN_BYTES,
        new TombstoneRemovals.Settings(RETENTION, INTERVAL, 1_000),
        () -> new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1), () -> 0),
        "indexview.view-states",
        metadataPrefixes);
  }

  @AfterEach
  void close() {
    session.close();
    store.close();
  }

  final List<StoredRow> rows(ViewGeneration generation) {
    return ViewRows.stored(store, generation);
  }

  /** The metadata of a view that serves this generation; returns where it is. */
  final KvKey serve(ViewGeneration generation, String uid) {
    ViewMetadata metadata =
        new ViewMetadata(
            generation.view(),
            uid,
            1,
            0,
            ViewState.State.READY,
            "",
            "people",
            "connect-sink",
            List.of(new ViewMetadata.Generation(ViewState.Role.SERVING, generation)),
            ViewState.Freshness.UNKNOWN);
    KvPath path = KvLayout.of(generation).metadata("READY");
    KvKey key = new KvKey(path.major(), path.minor());
    store.put(key, metadata.toJson().getBytes(StandardCharsets.UTF_8));
    return key;
  }

  private KvStore observedStore() {
    opening.run();
    return ObservedKvStore.of(
        store,
        (method, arguments) -> {
          calls.add(method);
          fault.accept(method, arguments);
        });
  }
}
