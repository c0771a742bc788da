package io.indexview.connect.s3.notification;

import io.indexview.connect.s3.notification.ObjectEvent.Kind;
import io.indexview.connect.s3.notification.ObjectEvent.Sequencer;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Reads the body of a message: an S3 notification, plain or wrapped by SNS, or an S3 event of
 * EventBridge. Thread-safe.
 */
public final class S3NotificationParser {
  private static final String EVENT_BRIDGE_SOURCE = "aws.s3";
  private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");
  private static final String CEPH = "ceph:s3";
  private static final String CREATED = "ObjectCreated:";

  /** What MinIO calls a creation, too, and what brings no new content. */
  private static final Set<String> NO_CREATIONS =
      Stream.of("PutTagging", "DeleteTagging", "PutRetention", "PutLegalHold")
          .map(CREATED::concat)
          .collect(Collectors.toUnmodifiableSet());

  /** Bytes of an object key or a version's id, as S3 allows them; the other texts are shorter. */
  private static final int MAX_BYTES = 1_024;

  /** Each byte of a key may be three characters. */
  private static final int MAX_ENCODED_KEY = 3 * MAX_BYTES;

  /**
   * Earliest year that is taken: from here to {@link #YEAR_10000} a time can be counted in
   * milliseconds, and its year has four digits.
   */
  private static final Instant YEAR_0 = Instant.parse("0000-01-01T00:00:00Z");

  private static final Instant YEAR_10000 = Instant.parse("+10000-01-01T00:00:00Z");

  /**
   * Names of buckets, wider than what AWS takes today: other servers, and old buckets, have such
   * names.
   */
  private static final Pattern BUCKET = Pattern.compile("[A-Za-z0-9._-]{1,255}");

  private final boolean trustsSequencers;
  private final List<String> readTypes;

  /** Trusts sequencers, and skips everything but creations and removals. */
  public S3NotificationParser() {
    this(true, List.of());
  }

  /**
   * @param trustsSequencers false: as if no event had one
   * @param readTypes beginnings of types of events that are no creation or removal, and yet make
   *     somebody read the object
   */
  public S3NotificationParser(boolean trustsSequencers, List<String> readTypes) {
    this.trustsSequencers = trustsSequencers;
    this.readTypes = List.copyOf(readTypes);
  }

  /**
   * @throws MalformedNotificationException naming what is wrong, without the body
   */
  public Notification parse(String body) throws MalformedNotificationException {
    RawMessage message = RawMessage.read(body);
    if ("Notification".equals(message.type) && message.hasMessage) {
      message = RawMessage.read(Objects.requireNonNullElse(message.message, ""));
    }
    if (message.records != null) {
      return records(message.records);
    }
    if ("s3:TestEvent".equals(message.event)) {
      return Notification.EMPTY;
    }
    if (EVENT_BRIDGE_SOURCE.equals(message.source)) {
      return eventBridge(message);
    }
    throw new MalformedNotificationException(
        "neither an S3 notification, nor one inside an SNS message, nor an S3 event of"
            + " EventBridge");
  }

  private Notification records(List<RawMessage.Event> records)
      throws MalformedNotificationException {
    List<ObjectEvent> events = new ArrayList<>(records.size());
    List<String> unknown = new ArrayList<>(0);
    for (RawMessage.Event record : records) {
      String type = bounded(required(record.name, "eventName"), "eventName");
      if (type.startsWith("s3:")) {
        type = type.substring("s3:".length());
      }
      boolean isCeph = CEPH.equals(record.source);
      RawMessage.Target object = record.s3.object;
      Kind kind = kind(type, object.versionId);
      if (kind == null) {
        unknown.add(type);
        continue;
      }
      String bucket = bucket(record.s3.bucketName);
      String key = bounded(required(object.key, "key"), "key", MAX_ENCODED_KEY);
      events.add(
          new ObjectEvent(
              kind,
              type,
              bucket,
              // Ceph does not encode keys.
              bounded(isCeph ? key : urlDecode(key), "key"),
              size(object),
              bounded(object.eTag, "eTag"),
              bounded(object.versionId, "versionId"),
              kind == Kind.TOUCHED ? null : sequencer(object, isCeph),
              time(record.time, "eventTime")));
    }
    return new Notification(events, unknown);
  }

  private Kind kind(String type, String versionId) {
    if (type.startsWith(CREATED) && !NO_CREATIONS.contains(type)) {
      return Kind.CREATED;
    }
    if (type.endsWith(":DeleteMarkerCreated")) {
      return Kind.REMOVED;
    }
    if (type.startsWith("ObjectRemoved:") || type.startsWith("LifecycleExpiration:")) {
      return versionId == null ? Kind.REMOVED : Kind.VERSION_REMOVED;
    }
    // Of Ceph: what expires may be an object, a version of it, or its delete marker.
    if (type.startsWith("ObjectLifecycle:Expiration:") && !type.endsWith(":AbortMultipartUpload")) {
      return Kind.VERSION_REMOVED;
    }
    return isToRead(type) ? Kind.TOUCHED : null;
  }

  private boolean isToRead(String type) {
    return readTypes.stream().anyMatch(type::startsWith);
  }

  private Notification eventBridge(RawMessage message) throws MalformedNotificationException {
    String type = bounded(required(message.detailType, "detail-type"), "detail-type");
    RawMessage.Detail detail = message.detail;
    RawMessage.Target object = detail.object;
    Kind kind = eventBridgeKind(type, detail);
    if (kind == null) {
      return new Notification(List.of(), List.of(type));
    }
    ObjectEvent event =
        new ObjectEvent(
            kind,
            type,
            bucket(detail.bucketName),
            // EventBridge does not encode keys.
            bounded(required(object.key, "key"), "key"),
            size(object),
            bounded(object.bridgeETag, "etag"),
            bounded(object.bridgeVersionId, "version-id"),
            kind == Kind.TOUCHED ? null : sequencer(object, false),
            time(message.time, "time"));
    return new Notification(List.of(event), List.of());
  }

  private Kind eventBridgeKind(String type, RawMessage.Detail detail) {
    return switch (type) {
      case "Object Created" -> Kind.CREATED;
      case "Object Deleted" ->
          detail.object.bridgeVersionId == null
                  || "Delete Marker Created".equals(detail.deletionType)
              ? Kind.REMOVED
              : Kind.VERSION_REMOVED;
      default -> isToRead(type) ? Kind.TOUCHED : null;
    };
  }

  private static String required(String text, String field) throws MalformedNotificationException {
    if (text == null) {
      throw new MalformedNotificationException("no text in field " + field);
    }
    return text;
  }

  private static String bounded(String text, String field) throws MalformedNotificationException {
    return bounded(text, field, MAX_BYTES);
  }

  /** What no server sends might not fit into any record, and end the task again and again. */
  private static String bounded(String text, String field, int maxBytes)
      throws MalformedNotificationException {
    // No character has less than one byte.
    if (text != null
        && (text.length() > maxBytes || text.getBytes(StandardCharsets.UTF_8).length > maxBytes)) {
      throw new MalformedNotificationException(
          "field %s is longer than the %d bytes that S3 allows".formatted(field, MAX_BYTES));
    }
    return text;
  }

  /** A name that no bucket has would be read in vain again and again. */
  private static String bucket(String name) throws MalformedNotificationException {
    if (!BUCKET.matcher(required(name, "name")).matches()) {
      throw new MalformedNotificationException(
          "field name is not a bucket's name: letters, digits, dots, hyphens and underscores");
    }
    return name;
  }

  /** Ceph writes the number as text. */
  private static Long size(RawMessage.Target object) throws MalformedNotificationException {
    if (object.size == null || object.size.isEmpty()) {
      return null;
    }
    if (!SIZE.matcher(object.size).matches()) {
      throw new MalformedNotificationException("field size is not a number of bytes");
    }
    return Long.valueOf(object.size);
  }

  /** Null: the event has none that counts. */
  private String sequencer(RawMessage.Target object, boolean isCeph)
      throws MalformedNotificationException {
    String sequencer = bounded(object.sequencer, "sequencer");
    if (sequencer == null || !trustsSequencers) {
      return null;
    }
    try {
      return isCeph ? Sequencer.ofCeph(sequencer) : Sequencer.checked(sequencer);
    } catch (IllegalArgumentException e) {
      throw new MalformedNotificationException("the sequencer is not made of hex digits", e);
    }
  }

  private static Instant time(String text, String field) throws MalformedNotificationException {
    Instant time;
    try {
      time = Instant.parse(required(text, field));
    } catch (DateTimeException e) {
      throw new MalformedNotificationException("field " + field + " is not an ISO-8601 time", e);
    }
    if (time.isBefore(YEAR_0) || !time.isBefore(YEAR_10000)) {
      throw new MalformedNotificationException("field " + field + " is no time of an event");
    }
    return time;
  }

  /** Form decoding: a plus sign is a space, {@code %2B} is a plus sign. */
  private static String urlDecode(String key) throws MalformedNotificationException {
    if (key.indexOf('%') < 0 && key.indexOf('+') < 0) {
      return key;
    }
    String decoded;
    try {
      decoded = URLDecoder.decode(key, StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw new MalformedNotificationException("the object key is not URL-encoded", e);
    }
    if (decoded.indexOf('\uFFFD') >= 0
        && key.indexOf('\uFFFD') < 0
        && !key.toUpperCase(Locale.ROOT).contains("%EF%BF%BD")) {
      throw new MalformedNotificationException("the object key is not URL-encoded UTF-8");
    }
    return decoded;
  }

  /**
   * What one message says.
   *
   * @param events in the order of the message
   * @param unknownTypes types of events that are no creation or removal of an object
   */
  public record Notification(List<ObjectEvent> events, List<String> unknownTypes) {
    /** A message that says nothing about objects, such as {@code s3:TestEvent}. */
    static final Notification EMPTY = new Notification(List.of(), List.of());

    public Notification {
      events = List.copyOf(events);
      unknownTypes = List.copyOf(unknownTypes);
    }
  }

  /** A message that is no notification, or one that lacks what is needed; says what. */
  public static final class MalformedNotificationException extends Exception {
    public MalformedNotificationException(String message) {
      super(message);
    }

    MalformedNotificationException(String message, Throwable cause) {
      super(message, cause);
    }
  }
}
