package io.indexview.connect.s3.index;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.connect.common.index.IndexedTopic;
import io.indexview.connect.common.index.IndexedTopic.IndexState;
import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.common.index.MaterializedIndex.IndexInUseException;
import io.indexview.connect.common.index.MaterializedIndex.IndexRow;
import io.indexview.connect.common.index.Materializer;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole change topic, all producers, materialized as the streams app materializes it: what was
 * published of each object. Opened when first used. For one thread.
 */
public final class KnownObjects implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(KnownObjects.class);
  private static final int TOMBSTONES_AT_ONCE = 100;
  private static final Duration READ_WAIT = Duration.ofMillis(5);
  private static final Duration MATERIALIZE_BOUND = Duration.ofMillis(200);

  private final Settings settings;
  private final SchemaRegistry registry;
  private final Facts.Reader facts;
  private final RetryTimer retry;
  private final Time time;
  private final IndexedTopic<ObjectIndexState> indexed;
  private String lastFailure;

  /** The last key that was asked whether it is an old tombstone; null: none, or all were. */
  private byte[] forgottenTo;

  /**
   * Where the index is kept, and for how long what.
   *
   * @param directory of this task alone
   * @param tombstoneRetention for how long the streams app keeps tombstones. The index keeps them
   *     twice as long: so what it knows nothing of, the app knows nothing of either
   */
  public record Settings(Path directory, Duration tombstoneRetention) {}

  /**
   * @param topic stays open
   * @param registry closed with this
   */
  public KnownObjects(
      Settings settings, ChangeTopic topic, SchemaRegistry registry, Backoff backoff, Time time) {
    this.settings = settings;
    this.registry = registry;
    this.facts = new Facts.Reader(registry);
    this.retry = new RetryTimer(backoff, time);
    this.time = time;
    this.indexed =
        new IndexedTopic<>(
            () -> MaterializedIndex.open(settings.directory(), ObjectIndexState.class),
            topic::reader,
            new Materializer(
                new ChangeEventReader(registry, RecordFormat.ENVELOPE),
                new OrderGuard(settings.tombstoneRetention()),
                this::kept,
                time),
            (bounds, trimmed, again) ->
                new ObjectIndexState(
                    bounds.topicId(), bounds.begins(), trimmed ? time.millis() : 0),
            time);
  }

  /**
   * Materializes what came, in a bounded time. What is unavailable is tried again by later calls.
   */
  public void materialize() {
    if (!retry.isDue()) {
      return;
    }
    try {
      // To follow it waits for the brokers, which may not answer.
      if (!indexed.isConnected() && indexed.currentId().isEmpty()) {
        return;
      }
      Timer left = new Timer(time);
      left.reset(MATERIALIZE_BOUND);
      boolean more = true;
      while (more && !left.isExpired()) {
        more = indexed.materialize(isCaughtUp() ? Duration.ZERO : READ_WAIT);
      }
      forgetTombstones();
      retry.succeeded();
    } catch (KafkaException | RegistryException | IndexInUseException e) {
      failed(e);
    }
  }

  private void failed(RuntimeException cause) {
    lastFailure = cause.getMessage();
    if (retry.failed()) {
      LOGGER.warn(
          "The change topic cannot be materialized now, trying again until it can: {}",
          cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    indexed.disconnect();
  }

  /** Why the topic could not be materialized for so long, for people; empty: it could. */
  public Optional<String> outage(Duration length) {
    return retry.hasFailedFor(length) ? Optional.ofNullable(lastFailure) : Optional.empty();
  }

  /** Removes some old tombstones at each call, of all buckets, in turn. */
  private void forgetTombstones() {
    List<IndexRow> rows = indexed.index().rowsAfter(forgottenTo, TOMBSTONES_AT_ONCE);
    long forgotten = time.millis() - 2 * settings.tombstoneRetention().toMillis();
    forgottenTo = rows.size() < TOMBSTONES_AT_ONCE ? null : rows.get(rows.size() - 1).key();
    List<byte[]> old =
        rows.stream()
            .filter(row -> row.entry().deleted() && row.entry().timestampMs() < forgotten)
            .map(IndexRow::key)
            .toList();
    if (!old.isEmpty()) {
      indexed.index().change(changes -> old.forEach(changes::remove));
    }
  }

  private Entry kept(Entry entry) {
    return entry.value() == null ? entry : with(entry, facts.read(entry.value()));
  }

  private static Entry with(Entry entry, Facts facts) {
    FramedValue value = facts.encode();
    return new Entry(
        entry.version(),
        entry.deleted(),
        entry.left(),
        entry.revision(),
        entry.offset(),
        entry.timestampMs(),
        value);
  }

  /** Whether the topic is followed, and all is materialized that it held when that began. */
  public boolean isCaughtUp() {
    return indexed.isCaughtUp();
  }

  /**
   * Takes the topic as it is at this moment: if it is another one, the index is begun anew. Waits
   * for the brokers. Only while {@link #isCaughtUp}, which it no longer is if the index begins anew
   * or partitions were added.
   *
   * @return where each partition ends
   * @throws KafkaException if the brokers do not answer
   */
  public Map<Integer, Long> follow() {
    return indexed.follow().ends();
  }

  /**
   * Whether everything before some offsets is materialized.
   *
   * @param ends per partition the offset after the last event
   */
  public boolean hasReached(Map<Integer, Long> ends) {
    return indexed.isConnected() && indexed.hasReached(ends);
  }

  /**
   * When the index was begun on a topic that had lost its start, ms since the epoch; 0: it was not.
   */
  public long gapSince() {
    return indexed.state().gapSince();
  }

  /** Kafka's id of the topic that was materialized last. Once it was {@link #isCaughtUp}. */
  public String topicId() {
    return indexed.state().topicId();
  }

  /** What was published of one object. Only while {@link #isCaughtUp}. */
  public Known of(String primaryKey) {
    return known(indexed.index().entry(bytes(primaryKey)).orElse(null));
  }

  private Known known(Entry entry) {
    return new Known(entry, gapSince() > 0);
  }

  /**
   * What was published of a bucket's objects, deletions included, in the order of a listing.
   *
   * @param after the primary key before the first
   * @param prefix of all primary keys
   * @param last the last primary key; null: to the end of the prefix
   */
  public Chunk after(String after, String prefix, String last, int limit) {
    List<IndexRow> rows = indexed.index().rowsAfter(bytes(after), limit);
    Map<String, Known> objects = new LinkedHashMap<>();
    for (IndexRow row : rows) {
      String key = text(row);
      if (!key.startsWith(prefix) || isPast(row.key(), last)) {
        return new Chunk(objects, null);
      }
      objects.put(key, known(row.entry()));
    }
    return new Chunk(objects, rows.size() < limit ? null : text(rows.get(rows.size() - 1)));
  }

  private static boolean isPast(byte[] key, String last) {
    return last != null && Arrays.compareUnsigned(key, bytes(last)) > 0;
  }

  private static byte[] bytes(String primaryKey) {
    return primaryKey.getBytes(StandardCharsets.UTF_8);
  }

  private static String text(IndexRow row) {
    return new String(row.key(), StandardCharsets.UTF_8);
  }

  /**
   * A chunk of objects, by primary key.
   *
   * @param end the last primary key, if there may be more; else null
   */
  public record Chunk(Map<String, Known> objects, String end) {}

  /** An object that agrees with what is known was last modified then: so the next read can tell. */
  public void learn(String primaryKey, Known known, ObjectInfo object) {
    Facts seen = Facts.of(object);
    if (!Facts.decode(known.entry().value()).equals(seen)) {
      Entry entry = with(known.entry(), seen);
      indexed.index().change(changes -> changes.put(bytes(primaryKey), entry));
    }
  }

  @Override
  public void close() {
    try (registry) {
      indexed.close();
    }
  }

  /**
   * What the index of objects knows beside its rows.
   *
   * @param topicId Kafka's id of the topic that was materialized
   * @param positions offset to materialize next, per partition
   * @param gapSince ms since the epoch: the topic did not begin at offset 0 when the index was
   *     begun then, so it holds no word of what was published before; 0: nothing is missing
   */
  private record ObjectIndexState(String topicId, Map<Integer, Long> positions, long gapSince)
      implements IndexState<ObjectIndexState> {
    ObjectIndexState {
      Objects.requireNonNull(topicId, "topicId");
      positions = Map.copyOf(positions);
    }

    @Override
    public ObjectIndexState withPositions(Map<Integer, Long> next) {
      return new ObjectIndexState(topicId, next, gapSince);
    }
  }
}
