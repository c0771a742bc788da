package io.indexview.connect.kvstore.source;

import io.indexview.connect.common.source.Look;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.apache.kafka.connect.errors.ConnectException;

/**
 * What Connect keeps of a slice: its last complete look. The position itself is in the topic, where
 * the index reads it.
 *
 * @param topicId of the topic that was looked at; null with the look
 * @param lastLook null before the first
 */
record KvStoreSourceOffset(String topicId, Look lastLook) {
  static final KvStoreSourceOffset NONE = new KvStoreSourceOffset(null, null);

  private static final String LOOK = "look";
  private static final String TOPIC_ID = "topicId";
  private static final String STARTED_AT = "startedAt";
  private static final String ENDED_AT = "endedAt";
  private static final String RECORDS = "records";
  private static final String FORCED = "forced";
  private static final String BEGINS = "begins";
  private static final String ENDS = "ends";

  /** Number of the last look; 0 before the first. */
  long look() {
    return lastLook == null ? 0 : lastLook.number();
  }

  Map<String, Object> toMap() {
    Map<String, Object> offset = new HashMap<>();
    offset.put(LOOK, look());
    if (lastLook != null) {
      offset.put(TOPIC_ID, topicId);
      offset.put(STARTED_AT, lastLook.startedAt());
      offset.put(ENDED_AT, lastLook.endedAt());
      offset.put(RECORDS, lastLook.records());
      offset.put(FORCED, lastLook.forced());
      offset.put(BEGINS, text(lastLook.begins()));
      offset.put(ENDS, text(lastLook.ends()));
    }
    return offset;
  }

  /**
   * @param offset null: nothing is stored
   * @throws ConnectException naming the field that is missing or malformed, and its value
   */
  static KvStoreSourceOffset fromMap(Map<String, ?> offset) {
    if (offset == null || number(offset, LOOK) == 0) {
      return NONE;
    }
    if (!(offset.get(TOPIC_ID) instanceof String topicId)) {
      throw malformed(offset, TOPIC_ID, "a text");
    }
    if (!(offset.get(FORCED) instanceof Boolean forced)) {
      throw malformed(offset, FORCED, "true or false");
    }
    Map<Integer, Long> begins = offsets(offset, BEGINS);
    Map<Integer, Long> ends = offsets(offset, ENDS);
    if (!begins.keySet().equals(ends.keySet())) {
      throw malformed(offset, ENDS, "of the same partitions as " + BEGINS);
    }
    return new KvStoreSourceOffset(
        topicId,
        new Look(
            number(offset, LOOK),
            number(offset, STARTED_AT),
            number(offset, ENDED_AT),
            number(offset, RECORDS),
            forced,
            begins,
            ends));
  }

  private static long number(Map<String, ?> offset, String field) {
    // Connect hands small numbers back as Integer or Long, as its converter sees fit
    if (offset.get(field) instanceof Number number && number.longValue() >= 0) {
      return number.longValue();
    }
    throw malformed(offset, field, "a number, not negative");
  }

  private static String text(Map<Integer, Long> offsets) {
    return new TreeMap<>(offsets)
        .entrySet().stream()
            .map(entry -> entry.getKey() + ":" + entry.getValue())
            .collect(Collectors.joining(","));
  }

  private static Map<Integer, Long> offsets(Map<String, ?> offset, String field) {
    Map<Integer, Long> offsets = new HashMap<>();
    try {
      for (String pair : String.valueOf(offset.get(field)).split(",")) {
        String[] parts = pair.split(":", 2);
        offsets.put(Integer.valueOf(parts[0]), Long.valueOf(parts[1]));
      }
    } catch (NumberFormatException | ArrayIndexOutOfBoundsException e) {
      throw malformed(offset, field, "partition:offset pairs, separated by commas");
    }
    return offsets;
  }

  private static ConnectException malformed(Map<String, ?> offset, String field, String expected) {
    return new ConnectException(
        "source offset: field \"%s\" is %s and must be %s"
            .formatted(field, offset.get(field), expected));
  }
}
