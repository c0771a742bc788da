package io.indexview.connect.s3.object;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects of one bucket that nobody may look at, such as those encrypted with a key of the customer
 * or below a denied prefix. They hold up no other object; but a look at the bucket that did not see
 * them is not complete. Remembers so many of them, of the others only how many there are and where
 * the first is. For one thread.
 */
public final class RefusedLooks {
  private static final Logger LOGGER = LoggerFactory.getLogger(RefusedLooks.class);
  private static final int REMEMBERED = 10_000;
  private static final int LOOKED_AT_AGAIN = 100;

  private final String bucket;
  private final int most;
  private final Set<String> keys = new LinkedHashSet<>();
  private String cause;

  /** Objects that it does not remember. */
  private long others;

  /** They all follow this key in the order of listings; null: they may be the first. */
  private String othersFollow;

  public RefusedLooks(String bucket) {
    this(bucket, REMEMBERED);
  }

  /**
   * @param most objects that are remembered
   */
  RefusedLooks(String bucket, int most) {
    this.bucket = bucket;
    this.most = most;
  }

  /**
   * Somebody was refused a look at an object.
   *
   * @param follows a key that it follows in the order of listings, not lower than at earlier calls;
   *     null: none
   */
  public void add(String key, ObjectStoreException.Permanent refusal, String follows) {
    boolean isKnown = keys.remove(key);
    if (isKnown || keys.size() < most) {
      keys.add(key);
    } else {
      othersFollow = others == 0 ? follows : othersFollow;
      others++;
    }
    cause = "%s (object %s)".formatted(refusal.getMessage(), key);
    LOGGER.debug("Nobody may look at object {} of bucket {}", key, bucket, refusal);
  }

  public boolean isEmpty() {
    return keys.isEmpty() && others == 0;
  }

  /** Whether only such objects are left that it does not remember: they have to be listed again. */
  public boolean areOnlyOthers() {
    return keys.isEmpty() && others > 0;
  }

  /**
   * Forgets the objects that it does not remember, because they are listed again.
   *
   * @return the key after which the listing begins; null: with the first object
   */
  public String forgetOthers() {
    others = 0;
    return othersFollow;
  }

  /**
   * Looks again at some, those first whose last look is longest ago, and forgets those that it
   * could look at.
   *
   * @return what is under them now; of fewer if the store does not answer any more
   * @throws ObjectStoreException.Unavailable if it answered for none
   */
  public Map<String, Optional<ObjectInfo>> lookAgain(ObjectStore store) {
    Map<String, Optional<ObjectInfo>> seen = new LinkedHashMap<>();
    for (String key : keys.stream().limit(LOOKED_AT_AGAIN).toList()) {
      try {
        seen.put(key, store.headOrGone(bucket, key));
        keys.remove(key);
      } catch (ObjectStoreException.Permanent e) {
        add(key, e, null);
      } catch (ObjectStoreException.Unavailable e) {
        if (seen.isEmpty()) {
          throw e;
        }
        return seen;
      }
    }
    return seen;
  }

  /** Somebody could look at an object. */
  public void answered(String key) {
    keys.remove(key);
  }

  /** Forgets all. */
  public void clear() {
    keys.clear();
    others = 0;
  }

  /** For people; empty if there are none. */
  public Optional<String> problem() {
    return isEmpty()
        ? Optional.empty()
        : Optional.of(
            "%d objects of bucket %s cannot be looked at, the last for: %s; allow s3:GetObject (with tags also s3:GetObjectTagging), take them out of the bucket if they are encrypted with a key of the customer, or leave out s3.attributes"
                .formatted(keys.size() + others, bucket, cause));
  }
}
