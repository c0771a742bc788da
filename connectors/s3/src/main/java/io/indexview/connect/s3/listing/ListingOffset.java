package io.indexview.connect.s3.listing;

import io.indexview.connect.common.source.ScanFields;
import io.indexview.connect.common.source.Scans;
import io.indexview.connect.common.source.SourcePartition;
import io.indexview.schemas.control.SourceState.Scan;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What Connect keeps of a source partition: how its last listings went.
 *
 * @param topicId of the topic that was listed for; null before the first, and where it is not
 *     stored
 * @param scans without a last one until the first is complete
 * @param problem what keeps a further listing from being complete; null: nothing
 * @param publishedUntil all that was sent to the queue before is in Kafka, ms since the epoch; 0:
 *     not known
 */
public record ListingOffset(String topicId, Scans scans, String problem, long publishedUntil) {
  public static final ListingOffset NONE = new ListingOffset(null, Scans.NONE);

  private static final String COMPLETE = "complete";
  private static final String TOPIC_ID = "topicId";
  private static final String PROBLEM = "problem";
  private static final String PUBLISHED_UNTIL = "publishedUntil";
  private static final String NUMBER = "number";
  private static final ScanFields LAST = new ScanFields("", NUMBER);
  private static final ScanFields LAST_AD_HOC_SNAPSHOT = new ScanFields("snapshot.", NUMBER);

  private static final String SOURCE = "source";
  private static final String BUCKET = "bucket";
  private static final String QUEUE = "queue";

  /** Creates an offset of which nothing keeps further listings from being complete. */
  public ListingOffset(String topicId, Scans scans) {
    this(topicId, scans, null, 0);
  }

  /** Connect's source partition of a bucket's listing. */
  public static Map<String, Object> bucketPartition(String source, String bucket) {
    return SourcePartition.inConnect(Map.of(SOURCE, source, BUCKET, bucket));
  }

  /** Connect's source partition of what comes through the queue. */
  public static Map<String, Object> queuePartition(String source, String queueUrl) {
    return SourcePartition.inConnect(Map.of(SOURCE, source, QUEUE, queueUrl));
  }

  /** Returns the offset with one more listing; those of an earlier topic no longer count. */
  ListingOffset and(String id, Scan scan) {
    return new ListingOffset(
        id, (id.equals(topicId) ? scans : Scans.NONE).and(scan), null, publishedUntil);
  }

  /**
   * Returns the offset with what keeps a further listing from being complete.
   *
   * @param by null: nothing
   */
  ListingOffset hindered(String by) {
    return new ListingOffset(topicId, scans, by, publishedUntil);
  }

  /**
   * Returns the offset with the time up to which Kafka has what was sent to the queue. A message
   * that comes again, or late, does not set it back; a time in the future is from before the clock
   * was set back, and says nothing.
   *
   * @param untilMs 0: not known
   */
  ListingOffset published(long untilMs, long nowMs) {
    long known = publishedUntil > nowMs ? 0 : publishedUntil;
    return new ListingOffset(topicId, scans, problem, Math.max(known, untilMs));
  }

  /** Whether a listing for the topic of this id is complete. */
  public boolean isOf(String id) {
    return scans.last() != null && id.equals(topicId);
  }

  public Map<String, Object> toMap() {
    if (scans.last() == null) {
      return Map.of(COMPLETE, false);
    }
    Map<String, Object> map = new HashMap<>();
    map.put(COMPLETE, true);
    if (topicId != null) {
      map.put(TOPIC_ID, topicId);
    }
    if (problem != null) {
      map.put(PROBLEM, problem);
    }
    if (publishedUntil > 0) {
      map.put(PUBLISHED_UNTIL, publishedUntil);
    }
    LAST.put(scans.last(), map);
    LAST_AD_HOC_SNAPSHOT.put(scans.lastAdHocSnapshot(), map);
    return map;
  }

  /**
   * Reads {@link #toMap} back.
   *
   * @param map null: nothing is kept
   * @throws IllegalArgumentException naming the field that is wrong
   */
  public static ListingOffset fromMap(Map<String, ?> map) {
    if (map == null || !complete(map)) {
      return NONE;
    }
    Scan last = LAST.get(map);
    Scan adHoc = LAST_AD_HOC_SNAPSHOT.isIn(map) ? LAST_AD_HOC_SNAPSHOT.get(map) : null;
    return new ListingOffset(
        text(map, TOPIC_ID), new Scans(last, adHoc), text(map, PROBLEM), publishedUntil(map));
  }

  private static long publishedUntil(Map<String, ?> map) {
    Object until = map.get(PUBLISHED_UNTIL);
    if (until == null) {
      return 0;
    }
    if (until instanceof Number number) {
      return number.longValue();
    }
    throw new IllegalArgumentException(
        "source offset field %s: %s; use a number of ms since the epoch, or leave it out"
            .formatted(PUBLISHED_UNTIL, until));
  }

  private static String text(Map<String, ?> map, String field) {
    Object text = map.get(field);
    if (text == null || text instanceof String) {
      return (String) text;
    }
    throw new IllegalArgumentException(
        "source offset field %s: %s; use a text".formatted(field, text));
  }

  private static boolean complete(Map<String, ?> map) {
    if (map.get(COMPLETE) instanceof Boolean value) {
      return value;
    }
    throw new IllegalArgumentException(
        "source offset field %s: %s; use true or false"
            .formatted(COMPLETE, Objects.toString(map.get(COMPLETE), "missing")));
  }

  /**
   * Whether Connect may store an offset for a partition: what a user gives to change offsets.
   *
   * @param offset null: forget what is stored
   * @throws IllegalArgumentException naming what is wrong
   */
  public static void validate(Map<String, ?> partition, Map<String, ?> offset) {
    if (offset == null) {
      return;
    }
    boolean bucket = partition.keySet().equals(Set.of(SOURCE, BUCKET));
    boolean queue = partition.keySet().equals(Set.of(SOURCE, QUEUE));
    if (!bucket && !queue) {
      throw new IllegalArgumentException(
          "source partition %s: use {source, bucket} or {source, queue}".formatted(partition));
    }
    for (Map.Entry<String, ?> entry : partition.entrySet()) {
      if (!(entry.getValue() instanceof String)) {
        throw new IllegalArgumentException(
            "source partition field %s: %s is not text"
                .formatted(entry.getKey(), entry.getValue()));
      }
    }
    if (bucket) {
      fromMap(offset);
    }
  }
}
