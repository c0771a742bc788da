package io.indexview.dynamodb;

import java.net.URI;
import java.util.Objects;

/**
 * Where DynamoDB is and who asks.
 *
 * @param endpoint null: the region's own
 * @param accessKeyId null: the SDK's default chain finds the credentials
 * @param secretAccessKey set exactly with {@code accessKeyId}
 * @param sessionToken what temporary keys come with; null: they are no temporary ones
 * @param maxConnections requests in flight at most
 */
public record DynamoDbSettings(
    String region,
    URI endpoint,
    String accessKeyId,
    String secretAccessKey,
    String sessionToken,
    int maxConnections) {
  public DynamoDbSettings {
    Objects.requireNonNull(region, "region");
    if ((accessKeyId == null) != (secretAccessKey == null)) {
      throw new IllegalArgumentException(
          "access key id and secret access key: give both, or none for the default chain");
    }
    if (sessionToken != null && accessKeyId == null) {
      throw new IllegalArgumentException(
          "session token: give it with the access key id and secret that it came with");
    }
    if (maxConnections < 1) {
      throw new IllegalArgumentException("maxConnections " + maxConnections + " is below 1");
    }
  }

  /** Without a session token. */
  public DynamoDbSettings(
      String region, URI endpoint, String accessKeyId, String secretAccessKey, int maxConnections) {
    this(region, endpoint, accessKeyId, secretAccessKey, null, maxConnections);
  }

  @Override
  public String toString() {
    return "DynamoDbSettings[region=%s, endpoint=%s, credentials=%s]"
        .formatted(region, endpoint, accessKeyId == null ? "default chain" : "static");
  }
}
