package io.indexview.connect.common.index;

import io.indexview.connect.common.index.ChangeTopicReader.Bounds;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException;
import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import io.indexview.connect.common.index.IndexedTopic.IndexState;
import io.indexview.connect.common.index.MaterializedIndex.IndexInUseException;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A primary-change topic and the index that it is materialized in, kept in step. Opens the index
 * when first used, so that one which is in use can be tried again. After a failure, {@link
 * #disconnect}. For one thread.
 *
 * @param <S> what the index knows beside its rows
 */
public final class IndexedTopic<S extends IndexState<S>> implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(IndexedTopic.class);

  private final Supplier<MaterializedIndex<S>> openIndex;
  private final Supplier<ChangeTopicReader> log;
  private final Materializer materializer;
  private final Beginning<S> beginning;
  private final CurrentTopic current;
  private MaterializedIndex<S> index;
  private boolean connected;

  /** Where the topic ended then; a busy one would never be caught up with where it ends now. */
  private Map<Integer, Long> ends = Map.of();

  /** What an index knows that has no row yet. */
  @FunctionalInterface
  public interface Beginning<S> {
    /**
     * The state of an index that begins at the begins of the bounds.
     *
     * @param trimmed the topic has lost its first events
     * @param again there was an index before, of another topic or with a gap
     */
    S state(Bounds bounds, boolean trimmed, boolean again);
  }

  /**
   * @param log the same each time; stays open
   */
  public IndexedTopic(
      Supplier<MaterializedIndex<S>> openIndex,
      Supplier<ChangeTopicReader> log,
      Materializer materializer,
      Beginning<S> beginning,
      Time time) {
    this.openIndex = openIndex;
    this.log = log;
    this.materializer = materializer;
    this.beginning = beginning;
    this.current = new CurrentTopic(moment -> log.get().idSince(moment), time);
  }

  /**
   * Takes the topic as it is now: starts the index anew if two answers agree that it is another
   * one, or no longer holds what comes next; goes on with it if it does, partitions that were added
   * since included.
   *
   * @return what the topic holds
   * @throws ChangeTopicException if the topic cannot be read now, the broker that was asked does
   *     not know yet of all its partitions, or two answers differ
   * @throws IndexInUseException if somebody else has the index
   */
  public Bounds follow() {
    if (index == null) {
      index = openIndex.get();
    }
    Bounds bounds = log.get().bounds();
    Optional<S> known = index.state();
    if (known.isEmpty() || !continues(known.get(), bounds)) {
      begin(known.isEmpty() ? bounds : confirmed(known.get(), bounds));
      connected = false;
    } else if (!known.get().positions().keySet().containsAll(bounds.begins().keySet())) {
      addPartitions(bounds);
      connected = false;
    }
    if (!connected) {
      current.forget();
      ends = bounds.ends();
      log.get().seek(state().positions());
      connected = true;
    }
    return bounds;
  }

  /** A broker that lags behind may know the topic of before, or an earlier end. */
  private Bounds confirmed(S known, Bounds first) {
    Bounds second = log.get().bounds();
    if (!second.topicId().equals(first.topicId()) || continues(known, second)) {
      throw new ChangeTopicException(
          "the brokers do not agree yet which change topic there is, or what it holds", null);
    }
    return second;
  }

  private static boolean continues(IndexState<?> known, Bounds bounds) {
    if (!known.topicId().equals(bounds.topicId())) {
      return false;
    }
    if (!bounds.begins().keySet().containsAll(known.positions().keySet())) {
      // A topic never loses partitions.
      throw new ChangeTopicException(
          "the broker that was asked does not know every partition of the change topic that the index has; if it stays so, the brokers were set back: remove the files in index.dir, and restart the connector",
          null);
    }
    return bounds.begins().keySet().stream()
        .allMatch(
            partition -> {
              long next = known.positions().getOrDefault(partition, 0L);
              return bounds.begins().get(partition) <= next && bounds.ends().get(partition) >= next;
            });
  }

  private void begin(Bounds bounds) {
    boolean trimmed = bounds.begins().values().stream().anyMatch(begin -> begin > 0);
    boolean again = index.state().isPresent();
    LOGGER.info(
        "The index starts anew: index={} topicId={} trimmed={} again={}",
        index.directory(),
        bounds.topicId(),
        trimmed,
        again);
    index.reset(beginning.state(bounds, trimmed, again));
  }

  private void addPartitions(Bounds bounds) {
    Map<Integer, Long> positions = new HashMap<>(bounds.begins());
    positions.putAll(state().positions());
    index.change(batch -> batch.state(state().withPositions(positions)));
  }

  /**
   * Kafka's id of the topic now, see {@link CurrentTopic#id}, and not of before the topic was
   * followed.
   */
  public Optional<String> currentId() {
    return current.id();
  }

  /** The consumer would notice only if the other one does not hold its position. */
  private boolean isAnother() {
    Optional<String> id = currentId();
    return id.isPresent() && !id.get().equals(state().topicId());
  }

  /** See {@link #materialize(Duration, Materializer.Listener, UnaryOperator)}; nobody listens. */
  public boolean materialize(Duration wait) {
    return materialize(wait, (key, before, event, applied) -> {}, UnaryOperator.identity());
  }

  /**
   * Materializes the next events, if any came. A topic that was created again is followed anew once
   * {@link #currentId} says so, see {@link #follow}, but not while the brokers do not say which one
   * there is.
   *
   * @param wait at the most for the first
   * @param noted what the index is to know once the listener has heard of these events, changed
   *     together with it
   * @return whether events came
   * @throws ChangeTopicException if the topic cannot be read now
   * @throws io.indexview.schemas.registry.RegistryException if the registry failed
   * @throws IndexInUseException if somebody else has the index
   */
  public boolean materialize(
      Duration wait, Materializer.Listener listener, UnaryOperator<S> noted) {
    if (connected && isAnother()) {
      disconnect();
    }
    if (!connected) {
      follow();
    }
    List<LoggedEvent> events = log.get().poll(wait);
    Map<Integer, Long> positions = log.get().positions();
    if (!positions.equals(state().positions())) {
      index.change(
          batch -> {
            events.forEach(event -> materializer.materialize(batch, event, listener));
            batch.state(noted.apply(state().withPositions(positions)));
          });
    }
    return !events.isEmpty();
  }

  /** The topic is followed anew from where the index is, the next time. */
  public void disconnect() {
    connected = false;
  }

  public boolean isConnected() {
    return connected;
  }

  /** Whether the topic is followed, and all is materialized that it held when that began. */
  public boolean isCaughtUp() {
    return connected && hasReached(ends);
  }

  /**
   * Whether everything before some offsets is materialized. A partition that was not there when the
   * topic was followed is from the next {@link #materialize} on.
   *
   * @param ends per partition the offset after the last event
   */
  public boolean hasReached(Map<Integer, Long> ends) {
    Map<Integer, Long> positions = state().positions();
    if (!positions.keySet().containsAll(ends.keySet())) {
      disconnect();
    }
    return ends.entrySet().stream()
        .allMatch(end -> positions.getOrDefault(end.getKey(), 0L) >= end.getValue());
  }

  /** What is known of the topic; once it was followed. */
  public S state() {
    return index.state().orElseThrow();
  }

  /** What the topic is materialized in; once it was followed. */
  public MaterializedIndex<S> index() {
    return index;
  }

  @Override
  public void close() {
    if (index != null) {
      index.close();
    }
  }

  /**
   * What an index knows beside its rows. Kept as JSON, so a record of what Jackson reads and
   * writes.
   *
   * @param <S> the implementing type
   */
  public interface IndexState<S extends IndexState<S>> {
    /** Kafka's id of the topic that was materialized. */
    String topicId();

    /** Offset to materialize next, per partition. */
    Map<Integer, Long> positions();

    /** Returns a copy with later positions. */
    S withPositions(Map<Integer, Long> next);
  }
}
