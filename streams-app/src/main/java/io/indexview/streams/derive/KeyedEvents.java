package io.indexview.streams.derive;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.EventReader;
import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.PrimaryKeys;
import io.indexview.schemas.change.UnavailableValues;
import io.indexview.schemas.order.Entry;
import io.indexview.streams.error.FailedEvents;
import io.indexview.streams.error.RegistryWait;

/** Reads events with the keys of their records. Not safe for use by several threads. */
final class KeyedEvents {
  private static final int MAX_KEY_BYTES = 64 << 10;

  private final TaskLocation location;
  private final DeriverServices services;
  private final PrimaryKeys keys;
  private final EventReader reader;
  private final UnavailableValues unavailable;

  KeyedEvents(TaskLocation location, DeriverServices services) {
    this.location = location;
    this.services = services;
    this.keys = new PrimaryKeys(services.registry());
    this.reader = services.readers().apply(location);
    this.unavailable = new UnavailableValues(services.registry(), location.format());
  }

  /**
   * An event with the key of its record: in the state, and as text for rows.
   *
   * @param event null: it says nothing, or cannot be read
   * @param unreadable why it cannot be read; null: it can
   * @param mayLackValues whether it has to be {@link #completed}
   */
  record Keyed(
      byte[] stateKey,
      int keySchemaId,
      String primaryKey,
      ChangeEvent event,
      MalformedEventException unreadable,
      boolean mayLackValues) {}

  /** What became of an event; one of both is null, or both are, as it says nothing. */
  private record Reading(ChangeEvent event, MalformedEventException unreadable) {}

  /** See {@link EventReader#encoding}. */
  String encoding() {
    return reader.encoding();
  }

  /**
   * Reads one event. Waits while the registry fails.
   *
   * @throws MalformedEventException if nobody knows which record it changes
   */
  Keyed read(ChangeRecord change) throws MalformedEventException {
    requireKeySize(change);
    Reading reading = reading(() -> reader.read(change.value(), change.timestampMs()).orElse(null));
    if (reading.unreadable != null && reading.unreadable.isOfEveryRecord()) {
      // It may have no key, and says more than that.
      throw reading.unreadable;
    }
    return keyed(change, reading);
  }

  /**
   * Reads what can be read of an event that cannot be processed: no more than its key if reading
   * its value is what fails, and nothing if that of its key is. Waits while the registry fails.
   *
   * @throws MalformedEventException if nobody knows which record it changes
   */
  Keyed readWhatCanBe(ChangeRecord change) throws MalformedEventException {
    try {
      return read(change);
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      if (!FailedEvents.isOfEvent(e)) {
        throw e;
      }
      return readKey(change, new MalformedEventException(failed("value", e), e));
    }
  }

  private Keyed readKey(ChangeRecord change, MalformedEventException unreadable)
      throws MalformedEventException {
    try {
      return keyed(change, new Reading(null, unreadable));
    } catch (RuntimeException | StackOverflowError | AssertionError e) {
      if (!FailedEvents.isOfEvent(e)) {
        throw e;
      }
      throw MalformedEventException.ofEveryRecord(failed("key", e), e);
    }
  }

  private static String failed(String part, Throwable e) {
    return "%s: reading it fails: %s".formatted(part, FailedEvents.describe(e));
  }

  private static void requireKeySize(ChangeRecord change) throws MalformedEventException {
    byte[] key = change.key();
    if (key != null && key.length > MAX_KEY_BYTES) {
      throw new MalformedEventException(
          "key: %d bytes; the state takes keys of up to %d".formatted(key.length, MAX_KEY_BYTES));
    }
  }

  private Keyed keyed(ChangeRecord change, Reading reading) throws MalformedEventException {
    return services
        .registryWait()
        .get(
            () -> {
              byte[] decoded = reader.key(change.key());
              return new Keyed(
                  keys.stateKey(decoded),
                  keys.schemaId(decoded),
                  keys.text(decoded),
                  reading.event,
                  reading.unreadable,
                  reading.event != null && unavailable.mayBeIn(reading.event));
            });
  }

  /**
   * The event with the values that its database left out, which are those of before. Waits while
   * the registry fails.
   *
   * @param before what is known of the record; null: nothing
   */
  Keyed completed(Keyed read, Entry before) {
    String why = whyUnknown(read.event().op(), before);
    FramedValue known = why == null ? before.value() : null;
    Reading reading = reading(() -> unavailable.completed(read.event(), known, why));
    return new Keyed(
        read.stateKey(),
        read.keySchemaId(),
        read.primaryKey(),
        reading.event,
        reading.unreadable,
        false);
  }

  /** Waits while the registry fails. */
  private Reading reading(RegistryWait.Work<ChangeEvent, MalformedEventException> work) {
    try {
      return new Reading(services.registryWait().get(work), null);
    } catch (MalformedEventException e) {
      return new Reading(null, e);
    }
  }

  /** Why nobody knows what a record was before an event, and what helps; null: it is known. */
  private static String whyUnknown(Op op, Entry before) {
    if (op == Op.CREATE) {
      // It has left them out of the record of another key.
      return "the record had it under another key; " + UnavailableValues.HAVE_THEM_SENT;
    }
    if (before == null || before.deleted() && !before.unreadable()) {
      return "what it was is not known here; " + UnavailableValues.HAVE_THEM_SENT;
    }
    boolean lacksValue = !before.deleted() && before.value() == null;
    String tooLarge = ReaderGroup.TOO_LARGE.getMessage();
    if (!before.unreadable()) {
      return lacksValue ? tooLarge : null;
    }
    String unreadable =
        "an event of the record before cannot be read; " + UnavailableValues.HAVE_THEM_SENT;
    // The entry of one that was too large before is the same as of one that was passed over before.
    return lacksValue && !before.isPassedOver() ? unreadable + "; or " + tooLarge : unreadable;
  }

  /** The key of an entry as text, as rows have it. */
  String primaryKey(byte[] stateKey, Entry entry) {
    try {
      return keys.text(PrimaryKeys.key(entry.keySchemaId(), stateKey));
    } catch (MalformedEventException e) {
      throw new IllegalStateException(
          "%s: the state holds a key that no event can have had: %s"
              .formatted(location, e.getMessage()),
          e);
    }
  }
}
