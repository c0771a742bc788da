package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.Look;
import io.indexview.connect.common.source.LookFields;
import io.indexview.connect.common.source.Looks;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * What Connect keeps of a slice: its last complete looks. The position itself is in the topic,
 * where the index reads it.
 *
 * @param topicId of the topic that was looked at; null before the first look
 */
record KvStoreSourceOffset(String topicId, Looks looks) {
  static final KvStoreSourceOffset NONE = new KvStoreSourceOffset(null, Looks.NONE);

  private static final String LOOK = "look";
  private static final String TOPIC_ID = "topicId";
  private static final LookFields LAST = new LookFields("", LOOK);
  private static final LookFields LAST_FORCED = new LookFields("resnapshot.", LOOK);

  /** The last look; null before the first. */
  Look lastLook() {
    return looks.last();
  }

  Map<String, Object> toMap() {
    Map<String, Object> offset = new HashMap<>();
    if (looks.last() == null) {
      offset.put(LOOK, 0L);
      return offset;
    }
    offset.put(TOPIC_ID, topicId);
    LAST.put(looks.last(), offset);
    LAST_FORCED.put(looks.lastForced(), offset);
    return offset;
  }

  /**
   * @param offset null: nothing is stored
   * @throws ConnectException naming the field that is missing or malformed, and its value
   */
  static KvStoreSourceOffset fromMap(Map<String, ?> offset) {
    if (offset == null || (offset.get(LOOK) instanceof Number look && look.longValue() == 0)) {
      return NONE;
    }
    if (!(offset.get(TOPIC_ID) instanceof String topicId)) {
      throw new ConnectException(
          "source offset field topicId: %s; use a text".formatted(offset.get(TOPIC_ID)));
    }
    try {
      Look last = LAST.get(offset);
      Look ownForced = last.forced() ? last : null;
      return new KvStoreSourceOffset(
          topicId, new Looks(last, LAST_FORCED.isIn(offset) ? LAST_FORCED.get(offset) : ownForced));
    } catch (IllegalArgumentException e) {
      throw new ConnectException(e.getMessage(), e);
    }
  }
}
