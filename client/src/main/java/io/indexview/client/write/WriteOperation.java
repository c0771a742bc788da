package io.indexview.client.write;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/** One step of {@link Writer#execute}. A condition that does not hold undoes the whole call. */
public sealed interface WriteOperation {
  KvKey key();

  /** What a put writes; nothing for a delete. */
  Optional<GenericRecord> newRecord();

  /** Creates or replaces. */
  record Put(KvKey key, GenericRecord record) implements WriteOperation {
    public Put {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(record, "record");
    }

    @Override
    public Optional<GenericRecord> newRecord() {
      return Optional.of(record);
    }
  }

  /** Condition: the key has no record. */
  record PutIfAbsent(KvKey key, GenericRecord record) implements WriteOperation {
    public PutIfAbsent {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(record, "record");
    }

    @Override
    public Optional<GenericRecord> newRecord() {
      return Optional.of(record);
    }
  }

  /** Condition: the key's record has this version. */
  record PutIfVersion(KvKey key, GenericRecord record, KvVersion expected)
      implements WriteOperation {
    public PutIfVersion {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(record, "record");
      Objects.requireNonNull(expected, "expected");
    }

    @Override
    public Optional<GenericRecord> newRecord() {
      return Optional.of(record);
    }
  }

  /** Unconditional: a missing record is fine. */
  record Delete(KvKey key) implements WriteOperation {
    public Delete {
      Objects.requireNonNull(key, "key");
    }

    @Override
    public Optional<GenericRecord> newRecord() {
      return Optional.empty();
    }
  }

  /** Condition: the key's record has this version. */
  record DeleteIfVersion(KvKey key, KvVersion expected) implements WriteOperation {
    public DeleteIfVersion {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(expected, "expected");
    }

    @Override
    public Optional<GenericRecord> newRecord() {
      return Optional.empty();
    }
  }
}
