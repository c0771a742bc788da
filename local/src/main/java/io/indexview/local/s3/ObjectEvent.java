package io.indexview.local.s3;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

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
}
