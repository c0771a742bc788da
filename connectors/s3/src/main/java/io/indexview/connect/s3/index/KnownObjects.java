package io.indexview.connect.s3.index;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.record.ChangeTopic;
import io.indexview.connect.s3.record.ChangeTopic.Bounds;
import io.indexview.connect.s3.record.ChangeTopic.LoggedEvent;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Decision;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The whole change topic, all producers, folded as the streams app folds it: what was published of
 * each object. Opened when first used. For one thread.
 */
public final class KnownObjects implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(KnownObjects.class);
  private static final int MARKERS_AT_ONCE = 100;
  private static final Duration FOLD_BOUND = Duration.ofMillis(200);

  /** How old the answer may be which topic there is. */
  private static final Duration TRUSTED = Duration.ofSeconds(10);

  private final Settings settings;
  private final ChangeTopic topic;
  private final SchemaRegistry registry;
  private final ChangeEventReader reader;
  private final FactsReader facts;
  private final Backoff backoff;
  private final Clock clock;
  private final OrderGuard guard = new OrderGuard();

  private ObjectIndex index;
  private boolean connected;
  private Map<Integer, Long> target = Map.of();
  private Instant quietUntil = Instant.MIN;

  /** The last key that was asked whether it is an old delete marker. */
  private String forgottenTo = "";

  /**
   * Where the index is kept, and for how long what.
   *
   * @param directory of this task alone
   * @param markerRetention for how long the streams app keeps delete markers. The index keeps them
   *     twice as long: so what it knows nothing of, the app knows nothing of either
   */
  public record Settings(Path directory, Duration markerRetention) {}

  /**
   * @param topic stays open
   * @param registry closed with this
   */
  public KnownObjects(
      Settings settings, ChangeTopic topic, SchemaRegistry registry, Backoff backoff, Clock clock) {
    this.settings = settings;
    this.topic = topic;
    this.registry = registry;
    this.reader = new ChangeEventReader(registry, RecordFormat.ENVELOPE);
    this.facts = new FactsReader(registry);
    this.backoff = backoff;
    this.clock = clock;
  }

  /** Folds what came, in a bounded time. What is unavailable is tried again by later calls. */
  public void fold() {
    Instant now = clock.instant();
    if (now.isBefore(quietUntil)) {
      return;
    }
    try {
      if (!isOf(now)) {
        return;
      }
      Instant end = now.plus(FOLD_BOUND);
      boolean more = true;
      while (more && clock.instant().isBefore(end)) {
        more = foldBatch();
      }
      forgetMarkers();
      backoff.reset();
    } catch (KafkaException | RegistryException | IndexInUseException e) {
      failed(e, now);
    }
  }

  private void failed(RuntimeException cause, Instant now) {
    if (backoff.failures() == 0) {
      LOGGER.warn(
          "The change topic cannot be folded now, trying again until it can: {}",
          cause.getMessage());
      LOGGER.debug("The first failure", cause);
    }
    connected = false;
    quietUntil = now.plus(backoff.next());
  }

  /** Whether the index is of the topic that there is now. */
  private boolean isOf(Instant now) {
    Optional<String> id = topic.idSince(now.minus(TRUSTED));
    boolean isAnother = id.isPresent() && connected && !id.get().equals(indexed().topicId());
    if (isAnother) {
      connected = false;
    }
    if (!connected && id.isPresent()) {
      connect(id.get());
    }
    return connected;
  }

  private void connect(String id) {
    if (index == null) {
      index = ObjectIndex.open(settings.directory());
    }
    Bounds bounds = topic.bounds();
    Optional<IndexedTopic> known = index.topic();
    if (known.isEmpty() || !continues(known.get(), id, bounds)) {
      begin(id, bounds);
    }
    target = bounds.ends();
    connected = true;
  }

  private static boolean continues(IndexedTopic known, String id, Bounds bounds) {
    return known.topicId().equals(id)
        && known.positions().keySet().equals(bounds.begins().keySet())
        && known.positions().entrySet().stream()
            .allMatch(
                position ->
                    bounds.begins().get(position.getKey()) <= position.getValue()
                        && bounds.ends().get(position.getKey()) >= position.getValue());
  }

  private void begin(String id, Bounds bounds) {
    boolean isTrimmed = bounds.begins().values().stream().anyMatch(begin -> begin > 0);
    LOGGER.info(
        "The index starts anew: index={} topicId={} trimmed={}",
        settings.directory(),
        id,
        isTrimmed);
    index.reset(new IndexedTopic(id, bounds.begins(), isTrimmed ? clock.millis() : 0));
  }

  private boolean foldBatch() {
    ChangeTopic.Batch batch = topic.read(indexed().positions());
    if (!batch.positions().equals(indexed().positions())) {
      index.change(
          changes -> {
            batch.events().forEach(event -> fold(changes, event));
            changes.topic(indexed().withPositions(batch.positions()));
          });
    }
    return !batch.events().isEmpty();
  }

  private void fold(ObjectIndex.Batch changes, LoggedEvent logged) {
    Optional<ChangeEvent> event = logged.key() == null ? Optional.empty() : read(logged);
    if (event.isEmpty()) {
      return;
    }
    String key = new String(logged.key(), StandardCharsets.UTF_8);
    Decision decision =
        guard.decide(changes.entry(key).orElse(null), event.get(), logged.offset(), clock.millis());
    if (decision.next() != null) {
      changes.put(key, decision.applied() ? kept(decision.next()) : decision.next());
    }
  }

  /** Some old ones at each call, of whatever bucket, round and round. */
  private void forgetMarkers() {
    Map<String, Entry> entries = index.range(forgottenTo, "", null, MARKERS_AT_ONCE);
    long forgotten = clock.millis() - 2 * settings.markerRetention().toMillis();
    List<String> old = new ArrayList<>();
    forgottenTo = "";
    for (Map.Entry<String, Entry> each : entries.entrySet()) {
      forgottenTo = entries.size() < MARKERS_AT_ONCE ? "" : each.getKey();
      if (each.getValue().deleted() && each.getValue().timestampMs() < forgotten) {
        old.add(each.getKey());
      }
    }
    if (!old.isEmpty()) {
      index.change(changes -> old.forEach(changes::remove));
    }
  }

  /** What cannot be read changes nothing here either: the streams app dead-letters it. */
  private Optional<ChangeEvent> read(LoggedEvent logged) {
    try {
      return reader.read(logged.value(), logged.timestampMs());
    } catch (MalformedEventException e) {
      LOGGER.debug(
          "Passed over an event that cannot be read: partition={} offset={}",
          logged.partition(),
          logged.offset(),
          e);
      return Optional.empty();
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

  private IndexedTopic indexed() {
    return index.topic().orElseThrow();
  }

  /** Whether everything is folded that was published when the topic was opened. */
  public boolean isCaughtUp() {
    return connected && hasReached(target);
  }

  /**
   * Whether everything before some offsets is folded.
   *
   * @param ends per partition the offset after the last event
   */
  public boolean hasReached(Map<Integer, Long> ends) {
    if (!connected) {
      return false;
    }
    Map<Integer, Long> positions = indexed().positions();
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  /**
   * When the index was begun on a topic that had lost its start, ms since the epoch; 0: it was not.
   */
  public long gapSince() {
    return indexed().gapSince();
  }

  /** Kafka's id of the topic that is folded. Only while {@link #isCaughtUp}. */
  public String topicId() {
    return indexed().topicId();
  }

  /** What was published of one object. Only while {@link #isCaughtUp}. */
  public Known of(String primaryKey) {
    return known(index.entry(primaryKey).orElse(null));
  }

  private Known known(Entry entry) {
    return new Known(entry, gapSince() > 0);
  }

  /**
   * The records there are of a bucket's objects, in the order of a listing.
   *
   * @param after the primary key before the first
   * @param prefix of all primary keys
   * @param last the last primary key; null: to the end of the prefix
   */
  public Slice alive(String after, String prefix, String last, int limit) {
    Map<String, Entry> entries = index.range(after, prefix, last, limit);
    Map<String, Known> alive = new LinkedHashMap<>();
    String end = null;
    for (Map.Entry<String, Entry> each : entries.entrySet()) {
      end = each.getKey();
      if (!each.getValue().deleted()) {
        alive.put(end, known(each.getValue()));
      }
    }
    return new Slice(alive, entries.size() < limit ? null : end);
  }

  /**
   * Some records.
   *
   * @param end the last primary key that was looked at, if there may be more; else null
   */
  public record Slice(Map<String, Known> alive, String end) {}

  /** An object that agrees with what is known was last modified then: so the next look can tell. */
  public void learn(String primaryKey, Known known, ObjectInfo object) {
    Facts seen = Facts.of(object);
    if (!Facts.decode(known.entry().value()).equals(seen)) {
      index.change(changes -> changes.put(primaryKey, with(known.entry(), seen)));
    }
  }

  @Override
  public void close() {
    try (registry) {
      if (index != null) {
        index.close();
      }
    }
  }
}
