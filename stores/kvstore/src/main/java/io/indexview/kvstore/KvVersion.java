package io.indexview.kvstore;

import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * The version of one record, given by the store with every write. Inside one shard a later write
 * has a higher {@code vlsn}, whatever its key; versions of two shards say nothing about each other.
 * A record that the store moves to another shard has another version there, though nobody wrote it.
 *
 * @param shard the shard that gave it, as text
 * @param vlsn the shard's write counter
 */
public record KvVersion(String shard, long vlsn) {
  public KvVersion {
    Objects.requireNonNull(shard, "shard");
  }

  /** The vlsn as 8 bytes, big-endian: ordered as unsigned bytes. */
  public byte[] vlsnBytes() {
    return ByteBuffer.allocate(Long.BYTES).putLong(vlsn).array();
  }

  /**
   * What the vlsn counts in, for those who compare versions beyond one store's life.
   *
   * @param incarnation of the store, changed after a restore from a backup
   */
  public String epoch(String incarnation) {
    return incarnation + "/" + shard;
  }

  @Override
  public String toString() {
    return shard + ":" + vlsn;
  }
}
