package io.indexview.streams.resnapshot;

import java.util.Objects;

/**
 * How far a task is with deleting what resnapshots did not name, as it remembers it over a crash.
 *
 * @param handled the newest resnapshot that it is done with; null: none
 * @param running null: none
 */
record PurgeState(Resnapshot handled, Running running) {
  static final PurgeState NONE = new PurgeState(null, null);

  /**
   * The resnapshot that it is at.
   *
   * @param deleted records so far
   * @param cursor key of the last record looked at; null: none. Not copied
   */
  record Running(Resnapshot resnapshot, long deleted, byte[] cursor) {
    static Running of(Resnapshot resnapshot) {
      return new Running(resnapshot, 0, null);
    }

    Running after(byte[] last, long more) {
      return new Running(resnapshot, deleted + more, Objects.requireNonNull(last, "last"));
    }
  }

  /** The newest resnapshot that it has begun with; null: none. */
  Resnapshot newest() {
    return running == null ? handled : running.resnapshot();
  }

  PurgeState with(Running next) {
    return new PurgeState(handled, next);
  }

  PurgeState done() {
    return new PurgeState(running.resnapshot(), null);
  }
}
