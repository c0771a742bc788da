package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeMap;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * What one source partition of a source last said on {@code source-states}.
 *
 * @param topic the primary-change topic
 * @param topicId Kafka's id of the topic that the scans are of; empty: the source does not know,
 *     and the offsets of its scans say nothing
 * @param sourcePartitions how many source partitions the source has
 * @param lastScan the last complete scan or listing
 * @param lastAdHocSnapshot the last complete ad-hoc snapshot, also after later scans
 * @param heartbeatAtMs ms since the epoch; advances while idle
 * @param publishedUntilMs of a source that takes events from a queue: all that was sent to it
 *     before is on the topic, as far as it can tell, ms since the epoch; 0: it does not know yet;
 *     empty: it does not tell
 * @param problem what keeps the scan that is being made, or was made last, from being complete; for
 *     people
 * @param snapshotNeeded what was published may be wrong until an ad-hoc snapshot is complete
 * @param lastSnapshotNeeded the last of these, also when its ad-hoc snapshot is complete
 * @param tombstoneRetention by which the source's index judges events; empty: it judges none, or
 *     does not tell
 * @param values how the records are written in the KV store; empty: not in one, or it does not tell
 * @param changeFeed of a source that follows the changes of its store; empty: it only scans
 * @param scanRequests what becomes of requests for a scan; empty: it knows of none, as earlier
 *     releases
 */
public record SourceState(
    String source,
    String topic,
    Optional<String> topicId,
    String sourcePartition,
    int sourcePartitions,
    Optional<Scan> lastScan,
    Optional<Scan> lastAdHocSnapshot,
    long heartbeatAtMs,
    OptionalLong publishedUntilMs,
    Optional<String> problem,
    Optional<SnapshotNeeded> snapshotNeeded,
    Optional<SnapshotNeeded> lastSnapshotNeeded,
    Optional<Duration> tombstoneRetention,
    Optional<StoredValues> values,
    Optional<ChangeFeed> changeFeed,
    Optional<ScanRequests> scanRequests) {
  private static final Schema SCAN = part("lastScan");
  private static final Schema OFFSETS = SCAN.getField("offsets").schema().getElementType();
  private static final Schema NEEDED = part("snapshotNeeded");
  private static final Schema FEED = part("changeFeed");
  private static final Schema FEED_END = FEED.getField("ends").schema().getElementType();
  private static final Schema REQUESTS = part("scanRequests");

  public SourceState {
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(topicId, "topicId");
    Objects.requireNonNull(sourcePartition, "sourcePartition");
    Objects.requireNonNull(lastScan, "lastScan");
    Objects.requireNonNull(lastAdHocSnapshot, "lastAdHocSnapshot");
    Objects.requireNonNull(publishedUntilMs, "publishedUntilMs");
    Objects.requireNonNull(problem, "problem");
    Objects.requireNonNull(snapshotNeeded, "snapshotNeeded");
    Objects.requireNonNull(lastSnapshotNeeded, "lastSnapshotNeeded");
    Objects.requireNonNull(tombstoneRetention, "tombstoneRetention");
    Objects.requireNonNull(values, "values");
    Objects.requireNonNull(changeFeed, "changeFeed");
    Objects.requireNonNull(scanRequests, "scanRequests");
    if (sourcePartitions < 1) {
      throw new IllegalArgumentException(
          "source %s has %d source partitions; it has at least one"
              .formatted(source, sourcePartitions));
    }
  }

  /** State of a source partition that tells nothing more. */
  public SourceState(
      String source,
      String topic,
      Optional<String> topicId,
      String sourcePartition,
      int sourcePartitions,
      Optional<Scan> lastScan,
      Optional<Scan> lastAdHocSnapshot,
      long heartbeatAtMs) {
    this(
        source,
        topic,
        topicId,
        sourcePartition,
        sourcePartitions,
        lastScan,
        lastAdHocSnapshot,
        heartbeatAtMs,
        OptionalLong.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  /** The record that a field holds if it is not null. */
  private static Schema part(String field) {
    return ControlSchemas.SOURCE_STATE.getField(field).schema().getTypes().get(1);
  }

  /**
   * Why an ad-hoc snapshot is needed.
   *
   * @param sinceMs the snapshot has to begin later, ms since the epoch
   * @param reason for people: what happened, and what helps
   */
  public record SnapshotNeeded(long sinceMs, String reason) {
    private GenericRecord toAvro() {
      GenericRecord record = new GenericData.Record(NEEDED);
      record.put("since", sinceMs);
      record.put("reason", reason);
      return record;
    }
  }

  /**
   * The changes of a store, as far as a source follows them.
   *
   * @param provenUntilMs every change that was made before is on the topic, ms since the epoch;
   *     empty: no such time is known
   * @param ends offset of each partition before which these changes are
   * @param problem why changes are not followed now, for people
   */
  public record ChangeFeed(
      OptionalLong provenUntilMs, Map<Integer, Long> ends, Optional<String> problem) {
    public ChangeFeed {
      Objects.requireNonNull(provenUntilMs, "provenUntilMs");
      Objects.requireNonNull(problem, "problem");
      ends = Map.copyOf(ends);
    }

    private GenericRecord toAvro() {
      GenericRecord record = new GenericData.Record(FEED);
      record.put("provenUntil", orNull(provenUntilMs));
      record.put("ends", new TreeMap<>(ends).entrySet().stream().map(ChangeFeed::toAvro).toList());
      record.put("problem", problem.orElse(null));
      return record;
    }

    private static GenericRecord toAvro(Map.Entry<Integer, Long> end) {
      GenericRecord record = new GenericData.Record(FEED_END);
      record.put("partition", end.getKey());
      record.put("end", end.getValue());
      return record;
    }
  }

  /**
   * What becomes of requests for a scan.
   *
   * @param answered the highest number of one that is answered, as far as the task remembers
   * @param refused why they are not answered, for people; empty: they are
   */
  public record ScanRequests(long answered, String refused) {
    public ScanRequests {
      Objects.requireNonNull(refused, "refused");
    }

    private GenericRecord toAvro() {
      GenericRecord record = new GenericData.Record(REQUESTS);
      record.put("answered", answered);
      record.put("refused", refused);
      return record;
    }
  }

  /**
   * A complete scan or listing.
   *
   * @param number counts the scans of the source partition
   * @param startedAtMs ms since the epoch
   * @param endedAtMs ms since the epoch
   * @param records primary records seen
   * @param adHoc an ad-hoc snapshot
   * @param request of an ad-hoc snapshot: the highest request number that it answers; 0: it was not
   *     asked
   * @param scope the keys that it answers for; empty: it does not tell, as those of releases before
   * @param begins end offset of each partition before the scan, 0: not known; a partition that came
   *     since, and is not named, began at 0
   * @param ends end offset of each partition after every event of the scan was acknowledged; one
   *     that a broker did not know, and is not named, has no event of the scan and ends where it
   *     began
   */
  public record Scan(
      long number,
      long startedAtMs,
      long endedAtMs,
      long records,
      boolean adHoc,
      long request,
      Optional<KeyScope> scope,
      Map<Integer, Long> begins,
      Map<Integer, Long> ends) {
    public Scan {
      Objects.requireNonNull(scope, "scope");
      Map<Integer, Long> allBegins = new HashMap<>(begins);
      ends.keySet().forEach(partition -> allBegins.putIfAbsent(partition, 0L));
      Map<Integer, Long> allEnds = new HashMap<>(ends);
      begins.forEach(allEnds::putIfAbsent);
      begins = Map.copyOf(allBegins);
      ends = Map.copyOf(allEnds);
    }

    /**
     * Returns the scan with the later begin that the changes followed since allow: they prove
     * everything before.
     */
    private Scan upTo(ChangeFeed feed) {
      if (feed.provenUntilMs().isEmpty() || feed.provenUntilMs().getAsLong() <= startedAtMs) {
        return this;
      }
      Map<Integer, Long> later = new HashMap<>(ends);
      feed.ends().forEach((partition, end) -> later.merge(partition, end, Math::max));
      return new Scan(
          number,
          feed.provenUntilMs().getAsLong(),
          endedAtMs,
          records,
          adHoc,
          request,
          scope,
          begins,
          later);
    }

    private GenericRecord toAvro() {
      GenericRecord record = new GenericData.Record(SCAN);
      record.put("number", number);
      record.put("startedAt", startedAtMs);
      record.put("endedAt", endedAtMs);
      record.put("records", records);
      record.put("adHoc", adHoc);
      record.put("request", request);
      record.put("scope", scope.map(KeyScope::toAvro).orElse(null));
      record.put("offsets", new TreeMap<>(ends).keySet().stream().map(this::offsets).toList());
      return record;
    }

    private GenericRecord offsets(int partition) {
      GenericRecord record = new GenericData.Record(OFFSETS);
      record.put("partition", partition);
      record.put("begin", begins.get(partition));
      record.put("end", ends.get(partition));
      return record;
    }
  }

  /**
   * The last complete scan, dated by what the changes that are followed since prove: every change
   * that was made before {@code startedAtMs} is before its ends.
   */
  public Optional<Scan> upToDate() {
    return lastScan.map(scan -> changeFeed.map(scan::upTo).orElse(scan));
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
        Optional.ofNullable((GenericRecord) record.get("lastAdHocSnapshot")).map(SourceState::scan),
        (Long) record.get("heartbeatAt"),
        time(record.get("publishedUntil")),
        Optional.ofNullable(record.get("problem")).map(Object::toString),
        needed(record.get("snapshotNeeded")),
        needed(record.get("lastSnapshotNeeded")),
        Optional.ofNullable((Long) record.get("tombstoneRetentionMs")).map(Duration::ofMillis),
        StoredValues.of(record),
        Optional.ofNullable((GenericRecord) record.get("changeFeed")).map(SourceState::changeFeed),
        Optional.ofNullable((GenericRecord) record.get("scanRequests"))
            .map(
                requests ->
                    new ScanRequests(
                        (Long) requests.get("answered"), requests.get("refused").toString())));
  }

  public GenericRecord toAvro() {
    GenericRecord record = new GenericData.Record(ControlSchemas.SOURCE_STATE);
    record.put("source", source);
    record.put("topic", topic);
    record.put("topicId", topicId.orElse(null));
    record.put("sourcePartition", sourcePartition);
    record.put("sourcePartitions", sourcePartitions);
    record.put("lastScan", lastScan.map(Scan::toAvro).orElse(null));
    record.put("lastAdHocSnapshot", lastAdHocSnapshot.map(Scan::toAvro).orElse(null));
    record.put("heartbeatAt", heartbeatAtMs);
    record.put("publishedUntil", orNull(publishedUntilMs));
    record.put("problem", problem.orElse(null));
    record.put("snapshotNeeded", snapshotNeeded.map(SnapshotNeeded::toAvro).orElse(null));
    record.put("lastSnapshotNeeded", lastSnapshotNeeded.map(SnapshotNeeded::toAvro).orElse(null));
    record.put("tombstoneRetentionMs", tombstoneRetention.map(Duration::toMillis).orElse(null));
    values.ifPresent(written -> written.putInto(record));
    record.put("changeFeed", changeFeed.map(ChangeFeed::toAvro).orElse(null));
    record.put("scanRequests", scanRequests.map(ScanRequests::toAvro).orElse(null));
    return record;
  }

  private static Long orNull(OptionalLong time) {
    return time.isPresent() ? time.getAsLong() : null;
  }

  private static ChangeFeed changeFeed(GenericRecord record) {
    Map<Integer, Long> ends = new HashMap<>();
    for (Object item : (List<?>) record.get("ends")) {
      GenericRecord end = (GenericRecord) item;
      ends.put((Integer) end.get("partition"), (Long) end.get("end"));
    }
    return new ChangeFeed(
        time(record.get("provenUntil")),
        ends,
        Optional.ofNullable(record.get("problem")).map(Object::toString));
  }

  private static OptionalLong time(Object field) {
    return field == null ? OptionalLong.empty() : OptionalLong.of((Long) field);
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
        (Boolean) record.get("adHoc"),
        (Long) record.get("request"),
        Optional.ofNullable((GenericRecord) record.get("scope")).map(KeyScope::of),
        begins,
        ends);
  }
}
