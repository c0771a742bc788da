package io.indexview.schemas.control;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * What one source partition of a source last said on {@code source-states}, for those who read it.
 *
 * @param topic the primary-change topic
 * @param topicId Kafka's id of the topic that the scans are of; empty: the source does not know,
 *     and the offsets of its scans say nothing
 * @param sourcePartitions how many source partitions the source has
 * @param lastScan the last complete scan or listing
 * @param lastForced the last complete ad-hoc snapshot, also after later scans
 * @param heartbeatAtMs ms since the epoch; advances while idle
 * @param problem what keeps the scan that is being made, or was made last, from being complete; for
 *     people
 * @param snapshotNeeded what was published may be wrong until an ad-hoc snapshot is complete
 * @param lastSnapshotNeeded the last of these, also when its ad-hoc snapshot is complete
 * @param tombstoneRetention by which the source's index judges events; empty: it judges none, or
 *     does not tell
 * @param values how the records are written in the KV store; empty: not in one, or it does not tell
 */
public record SourceState(
    String source,
    String topic,
    Optional<String> topicId,
    String sourcePartition,
    int sourcePartitions,
    Optional<Scan> lastScan,
    Optional<Scan> lastForced,
    long heartbeatAtMs,
    Optional<String> problem,
    Optional<SnapshotNeeded> snapshotNeeded,
    Optional<SnapshotNeeded> lastSnapshotNeeded,
    Optional<Duration> tombstoneRetention,
    Optional<StoredValues> values) {
  public SourceState {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(sourcePartition, "sourcePartition");
    Objects.requireNonNull(problem, "problem");
    Objects.requireNonNull(snapshotNeeded, "snapshotNeeded");
    Objects.requireNonNull(lastSnapshotNeeded, "lastSnapshotNeeded");
    Objects.requireNonNull(tombstoneRetention, "tombstoneRetention");
    Objects.requireNonNull(values, "values");
    if (sourcePartitions < 1) {
      throw new IllegalArgumentException(
          "source %s has %d source partitions; it has at least one"
              .formatted(source, sourcePartitions));
    }
  }

  /**
   * Why an ad-hoc snapshot is needed.
   *
   * @param sinceMs the snapshot has to begin later, ms since the epoch
   * @param reason for people: what happened, and what helps
   */
  public record SnapshotNeeded(long sinceMs, String reason) {}

  /**
   * A complete scan or listing.
   *
   * @param number counts the scans of the source partition
   * @param startedAtMs ms since the epoch
   * @param endedAtMs ms since the epoch
   * @param records primary records seen
   * @param forced an ad-hoc snapshot
   * @param request of an ad-hoc snapshot: the highest request number that it answers
   * @param scope the keys that it answers for; empty: it does not tell
   * @param begins end offset of each partition before the scan
   * @param ends end offset of each partition after every event of the scan was acknowledged
   */
  public record Scan(
      long number,
      long startedAtMs,
      long endedAtMs,
      long records,
      boolean forced,
      long request,
      Optional<KeyScope> scope,
      Map<Integer, Long> begins,
      Map<Integer, Long> ends) {
    public Scan {
      Objects.requireNonNull(scope, "scope");
      begins = Map.copyOf(begins);
      ends = Map.copyOf(ends);
    }
  }

  /** Whether it is {@link PublishedAgain}, and no source's. */
  public boolean isOfOperator() {
    return source.equals(PublishedAgain.OPERATOR);
  }

  /** Key of its records on the topic. */
  public String key() {
    return key(source, topic, sourcePartition);
  }

  public static String key(String source, String topic, String sourcePartition) {
    return source + "|" + topic + "|" + sourcePartition;
  }

  public static SourceState of(GenericRecord record) {
    return new SourceState(
        record.get("source").toString(),
        record.get("topic").toString(),
        Optional.ofNullable(record.get("topicId")).map(Object::toString),
        record.get("sourcePartition").toString(),
        (Integer) record.get("sourcePartitions"),
        Optional.ofNullable((GenericRecord) record.get("lastScan")).map(SourceState::scan),
        Optional.ofNullable((GenericRecord) record.get("lastForced")).map(SourceState::scan),
        (Long) record.get("heartbeatAt"),
        Optional.ofNullable(record.get("problem")).map(Object::toString),
        needed(record.get("snapshotNeeded")),
        needed(record.get("lastSnapshotNeeded")),
        Optional.ofNullable((Long) record.get("tombstoneRetentionMs")).map(Duration::ofMillis),
        StoredValues.of(record));
  }

  private static Optional<SnapshotNeeded> needed(Object field) {
    return Optional.ofNullable((GenericRecord) field)
        .map(
            needed ->
                new SnapshotNeeded((Long) needed.get("since"), needed.get("reason").toString()));
  }

  private static Scan scan(GenericRecord record) {
    Map<Integer, Long> begins = new HashMap<>();
    Map<Integer, Long> ends = new HashMap<>();
    for (Object item : (List<?>) record.get("offsets")) {
      GenericRecord offsets = (GenericRecord) item;
      begins.put((Integer) offsets.get("partition"), (Long) offsets.get("begin"));
      ends.put((Integer) offsets.get("partition"), (Long) offsets.get("end"));
    }
    return new Scan(
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
