package io.indexview.kvstore;

/** What a write that was acknowledged survives. */
public enum KvDurability {
  /**
   * Waits until the write is on disk (embedded: fsync, shared by concurrent writes), and on the
   * disks of a majority of replicas.
   */
  SYNC,
  /**
   * Handed to the operating system, and to a majority of replicas: survives the end of the process,
   * not of the machine.
   */
  WRITE_NO_SYNC
}
