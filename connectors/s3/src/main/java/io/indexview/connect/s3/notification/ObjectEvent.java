package io.indexview.connect.s3.notification;

import java.time.Instant;
import java.util.Objects;

/**
 * One change of one object.
 *
 * @param type as notified, for instance {@code ObjectCreated:Put}
 * @param key the object key itself, not URL-encoded
 * @param size bytes; null if not known
 * @param eTag null if not known
 * @param versionId null in a bucket without versions
 * @param sequencer hex digits; see {@link Sequencer}. Null: the event has no place in the order of
 *     its object's events, only a read can tell what became of the object
 */
public record ObjectEvent(
    Kind kind,
    String type,
    String bucket,
    String key,
    Long size,
    String eTag,
    String versionId,
    String sequencer,
    Instant time) {

  /** What became of the object. */
  public enum Kind {
    /** There is new content under the key. */
    CREATED,
    /** There is nothing under the key any more. */
    REMOVED,
    /** One version is gone for good: what is under the key now, only a read of it can tell. */
    VERSION_REMOVED,
    /**
     * Something about the object may have changed: only a read of it can tell. Never with a
     * sequencer: MinIO gives these that of the content.
     */
    TOUCHED
  }

  public ObjectEvent {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(bucket, "bucket");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(time, "time");
  }
}
