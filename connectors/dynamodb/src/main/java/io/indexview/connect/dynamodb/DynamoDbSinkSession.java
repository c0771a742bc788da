package io.indexview.connect.dynamodb;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.connect.common.errors.TryAgainException;
import io.indexview.connect.common.metadata.InstallationFence;
import io.indexview.connect.common.metadata.MetadataWriter;
import io.indexview.connect.common.metadata.ViewStateChange;
import io.indexview.connect.common.row.ViewTopicControl;
import io.indexview.connect.common.sink.CommittableOffsets;
import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.sink.SessionSinkTask.Session;
import io.indexview.connect.dynamodb.DynamoDbSinkTask.SinkStores;
import io.indexview.connect.dynamodb.write.RowWrite;
import io.indexview.connect.dynamodb.write.RowWriter;
import io.indexview.connect.dynamodb.write.TableLimiters;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.UnexpectedRemoval;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One task at work, on the task's thread alone. Offsets are committed for what is applied. */
final class DynamoDbSinkSession implements Session {
  private static final Logger LOGGER = LoggerFactory.getLogger(DynamoDbSinkSession.class);
  private static final Duration REVOKE_BOUND = Duration.ofSeconds(25);
  private static final Duration COMMIT_INTERVAL = Duration.ofMillis(100);
  private static final Duration NEXT_COMMIT = Duration.ofMillis(250);
  private static final Duration SENDING_BOUND = Duration.ofMillis(20);
  private static final long NEXT_POLL_MS = 10;
  private static final long NEXT_SENDING_MS = 1;

  private final DynamoDbSinkConfig config;
  private final SinkStores stores;
  private final SinkTaskContext context;
  private final Time time;
  private final RecordErrors errors;
  private final Backoff retries;
  private final TableLimiters limiters;
  private final RowWriter writer;
  private final CommittableOffsets offsets = new CommittableOffsets();
  private final CreatedTables created;
  private final WrittenTables written;
  private final GenerationTables tables;
  private final TableWatch watch;
  private final HeldRows held;
  private final RowGate gate;
  private final Backpressure backpressure;
  private final MetadataItems metadataItems;
  private final MetadataWriter metadata;
  private final InstallationFence fence;
  private final RowRemovals removals;
  private final String statesTopic;

  private boolean uncommitted;
  private long committedAt;

  /**
   * @param metrics receives the tables' figures
   * @param checks runs checks that may take long and concern no single row
   */
  DynamoDbSinkSession(
      DynamoDbSinkConfig config,
      SinkStores stores,
      SinkTaskContext context,
      TableLimiters.Listener metrics,
      Executor checks,
      Time time) {
    this.config = config;
    this.stores = stores;
    this.context = context;
    this.time = time;
    this.committedAt = time.nanoTime();
    this.errors = RecordErrors.of(context);
    this.retries = config.backoff();
    this.statesTopic = config.topics().viewStates();
    ItemStore store = stores.repeating();
    MetadataTable table = new MetadataTable(store, config.topics(), config.autoCreate());
    this.created = new CreatedTables(store, table);
    this.written = new WrittenTables(store, table);
    this.tables = new GenerationTables(store, config, table, created, written, time);
    this.watch = new TableWatch(written::loss, checks, time);
    this.held = new HeldRows(config::backoff, time);
    this.backpressure =
        new Backpressure(
            context, config.maxBuffered(), topic -> !isStates(topic), held::holds, time);
    this.metadataItems = new MetadataItems(store, table, tables::prepare);
    this.gate = new RowGate(tables, held, metadataItems::isRetired, new GatedRows());
    this.metadata = new MetadataWriter(metadataItems, Target.DynamoDb.TYPE, time);
    this.fence = new InstallationFence(metadataItems, context, offsets, time);
    this.removals = new RowRemovals("dynamodb-sink", offsets, config::backoff);
    this.limiters =
        new TableLimiters(
            config.maxInFlight(), config.unitsPerSecond(), config::backoff, time, metrics);
    this.writer =
        switch (config.mode()) {
          case CONDITIONAL ->
              RowWriter.conditional(stores.failFast(), limiters, time, new Settling());
          case BATCH -> RowWriter.batch(stores.failFast(), limiters, time, new Settling());
        };
  }

  /** What becomes of rows. */
  private final class Settling implements RowWriter.Settled {
    @Override
    public void applied(RowWrite write) {
      write.forEachRecord(DynamoDbSinkSession.this::done);
    }

    @Override
    public void rejected(RowWrite write, String reason, Throwable cause) {
      errors.reject(write.record(), reason, cause);
      write.forEachRecord(DynamoDbSinkSession.this::done);
    }

    /** A table that was there before a row went to it is either gone, or comes back. */
    @Override
    public Optional<String> tableMissing(RowWrite write) {
      String topic = write.record().originalTopic();
      watch.suspect(topic);
      return tables.loss(topic);
    }
  }

  private void done(SinkRecord record) {
    offsets.done(record);
    uncommitted = true;
  }

  /**
   * Takes records over; they are applied during this call and the next ones.
   *
   * @throws RetriableException if the metadata cannot be written: nothing was taken
   * @throws ConnectException if nothing will work without somebody's help, or a record is of a
   *     newer release
   */
  @Override
  public void put(Collection<SinkRecord> records) {
    gate.beginTurn();
    try {
      writer.run();
      List<SinkRecord> admitted = fence.admit(records);
      applyStates(admitted);
      admitted.forEach(this::accept);
      metadata.heldOff().forEach(LOGGER::warn);
      gate.releaseHeld();
      writer.run();
      settleRemovals();
      watchTables();
      sendOn();
      backpressure.adjust(buffered(), held.size());
      fence.goOn();
    } catch (ItemStoreException.Unavailable e) {
      throw later(e.getMessage(), e);
    } catch (ItemStoreException e) {
      throw new ConnectException(e.getMessage(), e);
    }
    retries.reset();
    planNextCall();
  }

  /** Rows that wait for others' answers follow them at once, not when the worker calls again. */
  private void sendOn() {
    Timer left = new Timer(time);
    left.reset(SENDING_BOUND);
    while (writer.hasUnsent() && !left.isExpired()) {
      await();
    }
  }

  private int buffered() {
    return offsets.inFlight() - removals.pending() - held.size();
  }

  private void await() {
    try {
      writer.await(Duration.ofMillis(NEXT_POLL_MS));
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
  }

  private RetriableException later(String reason, Exception cause) {
    if (retries.failures() == 0) {
      LOGGER.warn("Rows cannot be written now, and will be when they can: {}", reason);
    }
    LOGGER.debug("The failure in full", cause);
    Duration after = retries.next();
    context.timeout(after.toMillis());
    return new TryAgainException(reason + "; trying again", after);
  }

  /**
   * Applies the view states in a batch before its first row is taken, and again if the same records
   * come again.
   */
  private void applyStates(Collection<SinkRecord> records) {
    for (SinkRecord record : records) {
      if (isState(record)) {
        try {
          metadata.apply(ViewStateChange.of(record));
        } catch (RetriableException e) {
          throw later(e.getMessage(), e);
        }
      }
    }
  }

  private boolean isState(SinkRecord record) {
    return isStates(record.originalTopic());
  }

  private boolean isStates(String topic) {
    return statesTopic.equals(topic);
  }

  private void accept(SinkRecord record) {
    offsets.received(record);
    if (isState(record)) {
      done(record);
      return;
    }
    Optional<UnexpectedRemoval> unexpected = ViewTopicControl.unexpected(record);
    if (unexpected.isPresent()) {
      removals.add(record, new UnexpectedItems(stores.repeating(), unexpected.get(), time));
      return;
    }
    Optional<ViewGeneration> retired = ViewTopicControl.retired(record);
    if (retired.isPresent()) {
      removals.add(record, removal(retired.get()));
    } else {
      gate.accept(record);
    }
  }

  private GenerationRemoval removal(ViewGeneration generation) {
    return new GenerationRemoval(
        stores.repeating(),
        generation,
        created,
        written,
        () -> !config.autoCreate() || metadataItems.isShared(generation),
        fence::keeps);
  }

  /** What comes of rows at the gate. */
  private final class GatedRows implements RowGate.Ways {
    @Override
    public void write(RowWrite write) {
      writer.add(write);
    }

    @Override
    public void reject(SinkRecord row, RuntimeException cause) {
      errors.reject(row, cause.getMessage(), cause);
      done(row);
    }

    @Override
    public void drop(SinkRecord row) {
      done(row);
    }
  }

  /**
   * A generation that lost its rows has no record of its own that could say so, and may get none
   * for long: a dead-letter record without a key stands for all its rows, and is never superseded
   * by one.
   */
  private void watchTables() {
    watch
        .check(this::watched)
        .ifPresent(
            loss -> {
              tables.lose(loss.topic(), loss.reason());
              errors.reject(allRows(loss.topic()), loss.reason(), null);
            });
  }

  /**
   * Stands for all rows of a topic in an error report. It has a time, because the worker reports no
   * record without one.
   */
  private SinkRecord allRows(String topic) {
    return new SinkRecord(
        topic, 0, null, null, null, null, -1, time.millis(), TimestampType.CREATE_TIME);
  }

  /** Topics whose tables this task checks; one task checks each. */
  private List<String> watched() {
    return context.assignment().stream()
        .filter(partition -> partition.partition() == 0 && !isStates(partition.topic()))
        .map(TopicPartition::topic)
        .toList();
  }

  private void settleRemovals() {
    for (SinkRecord complete : removals.settle()) {
      if (ViewTopicControl.unexpected(complete).isPresent()) {
        done(complete);
        continue;
      }
      tables.forget(complete.originalTopic());
      watch.forget(complete.originalTopic());
      ViewTopicControl.retired(complete)
          .map(ViewGeneration::storeName)
          .filter(table -> !tables.anyIsIn(table))
          .ifPresent(limiters::forget);
      done(complete);
    }
  }

  /**
   * Connect's flush interval alone would keep the views' freshness at a minute. Commits are asked
   * for also when nothing came: one fails while the sink's group shares its partitions anew, and
   * nobody tells the task. Connect makes none where nothing changed.
   */
  private void planNextCall() {
    Duration interval = uncommitted ? COMMIT_INTERVAL : NEXT_COMMIT;
    if (time.nanoTime() - committedAt >= interval.toNanos()) {
      context.requestCommit();
    }
    context.timeout(nextCallMs());
  }

  private long nextCallMs() {
    if (writer.hasUnsent()) {
      return NEXT_SENDING_MS;
    }
    return uncommitted || busy() ? NEXT_POLL_MS : NEXT_COMMIT.toMillis();
  }

  /**
   * What is durably applied, of what was consumed. Never throws: Connect would log that, rewind and
   * go on.
   */
  @Override
  public Map<TopicPartition, OffsetAndMetadata> committable(
      Map<TopicPartition, OffsetAndMetadata> consumed) {
    writer.settle();
    uncommitted = false;
    committedAt = time.nanoTime();
    return fence.committable(consumed);
  }

  /** Whether records are taken and not applied yet. */
  boolean busy() {
    return offsets.anyInFlight();
  }

  @Override
  public void revoke(Collection<TopicPartition> partitions) {
    Set<TopicPartition> revoked = new HashSet<>(partitions);
    backpressure.forget(revoked);
    metadata.forget();
    fence.forget(revoked);
    removals.giveUp(revoked);
    held.forget(revoked);
    try {
      writer.revoke(
          write -> revoked.contains(CommittableOffsets.partition(write.record())), REVOKE_BOUND);
    } catch (InterruptedException e) {
      throw interrupted(e);
    }
    offsets.forget(revoked);
  }

  private static ConnectException interrupted(InterruptedException e) {
    Thread.currentThread().interrupt();
    return new ConnectException("interrupted while waiting for DynamoDB", e);
  }

  @Override
  public void close() {
    LOGGER.info("Closing; {} records rejected", errors.rejected());
    limiters.close();
    removals.close();
    stores.close();
  }
}
