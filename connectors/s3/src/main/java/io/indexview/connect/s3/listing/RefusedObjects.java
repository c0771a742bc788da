package io.indexview.connect.s3.listing;

import io.indexview.connect.s3.client.AwsRequestException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects of one bucket whose metadata may not be read, such as those encrypted with a key of the
 * customer or below a denied prefix. They hold up no other object; but a listing that could not
 * read them is not complete. Remembers so many of them, of the others only how many there are and
 * where the first is. For one thread.
 */
final class RefusedObjects {
  private static final Logger LOGGER = LoggerFactory.getLogger(RefusedObjects.class);
  private static final int MAX_REMEMBERED = 10_000;

  private final String bucket;
  private final Set<String> keys = new LinkedHashSet<>();
  private String cause;

  /** Objects that it does not remember. */
  private long others;

  /** They all follow this key in the order of listings; null: they may be the first. */
  private String othersFollow;

  RefusedObjects(String bucket) {
    this.bucket = bucket;
  }

  /**
   * A read of an object was refused.
   *
   * @param follows a key that it follows in the order of listings, not lower than at earlier calls;
   *     null: none
   */
  void add(String key, AwsRequestException.Permanent refusal, String follows) {
    boolean isKnown = keys.remove(key);
    if (isKnown || keys.size() < MAX_REMEMBERED) {
      keys.add(key);
    } else {
      othersFollow = others == 0 ? follows : othersFollow;
      others++;
    }
    cause = "%s (object %s)".formatted(refusal.getMessage(), key);
    LOGGER.debug("The metadata of object {} of bucket {} may not be read", key, bucket, refusal);
  }

  boolean isEmpty() {
    return size() == 0;
  }

  long size() {
    return keys.size() + others;
  }

  /** Whether only such objects are left that it does not remember: they have to be listed again. */
  boolean areOnlyOthers() {
    return keys.isEmpty() && others > 0;
  }

  /**
   * Forgets the objects that it does not remember, because they are listed again.
   *
   * @return the key after which the listing begins; null: with the first object
   */
  String forgetOthers() {
    others = 0;
    return othersFollow;
  }

  /** Some of the objects, those first whose last refusal is longest ago. */
  List<String> oldest(int limit) {
    return keys.stream().limit(limit).toList();
  }

  /** An object could be read. */
  void answered(String key) {
    keys.remove(key);
  }

  /** Forgets all. */
  void clear() {
    keys.clear();
    others = 0;
  }

  /** Text that says what is refused; empty if nothing is. */
  Optional<String> problem() {
    return isEmpty()
        ? Optional.empty()
        : Optional.of(
            "the metadata of %d objects of bucket %s cannot be read, the last for: %s; allow s3:GetObject (with tags also s3:GetObjectTagging), take them out of the bucket if they are encrypted with a key of the customer, or leave out s3.attributes"
                .formatted(size(), bucket, cause));
  }
}
