package io.indexview.connect.s3.record;

import io.indexview.connect.common.source.EnvelopeStructs;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.notification.Sequencer;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.KeyScope;
import io.indexview.schemas.serde.ControlSchemas;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.RecordMetadata;

/** Makes change events of file records. Thread-safe. */
public final class FileEvents {
  /** All sequencers are comparable, so there is one epoch for ever. */
  static final String EPOCH = "s3";

  /**
   * A listing says of an object that it is there, not since when. It may fill in a key of which
   * nothing is known, but a delete that was told may well be newer than the listing. The base of a
   * deleted entry without a version says just that: it equals no entry that a told event left, and
   * agrees with none at all.
   */
  static final Origin.Base NOTHING_KNOWN = Origin.Base.of(null, true);

  private static final long CHANGE_TIME_UNKNOWN = 0;

  private final String topic;
  private final ObjectKeyFields keyFields;
  private final EnvelopeStructs envelopes;
  private final Clock clock;

  /**
   * @param topic the primary-change topic
   */
  public FileEvents(String topic, ObjectKeyFields keyFields, String sourceName, Clock clock) {
    this.topic = topic;
    this.keyFields = keyFields;
    this.envelopes = new EnvelopeStructs(ControlSchemas.FILE_RECORD, "s3", sourceName);
    this.clock = clock;
  }

  /** What a notification says: new content, or nothing there any more. */
  public TrackedRecord told(
      ObjectEvent event, Position position, Consumer<RecordMetadata> whenAcknowledged) {
    boolean removed = event.kind() == ObjectEvent.Kind.REMOVED;
    return record(
        removed ? Op.DELETE : Op.CREATE,
        event,
        removed ? null : file(event),
        position,
        whenAcknowledged);
  }

  /**
   * What is under the key after one version of it was removed.
   *
   * @param now from a look made after the notification came
   */
  public TrackedRecord toldVersionRemoved(
      ObjectEvent event,
      Optional<ObjectInfo> now,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    return record(
        now.isPresent() ? Op.UPDATE : Op.DELETE,
        event,
        now.map(object -> file(event.bucket(), object, event.sequencer())).orElse(null),
        position,
        whenAcknowledged);
  }

  /** What the first listing of a bucket found. */
  public TrackedRecord listed(
      String bucket,
      ObjectInfo object,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    return observed(bucket, object, false, position, whenAcknowledged);
  }

  /** What a resnapshot found. */
  public TrackedRecord found(
      String bucket,
      ObjectInfo object,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    return observed(bucket, object, true, position, whenAcknowledged);
  }

  private TrackedRecord observed(
      String bucket,
      ObjectInfo object,
      boolean force,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    long now = clock.millis();
    Origin origin = new Origin.Observed(EPOCH, null, NOTHING_KNOWN, force);
    return new TrackedRecord(
        position,
        topic,
        primaryKey(bucket, object.key()),
        envelopes.event(
            Op.READ, now, object.lastModified().toEpochMilli(), origin, file(bucket, object, null)),
        now,
        whenAcknowledged);
  }

  /** That nothing is left of what a resnapshot found before. */
  public TrackedRecord gone(
      String bucket, String key, Position position, Consumer<RecordMetadata> whenAcknowledged) {
    long now = clock.millis();
    Origin origin = new Origin.Observed(EPOCH, null, NOTHING_KNOWN, true);
    return new TrackedRecord(
        position,
        topic,
        primaryKey(bucket, key),
        envelopes.event(Op.DELETE, now, CHANGE_TIME_UNKNOWN, origin, null),
        now,
        whenAcknowledged);
  }

  private TrackedRecord record(
      Op op,
      ObjectEvent event,
      GenericRecord after,
      Position position,
      Consumer<RecordMetadata> whenAcknowledged) {
    long now = clock.millis();
    Origin origin = new Origin.Told(new SourceVersion(EPOCH, Sequencer.decode(event.sequencer())));
    return new TrackedRecord(
        position,
        topic,
        primaryKey(event.bucket(), event.key()),
        envelopes.event(op, now, event.time().toEpochMilli(), origin, after),
        now,
        whenAcknowledged);
  }

  /** The keys of a bucket's objects. */
  static KeyScope scope(String bucket) {
    return new KeyScope(bucket, null);
  }

  private static String primaryKey(String bucket, String key) {
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
    return file;
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
    return file;
  }
}
