package io.indexview.kvstore;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The version of one record, given by the store with every write. Inside one shard a later write
 * has a higher {@code vlsn}, whatever its key; versions of two shards say nothing about each other.
 * Equal when shard and vlsn are.
 *
 * @param shard the shard that gave it, as text
 * @param vlsn the shard's write counter
 * @param token what the adapter needs to hand the version back to its store; opaque, never changed
 */
public record KvVersion(String shard, long vlsn, byte[] token) {
  public KvVersion {
    Objects.requireNonNull(shard, "shard");
    Objects.requireNonNull(token, "token");
  }

  /** The vlsn as 8 bytes, big-endian: ordered as unsigned bytes. */
  public byte[] vlsnBytes() {
    return ByteBuffer.allocate(Long.BYTES).putLong(vlsn).array();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof KvVersion that && vlsn == that.vlsn && shard.equals(that.shard);
  }

  @Override
  public int hashCode() {
    return 31 * shard.hashCode() + Long.hashCode(vlsn);
  }

  @Override
  public String toString() {
    return shard + ":" + vlsn;
  }
}
