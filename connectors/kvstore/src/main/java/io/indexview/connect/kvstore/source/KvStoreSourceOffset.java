package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.ScanFields;
import io.indexview.connect.common.source.Scans;
import io.indexview.kvstore.KvChangePosition;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.control.SourceState.SnapshotNeeded;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * What Connect keeps of a source partition: its last complete scans. The position itself is in the
 * topic, where the index reads it.
 *
 * @param topicId of the topic that was scanned for; null before the first scan
 * @param problem what keeps a further scan from being complete; null: nothing
 * @param lastSnapshotNeeded why an ad-hoc snapshot was needed last; null: none was
 * @param followedTo how far the changes of the store are on the topic; null: they were not followed
 */
record KvStoreSourceOffset(
    String topicId,
    Scans scans,
    String problem,
    SnapshotNeeded lastSnapshotNeeded,
    FollowedTo followedTo) {
  static final KvStoreSourceOffset NONE =
      new KvStoreSourceOffset(null, Scans.NONE, null, null, null);

  private static final String SCAN = "scan";
  private static final String TOPIC_ID = "topicId";
  private static final String PROBLEM = "problem";
  private static final String NEEDED_SINCE = "neededSince";
  private static final String NEEDED_REASON = "neededReason";
  private static final String CHANGES_SCOPE = "changes.scope";
  private static final String CHANGES_VALUES = "changes.values";
  private static final String CHANGES_POSITION = "changes.position";
  private static final ScanFields LAST = new ScanFields("", SCAN);
  private static final ScanFields LAST_AD_HOC_SNAPSHOT = new ScanFields("snapshot.", SCAN);

  /**
   * A position in the changes of a store.
   *
   * @param scope which keys were followed, as {@link SourceSettings#keys} has it
   * @param values how they were read, as {@link SourceSettings#values} has it; empty: not known
   * @param position text of a {@link KvChangePosition}
   */
  record FollowedTo(String scope, String values, String position) {}

  /** The last scan; null before the first. */
  Scan lastScan() {
    return scans.last();
  }

  /** Why an ad-hoc snapshot is needed that was not made yet; empty: none is. */
  Optional<SnapshotNeeded> owedSnapshot() {
    return Optional.ofNullable(lastSnapshotNeeded)
        .filter(
            need ->
                scans.lastAdHocSnapshot() == null
                    || scans.lastAdHocSnapshot().startedAtMs() < need.sinceMs());
  }

  /**
   * Returns the offset with the reason why an ad-hoc snapshot is needed.
   *
   * @param now null: it is not needed now
   */
  KvStoreSourceOffset needing(SnapshotNeeded now) {
    return now == null ? this : new KvStoreSourceOffset(topicId, scans, problem, now, followedTo);
  }

  /**
   * Returns the offset with a scan that is complete.
   *
   * @param topicId of the topic that it was for
   */
  KvStoreSourceOffset completed(String topicId, Scan scan) {
    return new KvStoreSourceOffset(topicId, scans.and(scan), null, lastSnapshotNeeded, null);
  }

  /** Returns the offset with what keeps a further scan from being complete. */
  KvStoreSourceOffset hindered(String by) {
    return new KvStoreSourceOffset(topicId, scans, by, lastSnapshotNeeded, followedTo);
  }

  /** Returns the offset with another position in the changes of the store. */
  KvStoreSourceOffset followed(FollowedTo to) {
    return new KvStoreSourceOffset(topicId, scans, problem, lastSnapshotNeeded, to);
  }

  Map<String, Object> toMap() {
    Map<String, Object> offset = new HashMap<>();
    if (lastSnapshotNeeded != null) {
      offset.put(NEEDED_SINCE, lastSnapshotNeeded.sinceMs());
      offset.put(NEEDED_REASON, lastSnapshotNeeded.reason());
    }
    if (scans.last() == null) {
      offset.put(SCAN, 0L);
      return offset;
    }
    offset.put(TOPIC_ID, topicId);
    if (problem != null) {
      offset.put(PROBLEM, problem);
    }
    if (followedTo != null) {
      offset.put(CHANGES_SCOPE, followedTo.scope());
      offset.put(CHANGES_VALUES, followedTo.values());
      offset.put(CHANGES_POSITION, followedTo.position());
    }
    LAST.put(scans.last(), offset);
    LAST_AD_HOC_SNAPSHOT.put(scans.lastAdHocSnapshot(), offset);
    return offset;
  }

  /**
   * @param offset null: nothing is stored
   * @throws ConnectException naming the field that is missing or malformed, and its value
   */
  static KvStoreSourceOffset fromMap(Map<String, ?> offset) {
    if (offset == null) {
      return NONE;
    }
    if (offset.get(SCAN) instanceof Number scan && scan.longValue() == 0) {
      return NONE.needing(needed(offset));
    }
    String topicId = text(offset, TOPIC_ID);
    String problem = optionalText(offset, PROBLEM);
    try {
      Scan last = LAST.get(offset);
      Scan own = last.adHoc() ? last : null;
      return new KvStoreSourceOffset(
          topicId,
          new Scans(
              last, LAST_AD_HOC_SNAPSHOT.isIn(offset) ? LAST_AD_HOC_SNAPSHOT.get(offset) : own),
          problem,
          needed(offset),
          followedTo(offset));
    } catch (IllegalArgumentException e) {
      throw new ConnectException(e.getMessage(), e);
    }
  }

  private static FollowedTo followedTo(Map<String, ?> offset) {
    if (offset.get(CHANGES_SCOPE) == null && offset.get(CHANGES_POSITION) == null) {
      return null;
    }
    String scope = text(offset, CHANGES_SCOPE);
    String values = optionalText(offset, CHANGES_VALUES);
    String position = text(offset, CHANGES_POSITION);
    try {
      KvChangePosition.parse(position);
    } catch (IllegalArgumentException e) {
      throw new ConnectException(
          "source offset field %s: %s; use one that the source wrote, or leave both fields of the changes out: the source scans then"
              .formatted(CHANGES_POSITION, e.getMessage()),
          e);
    }
    return new FollowedTo(scope, values == null ? "" : values, position);
  }

  private static SnapshotNeeded needed(Map<String, ?> offset) {
    Object since = offset.get(NEEDED_SINCE);
    if (since == null && offset.get(NEEDED_REASON) == null) {
      return null;
    }
    if (!(since instanceof Number number)) {
      throw new ConnectException(
          "source offset field %s: %s; use a number".formatted(NEEDED_SINCE, since));
    }
    return new SnapshotNeeded(number.longValue(), text(offset, NEEDED_REASON));
  }

  private static String text(Map<String, ?> offset, String field) {
    if (offset.get(field) instanceof String text) {
      return text;
    }
    throw new ConnectException(
        "source offset field %s: %s; use a text".formatted(field, offset.get(field)));
  }

  /** Null: there is none. */
  private static String optionalText(Map<String, ?> offset, String field) {
    return offset.get(field) == null ? null : text(offset, field);
  }
}
