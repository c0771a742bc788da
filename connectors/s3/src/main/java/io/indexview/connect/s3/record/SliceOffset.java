package io.indexview.connect.s3.record;

import io.indexview.connect.common.offset.SourcePartitions;
import io.indexview.connect.common.source.Look;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What Connect keeps of a slice: whether its first look is complete, and how it went.
 *
 * @param look null until it is complete
 */
public record SliceOffset(Look look) {
  public static final SliceOffset NONE = new SliceOffset(null);

  private static final String COMPLETE = "complete";
  private static final String NUMBER = "number";
  private static final String STARTED = "startedAt";
  private static final String ENDED = "endedAt";
  private static final String RECORDS = "records";
  private static final String ENDS = "ends";

  private static final String SOURCE = "source";
  private static final String BUCKET = "bucket";
  private static final String QUEUE = "queue";

  /** Connect's source partition of a bucket's listing. */
  public static Map<String, Object> bucketPartition(String source, String bucket) {
    return SourcePartitions.of(Map.of(SOURCE, source, BUCKET, bucket));
  }

  /** Connect's source partition of what comes through the queue. */
  public static Map<String, Object> queuePartition(String source, String queueUrl) {
    return SourcePartitions.of(Map.of(SOURCE, source, QUEUE, queueUrl));
  }

  public Map<String, Object> toMap() {
    if (look == null) {
      return Map.of(COMPLETE, false);
    }
    return Map.of(
        COMPLETE,
        true,
        NUMBER,
        look.number(),
        STARTED,
        look.startedAt(),
        ENDED,
        look.endedAt(),
        RECORDS,
        look.records(),
        ENDS,
        new TreeMap<>(look.ends())
            .entrySet().stream()
                .map(end -> end.getKey() + ":" + end.getValue())
                .collect(Collectors.joining(",")));
  }

  /**
   * Reads {@link #toMap} back.
   *
   * @param map null: nothing is kept
   * @throws IllegalArgumentException naming the field that is wrong
   */
  public static SliceOffset fromMap(Map<String, ?> map) {
    if (map == null || !bool(map, COMPLETE)) {
      return NONE;
    }
    Map<Integer, Long> ends = ends(map.get(ENDS));
    return new SliceOffset(
        new Look(
            number(map, NUMBER),
            number(map, STARTED),
            number(map, ENDED),
            number(map, RECORDS),
            false,
            begins(ends),
            ends));
  }

  /**
   * Nobody asks Kafka where its topic ended before the listing began. Zero is never too high, and
   * only a forced look makes use of it.
   */
  static Map<Integer, Long> begins(Map<Integer, Long> ends) {
    return ends.keySet().stream().collect(Collectors.toMap(partition -> partition, p -> 0L));
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

  private static boolean bool(Map<String, ?> map, String field) {
    if (map.get(field) instanceof Boolean value) {
      return value;
    }
    throw wrong(field, map.get(field), "true or false");
  }

  private static long number(Map<String, ?> map, String field) {
    // Connect stores integers as longs.
    if (map.get(field) instanceof Number value && value.longValue() >= 0) {
      return value.longValue();
    }
    throw wrong(field, map.get(field), "a number that is not negative");
  }

  private static Map<Integer, Long> ends(Object value) {
    Map<Integer, Long> ends = new TreeMap<>();
    if (!(value instanceof String text)) {
      throw wrong(ENDS, value, "partition:offset,partition:offset");
    }
    for (String end : text.isEmpty() ? new String[0] : text.split(",")) {
      String[] parts = end.split(":");
      try {
        if (parts.length != 2) {
          throw wrong(ENDS, value, "partition:offset,partition:offset");
        }
        ends.put(Integer.parseInt(parts[0]), Long.parseLong(parts[1]));
      } catch (NumberFormatException e) {
        throw wrong(ENDS, value, "partition:offset,partition:offset");
      }
    }
    return ends;
  }

  private static IllegalArgumentException wrong(String field, Object value, String remedy) {
    return new IllegalArgumentException(
        "source offset field %s: %s; use %s"
            .formatted(field, Objects.toString(value, "missing"), remedy));
  }
}
