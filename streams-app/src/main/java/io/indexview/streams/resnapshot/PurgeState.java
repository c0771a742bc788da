package io.indexview.streams.resnapshot;

import java.util.Objects;

/**
 * How far a task is with deleting what resnapshots did not name, as it remembers it over a crash.
 *
 * @param handledMs start of the newest resnapshot that it is done with; {@link Long#MIN_VALUE}:
 *     none
 * @param running null: none
 */
record PurgeState(long handledMs, Running running) {
  static final PurgeState NONE = new PurgeState(Long.MIN_VALUE, null);

  /**
   * The resnapshot that it is at.
   *
   * @param begin records last touched before this offset are gone
   * @param deleted records so far
   * @param cursor key of the last record looked at; null: none. Not copied
   */
  record Running(long startedAtMs, long begin, long deleted, byte[] cursor) {
    static Running of(Resnapshot resnapshot) {
      return new Running(resnapshot.startedAtMs(), resnapshot.begin(), 0, null);
    }

    Running after(byte[] last, long more) {
      return new Running(startedAtMs, begin, deleted + more, Objects.requireNonNull(last, "last"));
    }
  }

  PurgeState with(Running next) {
    return new PurgeState(handledMs, next);
  }

  PurgeState done(long startedAtMs) {
    return new PurgeState(startedAtMs, null);
  }
}
