package io.indexview.schemas.change;

import java.util.Objects;

/** How a source came to know of a change: decides how the order guard treats it. */
public sealed interface Origin {

  /** The change event carries the version of its record. */
  record Versioned(SourceVersion version) implements Origin {
    public Versioned {
      Objects.requireNonNull(version, "version");
    }
  }

  /** A change event without a version (flat topics, Debezium): the Kafka order counts. */
  record Unordered() implements Origin {
    public static final Unordered INSTANCE = new Unordered();
  }

  /**
   * The source found the difference by looking.
   *
   * @param epoch epoch of {@code sequence}
   * @param sequence null when the scan gave none
   * @param base what the source's index held, taken before it looked
   * @param adHoc as in an ad-hoc snapshot: applied unless older in the same epoch
   * @param unreadable with a delete: the record is there, but the source cannot decode its value
   */
  record SnapshotRead(String epoch, byte[] sequence, Base base, boolean adHoc, boolean unreadable)
      implements Origin {
    /** A read of a record that is gone, or that can be decoded. */
    public SnapshotRead(String epoch, byte[] sequence, Base base, boolean adHoc) {
      this(epoch, sequence, base, adHoc, false);
    }

    public SnapshotRead {
      Objects.requireNonNull(epoch, "epoch");
      Objects.requireNonNull(base, "base");
    }

    /** What was found; null when the scan gave no sequence. */
    public SourceVersion version() {
      return sequence == null ? null : new SourceVersion(epoch, sequence);
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof SnapshotRead that
          && epoch.equals(that.epoch)
          && Objects.equals(version(), that.version())
          && base.equals(that.base)
          && adHoc == that.adHoc
          && unreadable == that.unreadable;
    }

    @Override
    public int hashCode() {
      return Objects.hash(epoch, version(), base, adHoc, unreadable);
    }

    @Override
    public String toString() {
      return "SnapshotRead[%s, base=%s, adHoc=%s, unreadable=%s]"
          .formatted(sequence == null ? epoch : version(), base, adHoc, unreadable);
    }
  }

  /**
   * What an index held of a key.
   *
   * @param present false: nothing
   * @param deleted a tombstone
   * @param version null: an entry without a version
   */
  record Base(boolean present, boolean deleted, SourceVersion version) {
    public static final Base ABSENT = new Base(false, false, null);

    public static Base of(SourceVersion version, boolean deleted) {
      return new Base(true, deleted, version);
    }
  }
}
