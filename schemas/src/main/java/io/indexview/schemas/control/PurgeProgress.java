package io.indexview.schemas.control;

import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * A task's report that it deleted from its state what an ad-hoc snapshot did not name. It lies on
 * {@code view-progress}, in one transaction with the deletions.
 *
 * @param partition of the record set's topic
 * @param topicId Kafka's id of the topic that was published again
 * @param begins where the partition ended before the scan of each source partition, by {@link
 *     CompleteScan.Part#id}; the task is done with their earlier scans, too
 * @param reportedAtMs ms since the epoch
 */
public record PurgeProgress(
    String recordSet, int partition, String topicId, Map<String, Long> begins, long reportedAtMs) {
  public PurgeProgress {
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(topicId, "topicId");
    begins = Map.copyOf(begins);
  }

  /** Key on the topic. */
  public String key() {
    return key(recordSet, partition);
  }

  public static String key(String recordSet, int partition) {
    return "purge|" + recordSet + "|" + partition;
  }

  /** Whether the task is done with an ad-hoc snapshot; compares no clocks. */
  public boolean covers(CompleteScan scan) {
    return topicId.equals(scan.topicId())
        && scan.parts().stream()
            .allMatch(part -> begins.getOrDefault(part.id(), -1L) >= part.begin(partition));
  }

  /** The report in a record of the topic; empty if it is none. */
  public static Optional<PurgeProgress> of(GenericRecord record) {
    GenericRecord purge = (GenericRecord) record.get("purge");
    if (purge == null) {
      return Optional.empty();
    }
    Map<String, Long> begins = new HashMap<>();
    ((Map<?, ?>) purge.get("begins"))
        .forEach((id, begin) -> begins.put(id.toString(), (Long) begin));
    return Optional.of(
        new PurgeProgress(
            purge.get("recordSet").toString(),
            (Integer) purge.get("partition"),
            purge.get("topicId").toString(),
            begins,
            (Long) record.get("reportedAt")));
  }

  public GenericRecord toAvro() {
    GenericRecord purge = ViewProgress.part("purge");
    purge.put("recordSet", recordSet);
    purge.put("partition", partition);
    purge.put("topicId", topicId);
    purge.put("begins", begins);
    return ViewProgress.of("purge", purge, reportedAtMs);
  }
}
