package io.indexview.connect.s3.notification;

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

/**
 * Reads the body of a message: an S3 notification, plain or wrapped by SNS, or an S3 event of
 * EventBridge. Thread-safe.
 */
public final class S3NotificationParser {
  private static final ObjectMapper JSON =
      new ObjectMapper().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);
  private static final String EVENT_BRIDGE_SOURCE = "aws.s3";

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
      throw new MalformedNotificationException(
          "not JSON, at line %d, column %d"
              .formatted(e.getLocation().getLineNr(), e.getLocation().getColumnNr()));
    }
  }

  private static Notification records(JsonNode records) throws MalformedNotificationException {
    List<ObjectEvent> events = new ArrayList<>(records.size());
    List<String> unknown = new ArrayList<>(0);
    for (JsonNode record : records) {
      String type = text(record, "eventName");
      if (type.startsWith("s3:")) {
        type = type.substring("s3:".length());
      }
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
              urlDecode(text(object, "key")),
              size(object),
              optionalText(object, "eTag"),
              versionId,
              sequencer(object),
              time(record, "eventTime")));
    }
    return new Notification(events, unknown);
  }

  private static Kind kind(String type, String versionId) {
    if (type.startsWith("ObjectCreated:")) {
      return Kind.CREATED;
    }
    if (type.endsWith(":DeleteMarkerCreated")) {
      return Kind.REMOVED;
    }
    if (type.startsWith("ObjectRemoved:") || type.startsWith("LifecycleExpiration:")) {
      return versionId == null ? Kind.REMOVED : Kind.VERSION_REMOVED;
    }
    return null;
  }

  private static Notification eventBridge(JsonNode message) throws MalformedNotificationException {
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
            sequencer(object),
            time(message, "time"));
    return new Notification(List.of(event), List.of());
  }

  private static Kind eventBridgeKind(String type, JsonNode detail, String versionId) {
    return switch (type) {
      case "Object Created" -> Kind.CREATED;
      case "Object Deleted" ->
          versionId == null || "Delete Marker Created".equals(detail.path("deletion-type").asText())
              ? Kind.REMOVED
              : Kind.VERSION_REMOVED;
      default -> null;
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

  private static Long size(JsonNode object) throws MalformedNotificationException {
    JsonNode size = object.path("size");
    if (size.isMissingNode() || size.isNull()) {
      return null;
    }
    if (!size.canConvertToLong() || !size.isIntegralNumber() || size.longValue() < 0) {
      throw new MalformedNotificationException("field size is not a number of bytes");
    }
    return size.longValue();
  }

  /** Null: the event has none. */
  private static String sequencer(JsonNode object) throws MalformedNotificationException {
    String sequencer = optionalText(object, "sequencer");
    if (sequencer == null) {
      return null;
    }
    try {
      Sequencer.decode(sequencer);
    } catch (IllegalArgumentException e) {
      throw new MalformedNotificationException("the sequencer is not made of hex digits", e);
    }
    return sequencer.toUpperCase(Locale.ROOT);
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
