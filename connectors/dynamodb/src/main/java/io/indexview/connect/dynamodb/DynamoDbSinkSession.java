package io.indexview.connect.dynamodb;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.connect.common.offset.CommittableOffsets;
import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.dynamodb.write.RowWrite;
import io.indexview.connect.dynamodb.write.RowWriter;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.LayoutException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One task at work, on the task's thread alone. Offsets are committed for what is applied. */
final class DynamoDbSinkSession implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(DynamoDbSinkSession.class);
  private static final Duration TABLE_TIMEOUT = Duration.ofSeconds(60);
  private static final Duration PUT_BOUND = Duration.ofSeconds(2);
  private static final Duration REVOKE_BOUND = Duration.ofSeconds(25);
  private static final Duration COMMIT_INTERVAL = Duration.ofMillis(100);
  private static final long NEXT_LOOK_MS = 10;

  private final DynamoDbSinkConfig config;
  private final ItemStore store;
  private final SinkTaskContext context;
  private final Clock clock;
  private final RecordErrors errors;
  private final Backoff retries;
  private final RowWriter writer;
  private final GenerationCache<ViewTable> tables = new GenerationCache<>(this::open);
  private final CommittableOffsets offsets = new CommittableOffsets();

  private boolean uncommitted;
  private Instant committedAt = Instant.MIN;

  DynamoDbSinkSession(
      DynamoDbSinkConfig config, ItemStore store, SinkTaskContext context, Clock clock) {
    this.config = config;
    this.store = store;
    this.context = context;
    this.clock = clock;
    this.errors = RecordErrors.of(context);
    this.retries = config.backoff();
    RowWriter.Settled settled =
        new RowWriter.Settled() {
          @Override
          public void applied(RowWrite write) {
            write.forEachRecord(DynamoDbSinkSession.this::done);
          }

          @Override
          public void rejected(RowWrite write, String reason, Throwable cause) {
            errors.reject(write.record(), reason, cause);
            write.forEachRecord(DynamoDbSinkSession.this::done);
          }
        };
    this.writer =
        switch (config.mode()) {
          case CONDITIONAL ->
              RowWriter.conditional(store, config.maxInFlight(), config.backoff(), clock, settled);
          case BATCH ->
              RowWriter.batch(store, config.maxInFlight(), config.backoff(), clock, settled);
        };
  }

  private ViewTable open(ViewGeneration generation) {
    ViewTable table = new ViewTable(DynamoDbLayout.of(generation), config.markerRetention(), clock);
    if (config.autoCreate()) {
      store.ensureTable(table.spec(config.mode()), TABLE_TIMEOUT);
    } else {
      store.checkTable(table.spec(config.mode()));
    }
    LOGGER.info(
        "View {} generation {} goes to table {}",
        generation.view(),
        generation.number(),
        generation.storeName());
    return table;
  }

  private void done(SinkRecord record) {
    offsets.done(record);
    uncommitted = true;
  }

  /**
   * Takes records over; they are applied during this call and the next ones.
   *
   * @throws RetriableException if too many wait already, or a table cannot be reached: nothing was
   *     taken
   * @throws ConnectException if nothing will work without somebody's help
   */
  void put(Collection<SinkRecord> records) {
    try {
      writer.run();
      awaitRoom();
      if (!records.isEmpty()) {
        openTables(records);
        records.forEach(this::accept);
        writer.run();
      }
    } catch (ItemStoreException.Unavailable e) {
      throw later(e.getMessage(), e);
    } catch (ItemStoreException e) {
      throw new ConnectException(e.getMessage(), e);
    }
    retries.reset();
    planNextLook();
  }

  private void awaitRoom() {
    Instant end = clock.instant().plus(PUT_BOUND);
    while (offsets.inFlight() >= config.maxBuffered()) {
      if (!clock.instant().isBefore(end)) {
        throw later("%d records wait for DynamoDB".formatted(offsets.inFlight()), null);
      }
      await();
    }
  }

  private void await() {
    try {
      writer.await(Duration.ofMillis(NEXT_LOOK_MS));
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private RetriableException later(String reason, Exception cause) {
    context.timeout(retries.next().toMillis());
    return new RetriableException(reason + "; trying again", cause);
  }

  /** Before the first record is taken, so that a table out of reach leaves none half-way. */
  private void openTables(Collection<SinkRecord> records) {
    String last = null;
    for (SinkRecord record : records) {
      if (!record.originalTopic().equals(last)) {
        last = record.originalTopic();
        try {
          tables.of(record);
        } catch (DataException e) {
          LOGGER.debug("No table for topic {}: its records are rejected one by one", last, e);
        }
      }
    }
  }

  private void accept(SinkRecord record) {
    offsets.received(record);
    RowWrite write;
    try {
      write = tables.of(record).write(record);
    } catch (DataException | LayoutException e) {
      errors.reject(record, e.getMessage(), e);
      done(record);
      return;
    }
    writer.add(write);
  }

  /** Connect's flush interval alone would keep the views' freshness at a minute. */
  private void planNextLook() {
    if (uncommitted && !clock.instant().isBefore(committedAt.plus(COMMIT_INTERVAL))) {
      context.requestCommit();
    }
    if (uncommitted || busy()) {
      context.timeout(NEXT_LOOK_MS);
    }
  }

  /** What is durably applied. Never throws: Connect would log that, rewind and go on. */
  Map<TopicPartition, OffsetAndMetadata> committable() {
    writer.settle();
    uncommitted = false;
    committedAt = clock.instant();
    return offsets.committable();
  }

  /** Whether records are taken and not applied yet. */
  boolean busy() {
    return offsets.anyInFlight();
  }

  /** Other tasks have these partitions now: nothing of theirs may be written any more. */
  void revoke(Collection<TopicPartition> partitions) {
    Set<TopicPartition> revoked = new HashSet<>(partitions);
    try {
      writer.revoke(write -> revoked.contains(partition(write.record())), REVOKE_BOUND);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    offsets.forget(revoked);
  }

  private static ConnectException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ConnectException("interrupted while waiting for DynamoDB", e);
  }

  private static TopicPartition partition(SinkRecord record) {
    return new TopicPartition(record.originalTopic(), record.originalKafkaPartition());
  }

  @Override
  public void close() {
    LOGGER.info(
        "Closing; {} rows held off by newer ones, {} records rejected",
        writer.lost(),
        errors.rejected());
    store.close();
  }
}
