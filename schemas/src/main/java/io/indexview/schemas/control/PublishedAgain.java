package io.indexview.schemas.control;

import io.indexview.schemas.serde.ControlSchemas;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * That every record of a topic was published on it again, as an operator tells where no source
 * speaks for the topic. It lies on {@code source-states}, in the form of a source's ad-hoc
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
  /** In the place of a source's name, which has no such character. */
  static final String OPERATOR = "|operator";

  private static final String ONLY_PARTITION = "0";
  private static final Schema SCAN =
      ControlSchemas.SOURCE_STATE.getField("lastScan").schema().getTypes().get(1);

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
    GenericRecord scan = new GenericData.Record(SCAN);
    scan.put("number", 1L);
    scan.put("startedAt", startedAtMs);
    scan.put("endedAt", reportedAtMs);
    scan.put("records", 0L);
    scan.put("forced", true);
    scan.put("request", 0L);
    scan.put("scope", KeyScope.EVERY_KEY.toAvro());
    scan.put("offsets", ends.keySet().stream().sorted().map(this::offsets).toList());
    GenericRecord state = new GenericData.Record(ControlSchemas.SOURCE_STATE);
    state.put("source", OPERATOR);
    state.put("topic", topic);
    state.put("topicId", topicId);
    state.put("sourcePartition", ONLY_PARTITION);
    state.put("sourcePartitions", 1);
    state.put("lastForced", scan);
    state.put("heartbeatAt", reportedAtMs);
    return state;
  }

  private GenericRecord offsets(int partition) {
    Schema schema = SCAN.getField("offsets").schema().getElementType();
    GenericRecord offsets = new GenericData.Record(schema);
    offsets.put("partition", partition);
    offsets.put("begin", begins.getOrDefault(partition, 0L));
    offsets.put("end", ends.get(partition));
    return offsets;
  }
}
