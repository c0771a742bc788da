package io.indexview.connect.s3.notification;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.connect.s3.notification.ObjectEvent.Kind;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Reads the body of a message: an S3 notification, plain or wrapped by SNS, or an S3 event of
 * EventBridge. Thread-safe.
 */
public final class S3NotificationParser {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final String EVENT_BRIDGE_SOURCE = "aws.s3";
  private static final Pattern SIZE = Pattern.compile("[0-9]{1,18}");
  private static final String CEPH = "ceph:s3";
  private static final String CREATED = "ObjectCreated:";

  /** How new content comes; MinIO also calls it a creation when tags or a retention change. */
  private static final Set<String> CREATIONS =
      Set.of("Put", "Post", "Copy", "CompleteMultipartUpload");

  private final boolean trustsSequencers;
  private final List<String> lookTypes;

  /** Trusts sequencers, and skips everything but creations and removals. */
  public S3NotificationParser() {
    this(true, List.of());
  }

  /**
   * @param trustsSequencers false: as if no event had one
   * @param lookTypes beginnings of types of events that are no creation or removal, and yet make
   *     somebody look at the object
   */
  public S3NotificationParser(boolean trustsSequencers, List<String> lookTypes) {
    this.trustsSequencers = trustsSequencers;
    this.lookTypes = List.copyOf(lookTypes);
  }

  /**
   * @throws MalformedNotificationException naming what is wrong, without the body
   */
  public Notification parse(String body) throws MalformedNotificationException {
    JsonNode message = read(body);
    if ("Notification".equals(message.path("Type").asText()) && message.has("Message")) {
      message = read(message.get("Message").asText());
    }
    if (message.path("Records").isArray()) {
      return records(message.get("Records"));
    }
    if ("s3:TestEvent".equals(message.path("Event").asText())) {
      return Notification.EMPTY;
    }
    if (EVENT_BRIDGE_SOURCE.equals(message.path("source").asText())) {
      return eventBridge(message);
    }
    throw new MalformedNotificationException(
        "neither an S3 notification, nor one inside an SNS message, nor an S3 event of EventBridge");
  }

  private static JsonNode read(String text) throws MalformedNotificationException {
    try {
      JsonNode node = JSON.readTree(text);
      if (!node.isObject()) {
        throw new MalformedNotificationException("not a JSON object");
      }
      return node;
    } catch (JsonProcessingException e) {
      // The message of the parser quotes the body.
      JsonLocation at = e.getLocation();
      throw new MalformedNotificationException(
          at == null
              ? "not JSON that can be read: nested too deep, or with too long a name, number or text"
              : "not JSON, at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr()));
    }
  }

  private Notification records(JsonNode records) throws MalformedNotificationException {
    List<ObjectEvent> events = new ArrayList<>(records.size());
    List<String> unknown = new ArrayList<>(0);
    for (JsonNode record : records) {
      String type = text(record, "eventName");
      if (type.startsWith("s3:")) {
        type = type.substring("s3:".length());
      }
      boolean isCeph = CEPH.equals(record.path("eventSource").asText());
      JsonNode object = record.path("s3").path("object");
      String versionId = optionalText(object, "versionId");
      Kind kind = kind(type, versionId);
      if (kind == null) {
        unknown.add(type);
        continue;
      }
      events.add(
          new ObjectEvent(
              kind,
              type,
              text(record.path("s3").path("bucket"), "name"),
              // Ceph does not encode keys.
              isCeph ? text(object, "key") : urlDecode(text(object, "key")),
              size(object),
              optionalText(object, "eTag"),
              versionId,
              kind == Kind.TOUCHED ? null : sequencer(object, isCeph),
              time(record, "eventTime")));
    }
    return new Notification(events, unknown);
  }

  private Kind kind(String type, String versionId) {
    if (type.startsWith(CREATED) && CREATIONS.contains(type.substring(CREATED.length()))) {
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
    return isToLookAt(type) ? Kind.TOUCHED : null;
  }

  private boolean isToLookAt(String type) {
    return lookTypes.stream().anyMatch(type::startsWith);
  }

  private Notification eventBridge(JsonNode message) throws MalformedNotificationException {
    String type = text(message, "detail-type");
    JsonNode detail = message.path("detail");
    JsonNode object = detail.path("object");
    String versionId = optionalText(object, "version-id");
    Kind kind = eventBridgeKind(type, detail, versionId);
    if (kind == null) {
      return new Notification(List.of(), List.of(type));
    }
    ObjectEvent event =
        new ObjectEvent(
            kind,
            type,
            text(detail.path("bucket"), "name"),
            // EventBridge does not encode keys.
            text(object, "key"),
            size(object),
            optionalText(object, "etag"),
            versionId,
            kind == Kind.TOUCHED ? null : sequencer(object, false),
            time(message, "time"));
    return new Notification(List.of(event), List.of());
  }

  private Kind eventBridgeKind(String type, JsonNode detail, String versionId) {
    return switch (type) {
      case "Object Created" -> Kind.CREATED;
      case "Object Deleted" ->
          versionId == null || "Delete Marker Created".equals(detail.path("deletion-type").asText())
              ? Kind.REMOVED
              : Kind.VERSION_REMOVED;
      default -> isToLookAt(type) ? Kind.TOUCHED : null;
    };
  }

  private static String text(JsonNode node, String field) throws MalformedNotificationException {
    String text = optionalText(node, field);
    if (text == null) {
      throw new MalformedNotificationException("no text in field " + field);
    }
    return text;
  }

  private static String optionalText(JsonNode node, String field) {
    JsonNode value = node.path(field);
    return value.isTextual() && !value.textValue().isEmpty() ? value.textValue() : null;
  }

  /** Ceph writes the number as text. */
  private static Long size(JsonNode object) throws MalformedNotificationException {
    JsonNode size = object.path("size");
    if (size.isMissingNode() || size.isNull() || (size.isTextual() && size.asText().isEmpty())) {
      return null;
    }
    String digits = size.isTextual() || size.isIntegralNumber() ? size.asText() : "";
    if (!SIZE.matcher(digits).matches()) {
      throw new MalformedNotificationException("field size is not a number of bytes");
    }
    return Long.valueOf(digits);
  }

  /** Null: the event has none that counts. */
  private String sequencer(JsonNode object, boolean isCeph) throws MalformedNotificationException {
    String sequencer = optionalText(object, "sequencer");
    if (sequencer == null || !trustsSequencers) {
      return null;
    }
    try {
      return isCeph ? Sequencer.ofCeph(sequencer) : Sequencer.checked(sequencer);
    } catch (IllegalArgumentException e) {
      throw new MalformedNotificationException("the sequencer is not made of hex digits", e);
    }
  }

  private static Instant time(JsonNode node, String field) throws MalformedNotificationException {
    try {
      return Instant.parse(text(node, field));
    } catch (DateTimeException e) {
      throw new MalformedNotificationException("field " + field + " is not an ISO-8601 time", e);
    }
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
}
