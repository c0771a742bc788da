package io.indexview.connect.kvstore.sink;

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
import io.indexview.connect.kvstore.config.KvStoreSinkConfig.WriteMode;
import io.indexview.connect.kvstore.sink.KvRowWriter.Refusal;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.UnexpectedRemoval;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.apache.kafka.connect.sink.SinkTaskContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running sink task. Rows and states of a batch are applied when {@link #put} returns, but for
 * those of slow requests; these and removals of generations go on beside it. Offsets are committed
 * for what is applied. For one thread.
 */
final class KvStoreSinkSession implements Session {
  private static final Logger LOGGER = LoggerFactory.getLogger(KvStoreSinkSession.class);
  private static final long NEXT_POLL_MS = 10;

  /** When a commit is tried again that failed while the group shared its partitions anew. */
  private static final long NEXT_COMMIT_MS = 250;

  private final SinkTaskContext context;
  private final Settings settings;
  private final Time time;
  private final RecordErrors errors;
  private final RowMapper mapper;
  private final FencedRows fenced;
  private final KvRowWriter writer;
  private final MetadataWriter metadata;
  private final InstallationFence fence;
  private final CommittableOffsets offsets = new CommittableOffsets();
  private final RowRemovals removals;
  private final TombstoneRemovals tombstones;
  private final Backoff backoff;
  private final Supplier<KvStore> opener;

  /** Records of slow requests that failed. */
  private final List<SinkRecord> again = new ArrayList<>();

  /** Newer changes of rows that slow requests write. */
  private final List<KvRowWrite> deferred = new ArrayList<>();

  private KvStore store;

  /**
   * How a task works.
   *
   * @param concurrency requests at once
   * @param minInBulk how many rows are put in bulk
   * @param slow how long a batch waits for a request that may be left, if not as many as it may
   *     have at once are left already
   * @param maxValueBytes that the value of a row may take
   * @param writtenBytes that the task may take to remember what it wrote
   * @param statesTopic where the states of views come from
   * @param metadataPrefixes where metadata is looked for
   */
  record Settings(
      WriteMode mode,
      int concurrency,
      int minInBulk,
      Duration slow,
      int maxValueBytes,
      long writtenBytes,
      TombstoneRemovals.Settings tombstones,
      Supplier<Backoff> backoffs,
      String statesTopic,
      List<String> metadataPrefixes) {}

  /**
   * @param opener opens the store when the first batch comes
   */
  KvStoreSinkSession(
      SinkTaskContext context, Supplier<KvStore> opener, Settings settings, Time time) {
    this.context = context;
    this.settings = settings;
    this.time = time;
    this.errors = RecordErrors.of(context);
    this.opener = opener;
    this.backoff = settings.backoffs().get();
    this.mapper = new RowMapper(settings.mode(), settings.maxValueBytes());
    this.fenced =
        new FencedRows(
            settings.tombstones().retention(),
            settings.maxValueBytes(),
            new WrittenRecords(settings.writtenBytes()),
            settings.backoffs());
    this.writer = new KvRowWriter(this::store, settings, fenced, time);
    KvMetadataStore metadataStore = new KvMetadataStore(this::store, settings.metadataPrefixes());
    this.metadata = new MetadataWriter(metadataStore, Target.Kv.TYPE, time);
    this.fence = new InstallationFence(metadataStore, context, offsets, time);
    this.removals = new RowRemovals("kvstore-sink", offsets, settings.backoffs());
    this.tombstones =
        new TombstoneRemovals(
            settings.tombstones(), mapper::leavesTombstones, settings.metadataPrefixes(), time);
  }

  private long tombstonesFrom() {
    return time.instant().minus(settings.tombstones().retention()).toEpochMilli();
  }

  private KvStore store() {
    if (store == null) {
      store = opener.get();
    }
    return store;
  }

  /**
   * Applies a batch, and goes on with removals of generations and of old tombstones.
   *
   * @throws RetriableException if the store is not available: the same batch comes again after a
   *     backoff
   * @throws DataException if a row is refused and there is no dead-letter topic, or a record is of
   *     a newer release
   */
  @Override
  public void put(Collection<SinkRecord> records) {
    List<SinkRecord> admitted = admit(records);
    admitted.forEach(offsets::received);
    Batch batch = new Batch(again, deferred, admitted);
    takeAnswered();
    if (!mayLeave(batch) || !SlowRequests.fits(batch.ofSlowRequests())) {
      writer.slowRequests().await();
      takeAnswered();
    }
    if (!batch.records.isEmpty()) {
      apply(batch);
    }
    metadata.heldOff().forEach(LOGGER::warn);
    tombstones.settle(this::store, context.assignment());
    List<SinkRecord> complete = removals.settle();
    complete.forEach(offsets::done);
    fence.goOn();
    // Also when nothing came: a commit fails while the sink's group shares its partitions anew, and
    // nobody tells the task. Connect makes none where nothing changed.
    context.requestCommit();
    boolean isUnderWay = removals.pending() > 0 || !writer.slowRequests().isEmpty();
    context.timeout(isUnderWay ? NEXT_POLL_MS : NEXT_COMMIT_MS);
  }

  private List<SinkRecord> admit(Collection<SinkRecord> records) {
    try {
      return fence.admit(records);
    } catch (KvStoreException.Unavailable e) {
      throw later("the store is not available: " + e.getMessage(), e);
    }
  }

  private void takeAnswered() {
    KvStoreException.Unavailable failure = null;
    for (SlowRequests.Request request : writer.slowRequests().takeAnswered()) {
      try {
        for (Refusal refusal : request.refusals()) {
          errors.reject(refusal.write().record(), refusal.cause().getMessage(), refusal.cause());
        }
        request.records().forEach(offsets::done);
      } catch (KvStoreException.Unavailable e) {
        // Without records it is of a batch that comes again anyway.
        again.addAll(request.records());
        failure = failure == null && !request.records().isEmpty() ? e : failure;
      }
    }
    if (failure != null) {
      throw later("the store is not available: " + failure.getMessage(), failure);
    }
  }

  private void apply(Batch batch) {
    List<KvRowWrite> newer = batch.takeOfSlowRequests();
    write(batch);
    again.clear();
    deferred.clear();
    deferred.addAll(newer);
    // Not before: a batch that is not applied comes again, with what is rejected in it.
    for (Rejection rejection : batch.rejections) {
      errors.reject(rejection.record(), rejection.cause().getMessage(), rejection.cause());
    }
    Set<SinkRecord> inFlight = batch.inFlight();
    deferred.forEach(row -> inFlight.add(row.record()));
    for (SinkRecord record : batch.records) {
      if (!batch.removals.containsKey(record) && !inFlight.contains(record)) {
        offsets.done(record);
      }
    }
    batch.removals.forEach((record, removal) -> removals.add(record, removal.apply(store())));
    LOGGER.debug(
        "Applied a batch: records={} inFlight={} overtaken={} heldOffSoFar={} rejectedSoFar={}",
        batch.records.size(),
        inFlight.size(),
        batch.newest.overtaken(),
        writer.heldOff(),
        errors.rejected());
  }

  private void write(Batch batch) {
    try {
      for (Refusal refusal : writer.write(batch.newest.operations(), mayLeave(batch))) {
        batch.rejections.add(new Rejection(refusal.write().record(), refusal.cause()));
      }
      batch.states.forEach(metadata::apply);
      if (backoff.failures() > 0) {
        LOGGER.info("Rows are written again: tries={}", backoff.failures() + 1);
      }
      backoff.reset();
    } catch (KvStoreException.Unavailable e) {
      throw later("the store is not available: " + e.getMessage(), e);
    } catch (RetriableException e) {
      throw later(e.getMessage(), e);
    }
  }

  /**
   * Nothing is left before states, nor while the store does not answer: then all that came would be
   * in flight. Nor is anything deferred then.
   */
  private boolean mayLeave(Batch batch) {
    return batch.states.isEmpty() && again.isEmpty() && backoff.failures() == 0;
  }

  private RetriableException later(String reason, Exception cause) {
    if (backoff.failures() == 0) {
      LOGGER.warn("Rows cannot be written now, and will be when they can: {}", reason);
    }
    LOGGER.debug("The failure in full", cause);
    Duration after = backoff.next();
    context.timeout(after.toMillis());
    return new TryAgainException(reason, after);
  }

  /** What is durably applied, of what was consumed. */
  @Override
  public Map<TopicPartition, OffsetAndMetadata> committable(
      Map<TopicPartition, OffsetAndMetadata> consumed) {
    return fence.committable(consumed);
  }

  @Override
  public void revoke(Collection<TopicPartition> partitions) {
    removals.giveUp(partitions);
    writer.slowRequests().revoke(partitions);
    again.removeIf(record -> partitions.contains(CommittableOffsets.partition(record)));
    deferred.removeIf(row -> partitions.contains(CommittableOffsets.partition(row.record())));
    offsets.forget(partitions);
    fenced.forgetWritten();
    metadata.forget();
    fence.forget(partitions);
  }

  @Override
  public void close() {
    tombstones.close();
    removals.close();
    writer.close();
    if (store != null) {
      store.close();
      store = null;
    }
  }

  /** A batch by what its records are. */
  private final class Batch {
    private final List<SinkRecord> records = new ArrayList<>();
    private final NewestByKey<KvRowWrite.Id, KvRowWrite> newest = new NewestByKey<>(KvRowWrite::id);
    private final List<KvRowWrite> rows = new ArrayList<>();
    private final List<ViewStateChange> states = new ArrayList<>();
    private final Map<SinkRecord, Function<KvStore, RowRemovals.Removal>> removals =
        new LinkedHashMap<>();
    private final List<Rejection> rejections = new ArrayList<>();

    private Batch(
        Collection<SinkRecord> again,
        Collection<KvRowWrite> deferred,
        Collection<SinkRecord> arrived) {
      again.forEach(this::add);
      deferred.forEach(row -> records.add(row.record()));
      rows.addAll(deferred);
      arrived.forEach(this::add);
    }

    private void add(SinkRecord record) {
      records.add(record);
      if (settings.statesTopic().equals(record.originalTopic())) {
        states.add(ViewStateChange.of(record));
        return;
      }
      Optional<UnexpectedRemoval> unexpected = ViewTopicControl.unexpected(record);
      Optional<ViewGeneration> retired = ViewTopicControl.retired(record);
      if (unexpected.isPresent()) {
        removals.put(
            record,
            opened ->
                new UnexpectedRecords(
                    opened, unexpected.get(), KvStoreSinkSession.this::tombstonesFrom));
      } else if (retired.isPresent()) {
        removals.put(
            record,
            opened ->
                new GenerationRemoval(opened, retired.get(), settings.concurrency(), fence::keeps));
      } else {
        addRow(record);
      }
    }

    private void addRow(SinkRecord record) {
      try {
        rows.add(mapper.map(record));
      } catch (DataException
          | LayoutException
          | KvStoreException.Refused
          | IllegalArgumentException e) {
        rejections.add(new Rejection(record, e));
      }
    }

    private List<KvRowWrite> ofSlowRequests() {
      return rows.stream().filter(writer.slowRequests()::isOf).toList();
    }

    /** Leaves newer changes of what is in flight to a later batch. */
    private List<KvRowWrite> takeOfSlowRequests() {
      List<KvRowWrite> newer = ofSlowRequests();
      rows.removeIf(writer.slowRequests()::isOf);
      rows.forEach(newest::add);
      return newer;
    }

    /** Records whose rows are not written yet. */
    private Set<SinkRecord> inFlight() {
      Set<SinkRecord> records = Collections.newSetFromMap(new IdentityHashMap<>());
      for (KvRowWrite row : rows) {
        if (writer.slowRequests().add(row)) {
          records.add(row.record());
        }
      }
      return records;
    }
  }

  /** A record that cannot be applied, and why. */
  private record Rejection(SinkRecord record, RuntimeException cause) {}

  /**
   * The newest operation of each key of a batch. Kafka's order within a partition is the order of a
   * row's changes, so the last one in the batch is the newest.
   */
  static final class NewestByKey<K, T> {
    private final Map<K, T> newest = new LinkedHashMap<>();
    private final Function<? super T, ? extends K> key;
    private long overtaken;

    /**
     * @param key the full key of the row that an operation changes
     */
    public NewestByKey(Function<? super T, ? extends K> key) {
      this.key = key;
    }

    public void add(T operation) {
      if (newest.put(key.apply(operation), operation) != null) {
        overtaken++;
      }
    }

    /** The newest operations, in the order in which their keys came first. */
    public Collection<T> operations() {
      return newest.values();
    }

    /** Operations that a newer one of the same key replaced. */
    public long overtaken() {
      return overtaken;
    }
  }
}
