package io.indexview.connect.common.index;

import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import io.indexview.schemas.order.OrderGuard.Decision;
import java.time.Clock;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Materializes events of the topic in an index, as the streams app materializes them in its state.
 * For one thread.
 */
public final class Materializer {
  private static final Logger LOGGER = LoggerFactory.getLogger(Materializer.class);

  private final ChangeEventReader reader;
  private final UnaryOperator<Entry> kept;
  private final OrderGuard guard;
  private final Clock clock;

  /** Receives each event that can be read, before it changes the index. */
  @FunctionalInterface
  public interface Listener {
    /**
     * @param before the entry of the key; null: none
     * @param applied whether the event counts
     */
    void materialized(byte[] key, Entry before, ChangeEvent event, boolean applied);
  }

  /**
   * @param guard with the tombstone retention of the streams app
   * @param kept what the index keeps of an entry after an event that was applied to it
   */
  public Materializer(
      ChangeEventReader reader, OrderGuard guard, UnaryOperator<Entry> kept, Clock clock) {
    this.reader = reader;
    this.guard = guard;
    this.kept = kept;
    this.clock = clock;
  }

  /**
   * Materializes an event. What cannot be read changes nothing here either: the streams app
   * dead-letters it.
   *
   * @throws io.indexview.schemas.registry.RegistryException if the registry failed
   */
  void materialize(MaterializedIndex<?>.Batch batch, LoggedEvent logged, Listener listener) {
    Optional<ChangeEvent> event = logged.key() == null ? Optional.empty() : read(logged);
    if (event.isEmpty()) {
      return;
    }
    Entry entry = batch.entry(logged.key()).orElse(null);
    Decision decision = guard.decide(entry, event.get(), logged.offset(), clock.millis());
    listener.materialized(logged.key(), entry, event.get(), decision.applied());
    if (decision.next() != null) {
      Entry next = decision.applied() ? kept.apply(decision.next()) : decision.next();
      batch.put(logged.key(), next);
    }
  }

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
}
