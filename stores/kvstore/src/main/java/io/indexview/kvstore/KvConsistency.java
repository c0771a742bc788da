package io.indexview.kvstore;

import java.time.Duration;
import java.util.Objects;

/** How current a read must be. */
public sealed interface KvConsistency {
  /** Sees every acknowledged write. */
  KvConsistency ABSOLUTE = Level.ABSOLUTE;

  /** Any replica may answer, however far behind. */
  KvConsistency NONE = Level.NONE;

  /**
   * A replica that has seen this version, waiting for one that long. Versions carry over between
   * processes.
   */
  static KvConsistency atLeast(KvVersion version, Duration timeout) {
    return new AtLeast(version, timeout);
  }

  /** The consistencies without parameters. */
  enum Level implements KvConsistency {
    ABSOLUTE,
    NONE
  }

  /** See {@link #atLeast}. */
  record AtLeast(KvVersion version, Duration timeout) implements KvConsistency {
    public AtLeast {
      Objects.requireNonNull(version, "version");
      Objects.requireNonNull(timeout, "timeout");
    }
  }
}
