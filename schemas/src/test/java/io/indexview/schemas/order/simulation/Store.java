package io.indexview.schemas.order.simulation;

import io.indexview.schemas.change.SourceVersion;

/**
 * One key in a store of two shards, each with a clock of its own.
 *
 * @param record null: the store has no such key
 * @param clockA last sequence that shard A gave
 */
record Store(Stored record, boolean inA, int clockA, int clockB, int puts) {
  static final Store EMPTY = new Store(null, true, 0, 0, 0);

  /**
   * What a put wrote.
   *
   * @param value tells the puts apart
   * @param published whether a change event carries the version
   * @param decodable whether the source can decode it; the writer's own event can always be read
   */
  record Stored(SourceVersion version, int value, boolean published, boolean decodable) {}

  Store put(boolean decodable) {
    Store ticked = tick();
    Stored written = new Stored(ticked.now(), puts + 1, true, decodable);
    return new Store(written, inA, ticked.clockA, ticked.clockB, puts + 1);
  }

  Store delete() {
    Store ticked = tick();
    return new Store(null, inA, ticked.clockA, ticked.clockB, puts);
  }

  /** Moves the key to the other shard, with the version it has. */
  Store migrate() {
    return new Store(record, !inA, clockA, clockB, puts);
  }

  /** Moves the key to the other shard, which gives the record a version of its own. */
  Store migrateAnew() {
    Store ticked = migrate().tick();
    Stored moved =
        record == null ? null : new Stored(ticked.now(), record.value(), false, record.decodable());
    return new Store(moved, ticked.inA, ticked.clockA, ticked.clockB, puts);
  }

  boolean inOneEpoch() {
    return clockB == 0;
  }

  private Store tick() {
    return new Store(record, inA, inA ? clockA + 1 : clockA, inA ? clockB : clockB + 1, puts);
  }

  private SourceVersion now() {
    return new SourceVersion(inA ? "A" : "B", new byte[] {(byte) (inA ? clockA : clockB)});
  }
}
