package io.indexview.connect.kvstore.source.index;

import io.indexview.connect.kvstore.source.log.ChangeLog.LoggedEvent;
import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.order.Decision;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.OrderGuard;
import java.time.Clock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Folds events of the topic into the index, as the streams app folds them into its state. */
public final class ChangeFolder {
  private static final Logger LOGGER = LoggerFactory.getLogger(ChangeFolder.class);

  private final SourceIndex index;
  private final ChangeEventReader reader;
  private final OrderGuard guard = new OrderGuard();
  private final Clock clock;

  public ChangeFolder(SourceIndex index, ChangeEventReader reader, Clock clock) {
    this.index = index;
    this.reader = reader;
    this.clock = clock;
  }

  /**
   * Folds all events, or none.
   *
   * @param positions of the topic, after the events
   * @throws io.indexview.schemas.registry.RegistryException if the registry failed
   */
  public void fold(List<LoggedEvent> events, Map<Integer, Long> positions) {
    index.change(
        batch -> {
          for (LoggedEvent event : events) {
            fold(batch, event);
          }
          batch.state(index.state().orElseThrow().withPositions(positions));
        });
  }

  private void fold(SourceIndex.Batch batch, LoggedEvent logged) {
    if (logged.key() == null) {
      return;
    }
    Optional<ChangeEvent> event = read(logged);
    if (event.isEmpty()) {
      return;
    }
    Entry entry = batch.row(logged.key()).map(IndexRow::entry).orElse(null);
    Decision decision = guard.decide(entry, event.get(), logged.offset(), clock.millis());
    if (decision.next() != null) {
      batch.put(logged.key(), decision.next());
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
}
