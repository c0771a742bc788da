package io.indexview.connect.s3.record;

import io.indexview.connect.common.source.EnvelopeStructs;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectEvent.Sequencer;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectInfo.ObjectAttributes;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.serde.ControlSchemas;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Makes change events of file records. Thread-safe. */
public final class FileEvents {
  /** All sequencers are comparable, so there is one epoch for ever. */
  public static final String EPOCH = "s3";

  private static final long CHANGE_TIME_UNKNOWN = 0;

  /** Longest sequencer in bytes; those of S3 that were seen have eight or nine. */
  private static final int LONGEST_SEQUENCE = 16;

  private final String topic;
  private final ObjectKeyFields keyFields;
  private final Set<Attribute> attributes;
  private final EnvelopeStructs envelopes;
  private final Clock clock;

  /**
   * @param topic the primary-change topic
   * @param attributes that file records get
   */
  public FileEvents(
      String topic,
      ObjectKeyFields keyFields,
      Set<Attribute> attributes,
      String sourceName,
      Clock clock) {
    this.topic = topic;
    this.keyFields = keyFields;
    this.attributes = Set.copyOf(attributes);
    this.envelopes = new EnvelopeStructs(ControlSchemas.FILE_RECORD, "s3", sourceName);
    this.clock = clock;
  }

  public String topic() {
    return topic;
  }

  /** What a notification says: new content, or nothing there any more. */
  public TrackedRecord changeEvent(
      ObjectEvent event, Position position, Consumer<RecordMetadata> whenAcknowledged) {
    boolean removed = event.kind() == ObjectEvent.Kind.REMOVED;
    return record(
        removed ? Op.DELETE : Op.CREATE,
        event,
        removed ? null : file(event),
        position,
        whenAcknowledged);
  }

  /** Whether a notification alone does not make a file record. */
  public boolean needReads() {
    return !attributes.isEmpty();
  }

  /**
   * What is under the key after what was notified. That may be newer, or gone again: then the
   * notification of that comes as well, and is newer.
   *
   * @param now from a read made after the notification came
   */
  public TrackedRecord notifiedAndRead(
      ObjectEvent event,
      Optional<ObjectInfo> now,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    Op present = event.kind() == ObjectEvent.Kind.CREATED ? Op.CREATE : Op.UPDATE;
    return record(
        now.isPresent() ? present : Op.DELETE,
        event,
        now.map(object -> seen(event, object)).orElse(null),
        position,
        whenAcknowledged);
  }

  private GenericRecord seen(ObjectEvent event, ObjectInfo object) {
    boolean isNotified =
        event.kind() == ObjectEvent.Kind.CREATED && Objects.equals(event.eTag(), object.eTag());
    GenericRecord file = isNotified ? file(event) : file(event.bucket(), object, event.sequencer());
    putAttributes(object, file);
    return file;
  }

  /**
   * What was read of an object: it is there, or not, and nobody said since when.
   *
   * @param known from before the read: whoever missed some of it takes it over
   * @param now empty: the object is not there
   * @param isSnapshot it is published whatever was published before
   */
  public TrackedRecord snapshotRead(
      String bucket,
      String key,
      Known known,
      Optional<ObjectInfo> now,
      boolean isSnapshot,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    Op changed = known.isAlive() ? Op.UPDATE : Op.CREATE;
    Op present = isSnapshot ? Op.READ : changed;
    GenericRecord file = now.map(object -> file(bucket, object, null)).orElse(null);
    long readAt = clock.millis();
    return new TrackedRecord(
        position,
        topic,
        primaryKey(bucket, key),
        envelopes.event(
            file == null ? Op.DELETE : present,
            readAt,
            file == null ? CHANGE_TIME_UNKNOWN : (long) file.get("uploadTime"),
            new Origin.SnapshotRead(EPOCH, null, known.base(), known.hasGap()),
            file),
        readAt,
        whenAcknowledged);
  }

  private TrackedRecord record(
      Op op,
      ObjectEvent event,
      GenericRecord after,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    long now = clock.millis();
    Origin origin = new Origin.Versioned(new SourceVersion(EPOCH, sequence(event)));
    return new TrackedRecord(
        position,
        topic,
        primaryKey(event.bucket(), event.key()),
        envelopes.event(op, now, event.time().toEpochMilli(), origin, after),
        now,
        whenAcknowledged);
  }

  /**
   * The sequencer may be that of the version that was removed: what it leaves counts only behind
   * that.
   */
  private static byte[] sequence(ObjectEvent event) {
    byte[] sequence = Sequencer.decode(event.sequencer());
    if (event.kind() != ObjectEvent.Kind.VERSION_REMOVED) {
      return sequence;
    }
    byte[] behind = Arrays.copyOf(sequence, Math.max(sequence.length, LONGEST_SEQUENCE) + 1);
    behind[behind.length - 1] = 1;
    return behind;
  }

  /** The keys of a bucket's objects. */
  public static KeyScope scope(String bucket) {
    return new KeyScope(bucket, null);
  }

  /** The key of an object's file record. */
  public static String primaryKey(String bucket, String key) {
    return bucket + "/" + key;
  }

  private GenericRecord file(ObjectEvent event) {
    GenericRecord file = file(event.bucket(), event.key(), event.time());
    file.put("size", event.size());
    file.put("eTag", event.eTag());
    file.put("versionId", event.versionId());
    file.put("sequencer", event.sequencer());
    return file;
  }

  private GenericRecord file(String bucket, ObjectInfo object, String sequencer) {
    GenericRecord file = file(bucket, object.key(), object.lastModified());
    file.put("size", object.size());
    file.put("eTag", object.eTag());
    file.put("versionId", object.versionId());
    file.put("sequencer", sequencer);
    putAttributes(object, file);
    return file;
  }

  private void putAttributes(ObjectInfo object, GenericRecord file) {
    ObjectAttributes seen = object.attributes();
    if (seen == null) {
      return;
    }
    if (attributes.contains(Attribute.USER_METADATA)) {
      file.put("userMetadata", seen.userMetadata());
    }
    if (attributes.contains(Attribute.CONTENT_TYPE)) {
      file.put("contentType", seen.contentType());
    }
    if (attributes.contains(Attribute.TAGS)) {
      file.put("tags", seen.tags());
    }
  }

  private GenericRecord file(String bucket, String key, Instant uploaded) {
    ObjectKeyFields.Fields fields = keyFields.parse(key);
    GenericRecord file = new GenericData.Record(ControlSchemas.FILE_RECORD);
    file.put("objectKey", key);
    file.put("bucketName", bucket);
    file.put("fileId", fields.fileId());
    file.put("uploadUser", fields.uploadUser());
    file.put("uploadDate", uploaded.atZone(ZoneOffset.UTC).toLocalDate().toString());
    file.put("uploadTime", uploaded.toEpochMilli());
    file.put("userMetadata", Map.of());
    file.put("tags", Map.of());
    return file;
  }

  /** What a file record may have that takes a read of the object. */
  public enum Attribute {
    USER_METADATA,
    CONTENT_TYPE,
    TAGS
  }
}
