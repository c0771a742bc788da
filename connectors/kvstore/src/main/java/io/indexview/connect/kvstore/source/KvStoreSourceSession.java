package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.EventSchema;
import io.indexview.connect.common.source.Requests;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.connect.kvstore.config.CaptureFragment;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.connect.kvstore.config.KvStoreSourceConfig;
import io.indexview.connect.kvstore.config.ScanFragment;
import io.indexview.connect.kvstore.source.SourceSettings.CaptureSettings;
import io.indexview.connect.kvstore.source.SourceSettings.ScanSettings;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running task: its record sets, one after the other in each poll, and the store that they share.
 * {@link #close} waits for the poll in progress, which is short; {@link #acknowledged} is for any
 * thread.
 */
public final class KvStoreSourceSession implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(KvStoreSourceSession.class);
  private static final int CHUNK_ROWS = 20_000;

  /** A record set is scanned as a whole. */
  static final String ONLY_PARTITION = "0";

  private final SourcePorts ports;
  private final TaskStore store;
  private final SchemaRegistry registry;
  private final Requests requests;
  private final List<EventSchema> eventSchemas;
  private final List<RecordSetSource> sources;
  private final StopLatch stop = new StopLatch();
  private final ReentrantLock lock = new ReentrantLock();
  private final Semaphore changesCame = new Semaphore(0);
  private boolean closed;

  /**
   * @param recordSets those of this task
   * @param offsets what Connect has stored for a partition; null for nothing
   * @throws ConnectException if a stored offset is malformed, or is of more keys than the record
   *     set has now
   */
  public KvStoreSourceSession(
      KvStoreSourceConfig config,
      List<String> recordSets,
      SourcePorts ports,
      Function<Map<String, String>, Map<String, Object>> offsets,
      Time time) {
    this.ports = ports;
    this.store = new TaskStore(ports::openStore);
    this.registry = ports.openRegistry();
    this.requests = ports.openRequests(registry);
    boolean begun = false;
    try {
      this.eventSchemas = recordSets.stream().map(name -> eventSchema(config, name, time)).toList();
      this.sources =
          recordSets.stream()
              .map(name -> source(config, config.recordSets().recordSet(name), offsets, time))
              .toList();
      begun = true;
    } finally {
      if (!begun) {
        closeAll(List.of(requests, registry));
      }
    }
  }

  private EventSchema eventSchema(KvStoreSourceConfig config, String name, Time time) {
    KvRecordSet recordSet = config.recordSets().recordSet(name);
    return new EventSchema(
        recordSet.topic(), recordSet.schema(), registry, config.retry().backoff(), time);
  }

  private RecordSetSource source(
      KvStoreSourceConfig config,
      KvRecordSet recordSet,
      Function<Map<String, String>, Map<String, Object>> offsets,
      Time time) {
    String sourceName = config.source().name();
    Topics topics = config.source().topics();
    ScanFragment scan = config.scan();
    SourcePartition sourcePartition =
        new SourcePartition(sourceName, recordSet.topic(), ONLY_PARTITION, 1);
    Path directory = scan.indexDir().resolve(sourceName).resolve(recordSet.name());
    CaptureFragment capture = config.capture();
    SourceSettings settings =
        new SourceSettings(
            recordSet,
            sourcePartition,
            topics.sourceStates(),
            topics.deadLetters(),
            new ScanSettings(
                scan.incarnation(),
                new ScanPauses(scan.interval(), scan.maxInterval(), scan.maxTimePercent()),
                scan.concurrency(),
                scan.batchSize(),
                scan.maxRecordsPerSecond(),
                scan.maxBytesPerSecond(),
                CHUNK_ROWS),
            new CaptureSettings(capture.mode(), capture.delay(), capture.scanInterval()),
            config.source().heartbeatInterval());
    MaterializedTopic topic =
        new MaterializedTopic(
            () -> ScannedIndexState.openIndex(directory),
            () -> ports.openReader(recordSet),
            new ChangeEventReader(registry, RecordFormat.ENVELOPE),
            new OrderGuard(scan.tombstoneRetention()),
            time);
    ValueDecoder decoder = ValueDecoder.of(recordSet.values(), registry, time);
    KvStoreSourceOffset offset =
        KvStoreSourceOffset.fromMap(
            offsets.apply(KvStoreSourcePartition.of(sourcePartition).toMap()));
    requireScope(recordSet, offset);
    RecordSetStore recordSetStore =
        new RecordSetStore(
            store,
            new ParallelReads(store, scan.concurrency()),
            from -> follow(config, recordSet, from, time),
            decoder);
    return new RecordSetSource(
        settings, offset, recordSetStore, topic, requests, config.retry().backoff(), time);
  }

  /** Rows of keys that nobody answers for any more would stay as they are, and no rebuild helps. */
  private static void requireScope(KvRecordSet recordSet, KvStoreSourceOffset offset) {
    KeyScope before = offset.lastScan() == null ? null : offset.lastScan().scope().orElse(null);
    if (before != null && !recordSet.scope().includes(before)) {
      throw new ConnectException(
          "record.set.%s.prefix %s%s leaves out keys of topic %s that this source has answered for, %s%s; the views would keep their rows as they are. Set it back, or move the record set to another topic (docs/run.md, Move a record set). If the topic was made anew since, set the offset of this source partition to null (docs/run.md, Resetting offsets)"
              .formatted(
                  recordSet.name(),
                  recordSet.scope().prefix(),
                  minors(recordSet.scope()),
                  recordSet.topic(),
                  before.prefix(),
                  minors(before)));
    }
  }

  private static String minors(KeyScope scope) {
    return scope.minors().isEmpty() ? "" : " with the minor keys " + scope.minors();
  }

  private ChangeFeed follow(
      KvStoreSourceConfig config,
      KvRecordSet recordSet,
      Optional<KvChangePosition> from,
      Time time) {
    return new ChangeFeed(
            recordSet.name(),
            () -> store.get().changes(recordSet.keys(), from),
            from.isEmpty(),
            config.retry().backoff(),
            time,
            changesCame::release)
        .start();
  }

  /** Adds the metrics of its record sets. */
  void addMetrics(PluginMetrics metrics) {
    sources.forEach(source -> ScanMetrics.add(metrics, source.progress()));
  }

  /** Records to send; null if there are none, after a short wait if there is nothing to do. */
  public List<SourceRecord> poll() throws InterruptedException {
    List<SourceRecord> records = work();
    if (!records.isEmpty()) {
      return records;
    }
    Duration idle =
        sources.stream().map(RecordSetSource::idle).min(Duration::compareTo).orElseThrow();
    if (!idle.isZero() && !stop.stopped()) {
      changesCame.tryAcquire(idle.toMillis(), TimeUnit.MILLISECONDS);
      changesCame.drainPermits();
    }
    return null;
  }

  private List<SourceRecord> work() {
    lock.lock();
    try {
      eventSchemas.forEach(EventSchema::register);
      List<SourceRecord> records = new ArrayList<>();
      for (RecordSetSource source : sources) {
        if (!stop.stopped()) {
          records.addAll(source.poll());
        }
      }
      return records;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Kafka has a record that {@link #poll} returned.
   *
   * @param metadata null: it was dropped on the way
   */
  public void acknowledged(SourceRecord record, RecordMetadata metadata) {
    for (RecordSetSource source : sources) {
      if (source.sent(record)) {
        source.acknowledged(record, metadata);
      }
    }
  }

  @Override
  public void close() {
    stop.stop();
    changesCame.release();
    lock.lock();
    try {
      if (!closed) {
        closed = true;
        List<AutoCloseable> resources = new ArrayList<>(sources);
        resources.addAll(List.of(store, requests, registry));
        closeAll(resources);
      }
    } finally {
      lock.unlock();
    }
  }

  private static void closeAll(List<AutoCloseable> resources) {
    for (AutoCloseable resource : resources) {
      try {
        resource.close();
      } catch (Exception e) {
        LOGGER.warn(
            "{} is not closed with its task; what it holds is free when the worker ends",
            resource.getClass().getSimpleName(),
            e);
      }
    }
  }
}
