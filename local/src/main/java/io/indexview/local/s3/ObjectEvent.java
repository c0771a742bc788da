package io.indexview.local.s3;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;
import java.util.UUID;

/**
 * A change of one object, as S3 tells it.
 *
 * @param name for instance {@code ObjectCreated:Put}
 * @param key the object's key, not encoded
 * @param sequencer hexadecimal; rises with every change of one object
 * @param content size and ETag; empty for a removal
 */
public record ObjectEvent(
    String name,
    Instant time,
    String bucket,
    String key,
    String sequencer,
    Optional<Content> content) {

  /**
   * What an object holds.
   *
   * @param eTag without quotes
   */
  public record Content(long size, String eTag) {}

  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);

  /** The key as it stands in a notification: form encoding, in which slashes stay. */
  static String encodedKey(String key) {
    return URLEncoder.encode(key, StandardCharsets.UTF_8).replace("%2F", "/");
  }

  static String formatted(Instant time) {
    return TIME.format(time);
  }

  /** Writes notifications in the message structure of S3, version 2.1. */
  static final class EventJson {
    private static final String OWNER = "local";

    private final String region;

    EventJson(String region) {
      this.region = region;
    }

    String write(ObjectEvent event) {
      ObjectNode message = JsonNodeFactory.instance.objectNode();
      ObjectNode record = message.putArray("Records").addObject();
      record.put("eventVersion", "2.1");
      record.put("eventSource", "aws:s3");
      record.put("awsRegion", region);
      record.put("eventTime", ObjectEvent.formatted(event.time()));
      record.put("eventName", event.name());
      record.putObject("userIdentity").put("principalId", OWNER);
      record.putObject("requestParameters").put("sourceIPAddress", "127.0.0.1");
      record.putObject("responseElements").put("x-amz-request-id", UUID.randomUUID().toString());
      ObjectNode s3 = record.putObject("s3");
      s3.put("s3SchemaVersion", "1.0");
      s3.put("configurationId", "indexview");
      ObjectNode bucket = s3.putObject("bucket");
      bucket.put("name", event.bucket());
      bucket.putObject("ownerIdentity").put("principalId", OWNER);
      bucket.put("arn", "arn:aws:s3:::" + event.bucket());
      ObjectNode object = s3.putObject("object");
      object.put("key", ObjectEvent.encodedKey(event.key()));
      event
          .content()
          .ifPresent(content -> object.put("size", content.size()).put("eTag", content.eTag()));
      object.put("sequencer", event.sequencer());
      return message.toString();
    }
  }
}
