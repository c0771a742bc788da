package io.indexview.connect.kvstore.sink;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.connect.common.sink.NewestByKey;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.views.layout.LayoutException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Supplier;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running sink task. A batch is applied when {@link #put} returns, so what the framework commits
 * by itself is what was applied. For one thread.
 */
final class KvStoreSinkSession implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(KvStoreSinkSession.class);

  private final SinkTaskContext context;
  private final RecordErrors errors;
  private final RowMapper mapper = new RowMapper();
  private final RowWriter writer;
  private final Backoff backoff;
  private final Supplier<KvStore> opener;
  private KvStore store;

  /**
   * @param opener opens the store when the first batch comes
   */
  KvStoreSinkSession(
      SinkTaskContext context,
      Supplier<KvStore> opener,
      int concurrency,
      Backoff backoff,
      Clock clock) {
    this.context = context;
    this.errors = RecordErrors.of(context);
    this.opener = opener;
    this.backoff = backoff;
    this.writer = new RowWriter(this::store, concurrency, clock);
  }

  private KvStore store() {
    if (store == null) {
      store = opener.get();
    }
    return store;
  }

  /**
   * Applies a batch.
   *
   * @throws RetriableException if the store is not available: the same batch comes again after a
   *     backoff
   * @throws DataException if a row is refused and there is no dead-letter topic
   */
  void put(Collection<SinkRecord> records) {
    if (records.isEmpty()) {
      return;
    }
    NewestByKey<KvKey, RowWrite> newest = new NewestByKey<>(RowWrite::key);
    List<Rejection> rejections = new ArrayList<>();
    for (SinkRecord record : records) {
      try {
        newest.add(mapper.map(record));
      } catch (DataException
          | LayoutException
          | KvStoreException.Refused
          | IllegalArgumentException e) {
        rejections.add(new Rejection(record, e));
      }
    }
    write(newest, rejections);
    // Not before: a batch that is not applied comes again, with what is rejected in it.
    for (Rejection rejection : rejections) {
      errors.reject(rejection.record(), rejection.cause().getMessage(), rejection.cause());
    }
    LOGGER.debug(
        "Applied a batch: records={} overtaken={} rejectedSoFar={}",
        records.size(),
        newest.overtaken(),
        errors.rejected());
    context.requestCommit();
  }

  private void write(NewestByKey<KvKey, RowWrite> newest, List<Rejection> rejections) {
    try {
      for (RowWriter.Refusal refusal : writer.write(newest.operations())) {
        rejections.add(new Rejection(refusal.write().record(), refusal.cause()));
      }
      backoff.reset();
    } catch (KvStoreException.Unavailable e) {
      long wait = backoff.next().toMillis();
      if (backoff.failures() == 1) {
        LOGGER.warn("The store is not available; writing again until it is: {}", e.getMessage());
      }
      context.timeout(wait);
      throw new RetriableException("the store is not available: " + e.getMessage(), e);
    }
  }

  @Override
  public void close() {
    writer.close();
    if (store != null) {
      store.close();
      store = null;
    }
  }

  /** A record that cannot be applied, and why. */
  private record Rejection(SinkRecord record, RuntimeException cause) {}
}
