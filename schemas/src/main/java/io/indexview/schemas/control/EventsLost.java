package io.indexview.schemas.control;

import java.util.Objects;
import org.apache.avro.generic.GenericRecord;

/**
 * A report on {@code view-progress} that events of a record set were lost: while the app did not
 * run, or because nobody can read them, nor knows which records they change; or that the app forgot
 * what it knew of its records.
 *
 * @param foundAtMs ms since the epoch
 * @param ofState whether it forgot records: nobody deletes their rows then, so that each generation
 *     has to be built again
 * @param topicId Kafka's id of the topic that is there instead of what the state was restored from,
 *     or events were read from, by which one loss is known again, whoever tells of it; empty: not
 *     known, or no topic was replaced
 */
public record EventsLost(
    String recordSet, long foundAtMs, String reason, boolean ofState, String topicId) {
  public EventsLost {
    Objects.requireNonNull(recordSet, "recordSet");
    Objects.requireNonNull(reason, "reason");
    Objects.requireNonNull(topicId, "topicId");
  }

  /** Creates a report of lost events, of a state that is complete. */
  public EventsLost(String recordSet, long foundAtMs, String reason) {
    this(recordSet, foundAtMs, reason, false, "");
  }

  /**
   * What was not read of a topic that was deleted.
   *
   * @param topicId Kafka's id of what has its name now
   */
  public static EventsLost ofTopic(String recordSet, long foundAtMs, String topic, String topicId) {
    String reason =
        "topic %s was deleted and created anew, with the events of the one before that the application had not read"
            .formatted(topic);
    return new EventsLost(recordSet, foundAtMs, reason, false, topicId);
  }

  /**
   * What the app knew of records.
   *
   * @param changelog topic that it restored it from, which is not what it was
   * @param changelogId Kafka's id of what it is now; empty: not known
   */
  public static EventsLost ofState(
      String recordSet, long foundAtMs, String changelog, String changelogId) {
    String reason =
        "the application's state of record set %s is lost: its topic %s was deleted, or is another one than it wrote; rows of records that were deleted since then stay. Let the sources publish every record again, and build each view again (bin/indexview views rebuild VIEW --from snapshot)"
            .formatted(recordSet, changelog);
    return new EventsLost(recordSet, foundAtMs, reason, true, changelogId);
  }

  /** Key on the topic. */
  public String key() {
    return (ofState ? "lost-state|" : "lost|") + recordSet;
  }

  /** Whether the record tells of such a loss. */
  public static boolean isIn(GenericRecord record) {
    return record.get("lost") != null;
  }

  /** The loss in a record of the topic, see {@link #isIn}. */
  public static EventsLost of(GenericRecord record) {
    GenericRecord lost = (GenericRecord) record.get("lost");
    return new EventsLost(
        lost.get("recordSet").toString(),
        (Long) record.get("reportedAt"),
        lost.get("reason").toString(),
        (Boolean) lost.get("state"),
        lost.get("changelogId").toString());
  }

  public GenericRecord toAvro() {
    GenericRecord lost = ViewProgress.part("lost");
    lost.put("recordSet", recordSet);
    lost.put("reason", reason);
    lost.put("state", ofState);
    lost.put("changelogId", topicId);
    return ViewProgress.of("lost", lost, foundAtMs);
  }
}
