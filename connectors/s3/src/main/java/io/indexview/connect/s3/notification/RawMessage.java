package io.indexview.connect.s3.notification;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import io.indexview.connect.s3.notification.S3NotificationParser.MalformedNotificationException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;

/**
 * The fields of a message that any of its forms is read from, as they stand in its JSON; nothing is
 * said of whether they make sense. A text is null where there is none, or something else than text;
 * of fields of one name the last counts.
 */
final class RawMessage {
  private static final JsonFactory JSON = new JsonFactory();

  /** Field of SNS. */
  String type;

  /** Field of SNS: the message that it wraps. */
  String message;

  /** Whether there is SNS's field for a message, be it text or not. */
  boolean hasMessage;

  /** Field of S3; null: there is no such array. */
  List<Event> records;

  /** Field of a test event of S3. */
  String event;

  /** Field of EventBridge. */
  String source;

  /** Field of EventBridge. */
  String detailType;

  /** Field of EventBridge. */
  String time;

  /** Field of EventBridge. */
  Detail detail = Detail.NONE;

  private RawMessage() {}

  /** One of S3's records. */
  static final class Event {
    String name;
    String source;
    String time;
    Detail s3 = Detail.NONE;

    private Event() {}
  }

  /** What was changed. */
  static final class Detail {
    private static final Detail NONE = new Detail();

    String bucketName;
    String deletionType;
    Target object = Target.NONE;

    private Detail() {}
  }

  /** The object that was changed; S3 and EventBridge write some names differently. */
  static final class Target {
    private static final Target NONE = new Target();

    String key;
    String versionId;
    String eTag;
    String sequencer;
    String bridgeVersionId;
    String bridgeETag;

    /** The text or number, or the beginning of whatever else stands there; null: nothing. */
    String size;

    private Target() {}
  }

  /**
   * @throws MalformedNotificationException if the text is not one JSON object; does not quote it
   */
  static RawMessage read(String text) throws MalformedNotificationException {
    try (JsonParser parser = JSON.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedNotificationException("not a JSON object");
      }
      RawMessage message = message(parser);
      if (parser.nextToken() != null) {
        throw notJson(parser.currentTokenLocation());
      }
      return message;
    } catch (JsonProcessingException e) {
      // The message of the parser quotes the body.
      throw notJson(e.getLocation());
    } catch (IOException e) {
      throw new UncheckedIOException("a text in memory cannot be read", e);
    }
  }

  private static MalformedNotificationException notJson(JsonLocation at) {
    return new MalformedNotificationException(
        at == null
            ? "not JSON that can be read: nested too deep, or with too long a name, number or text"
            : "not JSON, at line %d, column %d".formatted(at.getLineNr(), at.getColumnNr()));
  }

  private static RawMessage message(JsonParser parser) throws IOException {
    RawMessage message = new RawMessage();
    fields(
        parser,
        name -> {
          switch (name) {
            case "Type" -> message.type = text(parser);
            case "Message" -> {
              message.hasMessage = true;
              message.message = text(parser);
            }
            case "Records" -> message.records = records(parser);
            case "Event" -> message.event = text(parser);
            case "source" -> message.source = text(parser);
            case "detail-type" -> message.detailType = text(parser);
            case "time" -> message.time = text(parser);
            case "detail" -> message.detail = detail(parser);
            default -> {}
          }
        });
    return message;
  }

  private static List<Event> records(JsonParser parser) throws IOException {
    if (!parser.isExpectedStartArrayToken()) {
      return null;
    }
    List<Event> records = new ArrayList<>(1);
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      records.add(event(parser));
      parser.skipChildren();
    }
    return records;
  }

  private static Event event(JsonParser parser) throws IOException {
    Event event = new Event();
    fields(
        parser,
        name -> {
          switch (name) {
            case "eventName" -> event.name = text(parser);
            case "eventSource" -> event.source = text(parser);
            case "eventTime" -> event.time = text(parser);
            case "s3" -> event.s3 = detail(parser);
            default -> {}
          }
        });
    return event;
  }

  private static Detail detail(JsonParser parser) throws IOException {
    Detail detail = new Detail();
    fields(
        parser,
        name -> {
          switch (name) {
            case "bucket" -> detail.bucketName = bucketName(parser);
            case "object" -> detail.object = target(parser);
            case "deletion-type" -> detail.deletionType = text(parser);
            default -> {}
          }
        });
    return detail;
  }

  private static String bucketName(JsonParser parser) throws IOException {
    String[] found = new String[1];
    fields(
        parser,
        name -> {
          if (name.equals("name")) {
            found[0] = text(parser);
          }
        });
    return found[0];
  }

  private static Target target(JsonParser parser) throws IOException {
    Target target = new Target();
    fields(
        parser,
        name -> {
          switch (name) {
            case "key" -> target.key = text(parser);
            case "size" ->
                target.size =
                    parser.currentToken() == JsonToken.VALUE_NULL ? null : parser.getText();
            case "eTag" -> target.eTag = text(parser);
            case "etag" -> target.bridgeETag = text(parser);
            case "versionId" -> target.versionId = text(parser);
            case "version-id" -> target.bridgeVersionId = text(parser);
            case "sequencer" -> target.sequencer = text(parser);
            default -> {}
          }
        });
    return target;
  }

  private interface FieldReader {
    /** Reads the value that the parser stands at, or leaves it. */
    void read(String name) throws IOException;
  }

  /** Names the fields of the object that the parser stands at; what is no object has none. */
  private static void fields(JsonParser parser, FieldReader reader) throws IOException {
    if (!parser.isExpectedStartObjectToken()) {
      return;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      parser.nextToken();
      reader.read(name);
      parser.skipChildren();
    }
  }

  /** Null: empty, or no text. */
  private static String text(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.VALUE_STRING) {
      return null;
    }
    String text = parser.getText();
    return text.isEmpty() ? null : text;
  }
}
