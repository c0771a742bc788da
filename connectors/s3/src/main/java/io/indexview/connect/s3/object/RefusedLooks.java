package io.indexview.connect.s3.object;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects that nobody may look at, such as those encrypted with a key of the customer or below a
 * denied prefix: they hold up nothing else. For one thread.
 */
public final class RefusedLooks {
  private static final Logger LOGGER = LoggerFactory.getLogger(RefusedLooks.class);

  private long count;

  /** Names the first at once, and the others for those who debug. */
  public void add(String bucket, String key, ObjectStoreException.Permanent cause) {
    if (count == 0) {
      LOGGER.warn(
          "Object {} of bucket {} cannot be looked at, so what only a look tells of it is missing; it needs s3:GetObject (with tags also s3:GetObjectTagging) and no customer-provided key: {}",
          key,
          bucket,
          cause.getMessage());
    } else {
      LOGGER.debug("Object {} of bucket {} cannot be looked at either", key, bucket, cause);
    }
    count++;
  }

  /** Looks that were refused so far. */
  public long count() {
    return count;
  }
}
