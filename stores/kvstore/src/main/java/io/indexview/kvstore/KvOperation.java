package io.indexview.kvstore;

import java.util.Objects;
import java.util.Optional;

/**
 * One write, alone ({@link KvStore#write}) or as a step of {@link KvStore#execute}, where a
 * condition that does not hold undoes the whole call.
 */
public sealed interface KvOperation {
  KvKey key();

  /** What a put writes; nothing for a delete. */
  default Optional<byte[]> newValue() {
    return Optional.empty();
  }

  /** Creates or replaces. */
  record Put(KvKey key, byte[] value) implements KvOperation {
    public Put {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(value, "value");
    }

    @Override
    public Optional<byte[]> newValue() {
      return Optional.of(value);
    }
  }

  /** Condition: the key has no record. */
  record PutIfAbsent(KvKey key, byte[] value) implements KvOperation {
    public PutIfAbsent {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(value, "value");
    }

    @Override
    public Optional<byte[]> newValue() {
      return Optional.of(value);
    }
  }

  /** Condition: the key's record has this version. */
  record PutIfVersion(KvKey key, byte[] value, KvVersion expected) implements KvOperation {
    public PutIfVersion {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(value, "value");
      Objects.requireNonNull(expected, "expected");
    }

    @Override
    public Optional<byte[]> newValue() {
      return Optional.of(value);
    }
  }

  /** Unconditional: a missing record is fine. */
  record Delete(KvKey key) implements KvOperation {
    public Delete {
      Objects.requireNonNull(key, "key");
    }
  }

  /** Condition: the key's record has this version. */
  record DeleteIfVersion(KvKey key, KvVersion expected) implements KvOperation {
    public DeleteIfVersion {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(expected, "expected");
    }
  }

  /**
   * What one operation of {@link KvStore#execute} did.
   *
   * @param version what a put gave the record; empty for a delete
   * @param previousVersion of the record that was replaced or removed; empty if there was none
   */
  record KvResult(Optional<KvVersion> version, Optional<KvVersion> previousVersion) {
    public KvResult {
      Objects.requireNonNull(version, "version");
      Objects.requireNonNull(previousVersion, "previousVersion");
    }
  }
}
