package io.indexview.schemas.control;

import io.indexview.schemas.control.SourceState.Scan;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.generic.GenericRecord;

/**
 * A report by an operator that every record of a topic was published on it again, for topics that
 * no source speaks for. It lies on {@code source-states}, in the form of a source's ad-hoc
 * snapshot.
 *
 * @param topicId Kafka's id of the topic
 * @param startedAtMs when that began, ms since the epoch
 * @param reportedAtMs ms since the epoch
 * @param begins where each partition ended before it began
 * @param ends where each partition ended after it
 */
public record PublishedAgain(
    String topic,
    String topicId,
    long startedAtMs,
    long reportedAtMs,
    Map<Integer, Long> begins,
    Map<Integer, Long> ends) {
  /** Stands for a source's name, which has no such character. */
  static final String OPERATOR = "|operator";

  private static final String ONLY_PARTITION = "0";

  public PublishedAgain {
    Objects.requireNonNull(topic, "topic");
    Objects.requireNonNull(topicId, "topicId");
    begins = Map.copyOf(begins);
    ends = Map.copyOf(ends);
  }

  /** Key on the topic. */
  public String key() {
    return SourceState.key(OPERATOR, topic, ONLY_PARTITION);
  }

  public GenericRecord toAvro() {
    Map<Integer, Long> known = new HashMap<>();
    ends.keySet().forEach(partition -> known.put(partition, begins.getOrDefault(partition, 0L)));
    Scan scan =
        new Scan(
            1, startedAtMs, reportedAtMs, 0, true, 0, Optional.of(KeyScope.EVERY_KEY), known, ends);
    return new SourceState(
            OPERATOR,
            topic,
            Optional.of(topicId),
            ONLY_PARTITION,
            1,
            Optional.empty(),
            Optional.of(scan),
            reportedAtMs)
        .toAvro();
  }
}
