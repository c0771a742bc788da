package io.indexview.connect.s3.object;

import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * One object as it is now.
 *
 * @param size bytes
 * @param eTag null if not known
 * @param versionId null in a bucket without versions, and in listings
 * @param attributes null in listings
 */
public record ObjectInfo(
    String key,
    long size,
    String eTag,
    String versionId,
    Instant lastModified,
    ObjectAttributes attributes) {
  public ObjectInfo {
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(lastModified, "lastModified");
  }

  /** Creates the information that a listing gives. */
  public ObjectInfo(String key, long size, String eTag, String versionId, Instant lastModified) {
    this(key, size, eTag, versionId, lastModified, null);
  }

  /** Whether the content is the same, as far as is known. A HEAD tells whole seconds only. */
  public boolean hasContentOf(ObjectInfo other) {
    return size == other.size()
        && Objects.equals(eTag, other.eTag())
        && lastModified.getEpochSecond() == other.lastModified().getEpochSecond();
  }

  /**
   * What only a read of an object tells, neither a notification nor a listing.
   *
   * @param contentType null if it has none
   * @param userMetadata names in lower case, without {@code x-amz-meta-}
   * @param tags empty also if nobody asked for them
   */
  public record ObjectAttributes(
      String contentType, Map<String, String> userMetadata, Map<String, String> tags) {
    public ObjectAttributes {
      userMetadata = Map.copyOf(userMetadata);
      tags = Map.copyOf(tags);
    }
  }
}
