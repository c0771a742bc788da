package io.indexview.streams.derive;

import io.indexview.schemas.change.ChangeEvent;
import io.indexview.schemas.change.ChangeEventReader;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.PrimaryKeys;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.error.RegistryWait;
import java.util.Optional;

/** Reads records of a primary-change topic; waits while the registry fails. */
final class ChangeDecoder {
  private static final int MAX_KEY_BYTES = 64 << 10;

  private final PrimaryKeys keys;
  private final ChangeEventReader reader;
  private final RegistryWait registryWait;

  ChangeDecoder(SchemaRegistry registry, RecordFormat format, RegistryWait registryWait) {
    this.keys = new PrimaryKeys(registry);
    this.reader = new ChangeEventReader(registry, format);
    this.registryWait = registryWait;
  }

  /**
   * @return empty if the record says nothing
   * @throws MalformedEventException if the record can never be read
   */
  Optional<KeyedEvent> decode(ChangeRecord change) throws MalformedEventException {
    byte[] key = change.key();
    if (key != null && key.length > MAX_KEY_BYTES) {
      throw new MalformedEventException(
          "key: %d bytes; the state takes keys of up to %d".formatted(key.length, MAX_KEY_BYTES));
    }
    return registryWait.get(() -> read(key, change));
  }

  private Optional<KeyedEvent> read(byte[] key, ChangeRecord change)
      throws MalformedEventException {
    byte[] stateKey = keys.stateKey(key);
    Optional<ChangeEvent> event = reader.read(change.value(), change.timestampMs());
    return event.isEmpty()
        ? Optional.empty()
        : Optional.of(
            new KeyedEvent(
                stateKey, keys.schemaId(key), keys.text(key), event.get(), change.offset()));
  }
}
