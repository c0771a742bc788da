package io.indexview.streams.derive;

import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.order.Entry;
import io.indexview.schemas.order.EntryCodec;
import io.indexview.schemas.registry.RegistryException;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.LongUnaryOperator;

/**
 * Folds change events that were processed before once more, and derives nothing. Not safe for use
 * by several threads.
 */
public final class HistoryFold {
  private final ChangeDecoder decoder;
  private final EntryFold fold;

  /**
   * @param maxEntryBytes as for the live events
   * @param positions see {@link EventPositions}, of offsets
   */
  public HistoryFold(
      RecordFormat format,
      DeriverServices services,
      int maxEntryBytes,
      LongUnaryOperator positions) {
    this.decoder = new ChangeDecoder(services.registry(), format, services.registryWait());
    this.fold = new EntryFold(services.guard(), maxEntryBytes, positions);
  }

  /**
   * Folds one event; one that could never be read changes nothing, as when it came. Waits while the
   * registry fails.
   *
   * @param entries the state up to the event
   * @param turned what had become of a key's entry by then without an event
   * @throws MalformedEventException if the event cannot be read for what the registry answers now;
   *     it may have been read when it came
   */
  public void fold(ChangeRecord change, Entries entries, BiFunction<byte[], Entry, Entry> turned)
      throws MalformedEventException {
    Optional<KeyedEvent> event;
    try {
      event = decoder.decode(change);
    } catch (MalformedEventException e) {
      if (e.getCause() instanceof RegistryException) {
        throw e;
      }
      // The dead letter was sent when the event came.
      return;
    }
    event.ifPresent(read -> fold(read, entries, turned));
  }

  private void fold(KeyedEvent read, Entries entries, BiFunction<byte[], Entry, Entry> turned) {
    byte[] stored = entries.get(read.stateKey());
    Entry before = stored == null ? null : turned.apply(read.stateKey(), EntryCodec.decode(stored));
    // Revisions are given to what is put in place, not to the history of it.
    EntryFold.Step step = fold.step(before, read, 0);
    if (step.encoded() != null) {
      entries.put(read.stateKey(), step.encoded());
    }
  }
}
