package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.index.ChangeTopicReader.Bounds;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import io.indexview.connect.kvstore.source.SourceSettings.CaptureSettings;
import io.indexview.connect.kvstore.source.SourceSettings.ScanSettings;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.connect.kvstore.source.index.ScannedIndexState.AwaitedSnapshot;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueDecoder;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.source.SourceRecord;

/**
 * A record set source whose every step a simulation decides: polls, the arrival of what it sent,
 * its death. It tells nothing but what it does to its store and its topic.
 */
public final class SteppedSource {
  public static final Duration INTERVAL = Duration.ofSeconds(10);
  public static final Duration RETENTION = Duration.ofDays(15);

  private static final String STATES = "indexview.source-states";
  public static final Duration SCAN_INTERVAL = Duration.ofMinutes(2);
  private static final Duration HEARTBEAT = Duration.ofSeconds(1);
  private static final Duration NO_HEARTBEAT = Duration.ofDays(100_000);

  private final Context context;
  private final FakeTopic topic;
  private Map<String, ?> offset;
  private String incarnation;
  private RecordSetSource source;
  private ChangeFeed feed;
  private final Deque<SourceRecord> unacknowledged = new ArrayDeque<>();
  private final Set<SourceRecord> acknowledged = Collections.newSetFromMap(new IdentityHashMap<>());

  /**
   * What outlives one source.
   *
   * @param store asked for once by each scan, when it begins
   * @param read asked for by each read of single keys that changes name
   * @param changes of the store; null: the source only scans
   * @param requested number of the newest request for an ad-hoc snapshot
   */
  public record Context(
      Supplier<KvStore> store,
      Supplier<KvStore> read,
      Changes changes,
      MaterializedIndex<ScannedIndexState> index,
      SchemaRegistry registry,
      AvroConverter converter,
      LongSupplier requested,
      int batchSize,
      int chunkRows,
      Time clock) {}

  /** Of a store. */
  @FunctionalInterface
  public interface Changes {
    KvChanges open(Optional<KvChangePosition> from);
  }

  /** A source that starts for the first time, on a new topic. */
  public SteppedSource(Context context, FakeTopic topic, String incarnation) {
    this.incarnation = incarnation;
    this.context = context;
    this.topic = topic;
    index(false);
    start();
  }

  private void index(boolean adHocSnapshot) {
    Bounds bounds = topic.bounds();
    context
        .index()
        .reset(
            ScannedIndexState.fresh(
                bounds.topicId(),
                bounds.begins(),
                adHocSnapshot ? new AwaitedSnapshot(context.clock().millis(), "lost") : null));
  }

  private void start() {
    feed = null;
    unacknowledged.clear();
    acknowledged.clear();
    source =
        new RecordSetSource(
            new SourceSettings(
                People.RECORD_SET,
                new SourcePartition("people-store", People.TOPIC, "0", 1),
                STATES,
                "indexview.dead-letters",
                new ScanSettings(
                    incarnation,
                    new ScanPauses(INTERVAL, INTERVAL, 100),
                    1,
                    context.batchSize(),
                    0,
                    0,
                    context.chunkRows()),
                new CaptureSettings(
                    context.changes() == null ? CaptureMode.SCAN : CaptureMode.AUTO,
                    Duration.ZERO,
                    SCAN_INTERVAL),
                context.changes() == null ? NO_HEARTBEAT : HEARTBEAT),
            KvStoreSourceOffset.fromMap(offset),
            new RecordSetStore(
                context.store(),
                new ParallelReads(context.read(), 1),
                this::follow,
                ValueDecoder.of(People.RECORD_SET.values(), context.registry(), context.clock())),
            new MaterializedTopic(
                context::index,
                topic::open,
                new ChangeEventReader(context.registry(), RecordFormat.ENVELOPE),
                new OrderGuard(RETENTION),
                context.clock()),
            changes -> context.requested().getAsLong(),
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 0),
            context.clock());
  }

  private ChangeFeed follow(Optional<KvChangePosition> from) {
    feed =
        new ChangeFeed(
            People.RECORD_SET.name(),
            () -> context.changes().open(from),
            from.isEmpty(),
            new Backoff(Duration.ofMillis(1), Duration.ofMillis(1), () -> 0),
            context.clock(),
            () -> {});
    return feed;
  }

  public List<SourceRecord> poll() {
    List<SourceRecord> records = source.poll();
    unacknowledged.addAll(records);
    return records;
  }

  /** The next changes of the store are named to the source. */
  public void changesCome() {
    if (feed != null && !feed.isUnsupported()) {
      feed.step(Duration.ZERO);
    }
  }

  /** The task dies where it is, and another takes its place. */
  public void die() {
    start();
  }

  /** The task dies and its disk is lost. */
  public void dieWithIndex() {
    index(topic.bounds().begins().values().stream().anyMatch(begin -> begin > 0));
    start();
  }

  /** It starts again with another {@code kvstore.incarnation}. */
  public void dieAs(String newIncarnation) {
    incarnation = newIncarnation;
    start();
  }

  /** What Connect stored is removed while the task is down. */
  public void dieAndForgetOffsets() {
    offset = null;
    start();
  }

  /** Kafka has a record. Connect keeps its offset once Kafka has all that came before it. */
  public void arrive(SourceRecord record) {
    RecordMetadata metadata = append(record);
    acknowledged.add(record);
    while (!unacknowledged.isEmpty() && acknowledged.remove(unacknowledged.peek())) {
      offset = unacknowledged.remove().sourceOffset();
    }
    source.acknowledged(record, metadata);
  }

  /** A record of a task that is dead arrives after all. */
  public void arriveLate(SourceRecord record) {
    append(record);
  }

  private RecordMetadata append(SourceRecord record) {
    int partition = 0;
    long at = 0;
    if (record.topic().equals(People.TOPIC)) {
      byte[] key = record.key().toString().getBytes(StandardCharsets.UTF_8);
      byte[] value =
          context.converter().fromConnectData(People.TOPIC, record.valueSchema(), record.value());
      partition = topic.partition(key);
      at = topic.append(key, value, context.clock().millis());
    }
    return new RecordMetadata(new TopicPartition(record.topic(), partition), at, 0, 0, 0, 0);
  }

  /** The scan that a record tells of; nothing if it is an event, or there was none yet. */
  public static Optional<Scan> scan(SourceRecord record) {
    return record.topic().equals(STATES)
        ? Optional.ofNullable(KvStoreSourceOffset.fromMap(record.sourceOffset()).lastScan())
        : Optional.empty();
  }

  public static boolean isState(SourceRecord record) {
    return record.topic().equals(STATES);
  }
}
