package io.indexview.dynamodb;

import io.indexview.aws.AwsAccess;
import java.net.URI;

/**
 * Where DynamoDB is and who asks.
 *
 * @param maxConnections requests in flight at most
 */
public record DynamoDbSettings(AwsAccess access, int maxConnections) {
  public DynamoDbSettings {
    if (maxConnections < 1) {
      throw new IllegalArgumentException("maxConnections " + maxConnections + " is below 1");
    }
  }

  /** Creates settings from the parts of an {@link AwsAccess}. */
  public DynamoDbSettings(
      String region,
      URI endpoint,
      String accessKeyId,
      String secretAccessKey,
      String sessionToken,
      int maxConnections) {
    this(
        new AwsAccess(region, endpoint, accessKeyId, secretAccessKey, sessionToken),
        maxConnections);
  }

  /** Creates settings without a session token. */
  public DynamoDbSettings(
      String region, URI endpoint, String accessKeyId, String secretAccessKey, int maxConnections) {
    this(region, endpoint, accessKeyId, secretAccessKey, null, maxConnections);
  }
}
