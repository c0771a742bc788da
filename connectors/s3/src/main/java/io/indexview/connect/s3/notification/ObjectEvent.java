package io.indexview.connect.s3.notification;

import java.time.Instant;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Objects;

/**
 * One change of one object.
 *
 * @param type as notified, for instance {@code ObjectCreated:Put}
 * @param key the object key itself, not URL-encoded
 * @param size bytes; null if not known
 * @param eTag null if not known
 * @param versionId null in a bucket without versions
 * @param sequencer hex digits; see {@link Sequencer}. Null: the event has no place in the order of
 *     its object's events, only a read can tell what became of the object
 */
public record ObjectEvent(
    Kind kind,
    String type,
    String bucket,
    String key,
    Long size,
    String eTag,
    String versionId,
    String sequencer,
    Instant time) {

  /** What became of the object. */
  public enum Kind {
    /** The key has new content. */
    CREATED,
    /** The key no longer has an object. */
    REMOVED,
    /** One version is gone for good: what is under the key now, only a read of it can tell. */
    VERSION_REMOVED,
    /**
     * Something about the object may have changed: only a read of it can tell. Never with a
     * sequencer: MinIO gives these that of the content.
     */
    TOUCHED
  }

  public ObjectEvent {
    Objects.requireNonNull(kind, "kind");
    Objects.requireNonNull(type, "type");
    Objects.requireNonNull(bucket, "bucket");
    Objects.requireNonNull(key, "key");
    Objects.requireNonNull(time, "time");
  }

  /**
   * The sequencer of a notification as bytes. Two sequencers of one object are compared as text
   * after the shorter one is padded with zeros on the right, which is how the bytes are compared,
   * too (Amazon S3 user guide, "Event message structure": right pad the shorter value with zeros,
   * then compare lexicographically).
   *
   * <p>MinIO's and Ceph's are the clock of the node that wrote the object: in order as far as the
   * clocks of their nodes agree. Two changes of one object at the same instant are one to the order
   * guard; the first that comes counts, but what a removed version leaves counts behind both.
   */
  public static final class Sequencer {
    /** Length of Ceph's time: seconds and nanoseconds, each four bytes. */
    private static final int CEPH_BYTES = 8;

    private Sequencer() {}

    /**
     * @throws IllegalArgumentException if the text is not made of hex digits
     */
    public static byte[] decode(String hex) {
      if (hex.isEmpty()) {
        throw new IllegalArgumentException("empty sequencer");
      }
      return HexFormat.of().parseHex(hex.length() % 2 == 0 ? hex : hex + "0");
    }

    /**
     * The sequencer in upper case.
     *
     * @throws IllegalArgumentException if the text is not made of hex digits
     */
    static String checked(String hex) {
      decode(hex);
      return hex.toUpperCase(Locale.ROOT);
    }

    /**
     * A sequencer that orders as Ceph's time does. Ceph prints the memory of a time (rgw_notify.cc:
     * seconds and nanoseconds, 32 bits each), in which on all usual machines the lowest byte is the
     * first: as text it is in no order.
     *
     * @throws IllegalArgumentException if the text is not made of hex digits
     */
    static String ofCeph(String hex) {
      byte[] memory = decode(hex);
      if (memory.length != CEPH_BYTES) {
        return checked(hex);
      }
      byte[] ordered = new byte[CEPH_BYTES];
      for (int i = 0; i < CEPH_BYTES; i++) {
        // Swaps the bytes within each half.
        ordered[i] = memory[i ^ 3];
      }
      return HexFormat.of().withUpperCase().formatHex(ordered);
    }
  }
}
