package io.indexview.kvstore.oracle;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvDirection;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRange;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import oracle.kv.Consistency;
import oracle.kv.Depth;
import oracle.kv.Direction;
import oracle.kv.Durability;
import oracle.kv.Durability.ReplicaAckPolicy;
import oracle.kv.Durability.SyncPolicy;
import oracle.kv.Key;
import oracle.kv.KeyRange;
import oracle.kv.Value;
import oracle.kv.Version;

/** The port's words in the client's, and back. A shard is named by its group's UUID. */
final class Translation {
  private Translation() {}

  static Key key(KvKey key) {
    return Key.createKey(key.major(), key.minor());
  }

  static KvKey key(Key key) {
    return new KvKey(key.getMajorPath(), key.getMinorPath());
  }

  static KvVersion version(Version version) {
    return new KvVersion(version.getRepGroupUUID().toString(), version.getVLSN());
  }

  static Version version(KvVersion version) {
    try {
      return new Version(UUID.fromString(version.shard()), version.vlsn());
    } catch (IllegalArgumentException e) {
      throw new KvStoreException.Refused(
          "Version %s is not of an Oracle NoSQL store.".formatted(version), e);
    }
  }

  static KvRecord record(Key key, Value value, Version version) {
    return record(key(key), value, version);
  }

  static KvRecord record(KvKey key, Value value, Version version) {
    boolean tableRow = Value.Format.isTableFormat(value.getFormat());
    return new KvRecord(key, value.getValue(), version(version), tableRow);
  }

  static KeyRange range(KvRange range) {
    if (range.isAll()) {
      return null;
    }
    if (range.isPrefix()) {
      return new KeyRange(range.start());
    }
    if (range.start() != null && range.start().equals(range.end())) {
      // The client takes two equal bounds for a prefix. Nothing lies between a component and the
      // same one with U+0001 appended, so this says the one component.
      return new KeyRange(range.start(), true, range.end() + '\u0001', false);
    }
    return new KeyRange(range.start(), range.startInclusive(), range.end(), range.endInclusive());
  }

  static Depth depth(KvSelection selection) {
    return selection.includesParent() ? Depth.PARENT_AND_DESCENDANTS : Depth.DESCENDANTS_ONLY;
  }

  static Direction direction(KvDirection direction) {
    return direction == KvDirection.FORWARD ? Direction.FORWARD : Direction.REVERSE;
  }

  static Consistency consistency(KvConsistency consistency) {
    if (consistency instanceof KvConsistency.AtLeast atLeast) {
      return new Consistency.Version(
          version(atLeast.version()), atLeast.timeout().toMillis(), TimeUnit.MILLISECONDS);
    }
    return consistency == KvConsistency.ABSOLUTE ? Consistency.ABSOLUTE : Consistency.NONE_REQUIRED;
  }

  /**
   * The client's constants have a commit in the memory of the replicas' processes, wherever it is
   * at the master.
   */
  static Durability durability(KvDurability durability) {
    SyncPolicy policy =
        durability == KvDurability.SYNC ? SyncPolicy.SYNC : SyncPolicy.WRITE_NO_SYNC;
    return new Durability(policy, policy, ReplicaAckPolicy.SIMPLE_MAJORITY);
  }
}
