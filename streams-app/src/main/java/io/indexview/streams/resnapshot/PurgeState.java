package io.indexview.streams.resnapshot;

import io.indexview.schemas.control.KeyScope;
import java.util.List;
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
   * @param scopes if their keys lie in one of these
   * @param deleted records so far
   * @param cursor key of the last record looked at; null: none. Not copied
   */
  record Running(long startedAtMs, long begin, List<KeyScope> scopes, long deleted, byte[] cursor) {
    Running {
      scopes = List.copyOf(scopes);
    }

    static Running of(Resnapshot resnapshot) {
      return new Running(
          resnapshot.startedAtMs(), resnapshot.begin(), resnapshot.scopes(), 0, null);
    }

    /** Whether a record is gone that nothing has touched since an offset. */
    boolean isGone(byte[] key, long touched) {
      return touched < begin && scopes.stream().anyMatch(scope -> scope.contains(key));
    }

    Running after(byte[] last, long more) {
      return new Running(
          startedAtMs, begin, scopes, deleted + more, Objects.requireNonNull(last, "last"));
    }
  }

  PurgeState with(Running next) {
    return new PurgeState(handledMs, next);
  }

  PurgeState done(long startedAtMs) {
    return new PurgeState(startedAtMs, null);
  }
}
