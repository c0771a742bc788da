package io.indexview.connect.s3.object;

import java.util.Map;

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
