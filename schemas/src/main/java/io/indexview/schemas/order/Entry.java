package io.indexview.schemas.order;

import io.indexview.schemas.change.FramedValue;
import io.indexview.schemas.change.SourceVersion;
import java.util.List;

/**
 * What is remembered of one primary key.
 *
 * @param version null: the last change carried none
 * @param deleted whether the last change says that the record is gone
 * @param left the epochs that the entry left, each with the highest sequence seen in it
 * @param revision see {@link OrderGuard}
 * @param offset Kafka offset of the last event that touched the entry; higher for every event of a
 *     topic that was created anew than for all events before
 * @param timestampMs record time of the last applied event, ms since the epoch; a tombstone expires
 *     by it
 * @param value null for a tombstone, and in indexes, which keep no values; where the last change
 *     was passed over, of before it
 * @param keySchemaId registry id of the schema of the key; 0: the key is its own text, or nobody
 *     needs it as text
 * @param inferred a tombstone that no event named, see {@link OrderGuard#inferredTombstone}
 * @param unreadableAt Kafka offset, as above, of the last event that nobody could read, so that all
 *     else may be of before, or that was passed over, so that the value is; {@value #READABLE}:
 *     there is none since the last event that was applied
 */
public record Entry(
    SourceVersion version,
    boolean deleted,
    List<SourceVersion> left,
    long revision,
    long offset,
    long timestampMs,
    FramedValue value,
    int keySchemaId,
    boolean inferred,
    long unreadableAt) {
  public static final long READABLE = -1;

  public Entry {
    left = List.copyOf(left);
  }

  /** An entry whose key is its own text. */
  public Entry(
      SourceVersion version,
      boolean deleted,
      List<SourceVersion> left,
      long revision,
      long offset,
      long timestampMs,
      FramedValue value) {
    this(version, deleted, left, revision, offset, timestampMs, value, 0, false, READABLE);
  }

  /** Returns a copy whose key has another schema. */
  public Entry withKeySchema(int schemaId) {
    return schemaId == keySchemaId
        ? this
        : new Entry(
            version,
            deleted,
            left,
            revision,
            offset,
            timestampMs,
            value,
            schemaId,
            inferred,
            unreadableAt);
  }

  /** Returns a copy without the value. */
  public Entry withoutValue() {
    return withValue(null);
  }

  /** Returns a copy with another value. */
  Entry withValue(FramedValue other) {
    return new Entry(
        version,
        deleted,
        left,
        revision,
        offset,
        timestampMs,
        other,
        keySchemaId,
        inferred,
        unreadableAt);
  }

  /** Returns a copy with a later revision. */
  Entry withRevision(long later) {
    return new Entry(
        version,
        deleted,
        left,
        later,
        offset,
        timestampMs,
        value,
        keySchemaId,
        inferred,
        unreadableAt);
  }

  /** Whether nobody knows what the record is now. */
  public boolean unreadable() {
    return unreadableAt != READABLE;
  }

  /** Whether the last change, whose version it has, is the one that nobody knows. */
  public boolean isPassedOver() {
    return unreadableAt == offset;
  }

  /** Returns a copy of a record that does not have to be read again: it is known, or gone. */
  public Entry readable() {
    return withUnreadableAt(READABLE);
  }

  /** Returns a copy of a record that cannot be read since the event at an offset. */
  Entry withUnreadableAt(long at) {
    return new Entry(
        version, deleted, left, revision, offset, timestampMs, value, keySchemaId, inferred, at);
  }
}
