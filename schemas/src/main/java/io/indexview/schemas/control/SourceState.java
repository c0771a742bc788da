package io.indexview.schemas.control;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * What one slice of a source last said on {@code source-states}, for those who read it.
 *
 * @param topic the primary-change topic
 * @param topicId Kafka's id of the topic that the looks are of; empty: the source does not know,
 *     and the offsets of its looks say nothing
 * @param slices how many slices the source has
 * @param lastLook the last complete sweep or listing
 * @param lastForced the last complete resnapshot, also after other looks
 * @param heartbeatAtMs ms since the epoch; advances while idle
 * @param problem what keeps the look that is being made, or was made last, from being complete; for
 *     people
 * @param snapshotNeeded what was published may be wrong until an ad-hoc snapshot is complete
 */
public record SourceState(
    String source,
    String topic,
    Optional<String> topicId,
    String slice,
    int slices,
    Optional<Look> lastLook,
    Optional<Look> lastForced,
    long heartbeatAtMs,
    Optional<String> problem,
    Optional<SnapshotNeeded> snapshotNeeded) {
  public SourceState {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(slice, "slice");
    Objects.requireNonNull(problem, "problem");
    Objects.requireNonNull(snapshotNeeded, "snapshotNeeded");
  }

  /**
   * Why an ad-hoc snapshot is needed.
   *
   * @param sinceMs the snapshot has to begin later, ms since the epoch
   * @param reason for people: what happened, and what helps
   */
  public record SnapshotNeeded(long sinceMs, String reason) {}

  /**
   * A complete sweep or listing.
   *
   * @param number counts the looks of the slice
   * @param startedAtMs ms since the epoch
   * @param endedAtMs ms since the epoch
   * @param records primary records seen
   * @param forced a resnapshot
   * @param request of a resnapshot: the highest request number that it answers
   * @param scope the keys that it answers for; empty: it does not tell
   * @param begins end offset of each partition before the look
   * @param ends end offset of each partition after every event of the look was acknowledged
   */
  public record Look(
      long number,
      long startedAtMs,
      long endedAtMs,
      long records,
      boolean forced,
      long request,
      Optional<KeyScope> scope,
      Map<Integer, Long> begins,
      Map<Integer, Long> ends) {
    public Look {
      Objects.requireNonNull(scope, "scope");
      begins = Map.copyOf(begins);
      ends = Map.copyOf(ends);
    }
  }

  /** Key of its records on the topic. */
  public String key() {
    return key(source, topic, slice);
  }

  public static String key(String source, String topic, String slice) {
    return source + "|" + topic + "|" + slice;
  }

  public static SourceState of(GenericRecord record) {
    return new SourceState(
        record.get("source").toString(),
        record.get("topic").toString(),
        Optional.ofNullable(record.get("topicId")).map(Object::toString),
        record.get("slice").toString(),
        (Integer) record.get("slices"),
        Optional.ofNullable((GenericRecord) record.get("lastLook")).map(SourceState::look),
        Optional.ofNullable((GenericRecord) record.get("lastForced")).map(SourceState::look),
        (Long) record.get("heartbeatAt"),
        Optional.ofNullable(record.get("problem")).map(Object::toString),
        Optional.ofNullable((GenericRecord) record.get("snapshotNeeded"))
            .map(
                needed ->
                    new SnapshotNeeded(
                        (Long) needed.get("since"), needed.get("reason").toString())));
  }

  private static Look look(GenericRecord record) {
    Map<Integer, Long> begins = new HashMap<>();
    Map<Integer, Long> ends = new HashMap<>();
    for (Object item : (List<?>) record.get("offsets")) {
      GenericRecord offsets = (GenericRecord) item;
      begins.put((Integer) offsets.get("partition"), (Long) offsets.get("begin"));
      ends.put((Integer) offsets.get("partition"), (Long) offsets.get("end"));
    }
    return new Look(
        (Long) record.get("number"),
        (Long) record.get("startedAt"),
        (Long) record.get("endedAt"),
        (Long) record.get("records"),
        (Boolean) record.get("forced"),
        (Long) record.get("request"),
        Optional.ofNullable((GenericRecord) record.get("scope")).map(KeyScope::of),
        begins,
        ends);
  }
}
