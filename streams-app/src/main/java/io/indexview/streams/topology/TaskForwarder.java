package io.indexview.streams.topology;

import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RepairProgress;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.derive.ChangeRecord;
import io.indexview.streams.derive.DeadLetterReason;
import io.indexview.streams.derive.TaskOutput;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.topology.IndexViewTopology.Names;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.streams.processor.RecordContext;
import org.apache.kafka.streams.processor.TopicNameExtractor;
import org.apache.kafka.streams.processor.api.ProcessorContext;
import org.apache.kafka.streams.processor.api.Record;

/** Forwards what a task puts out to the sinks of the topology. */
final class TaskForwarder implements TaskOutput {
  private final ProcessorContext<Object, byte[]> context;
  private final Names names;
  private final String progressTopic;
  private final DeadLetters deadLetters;
  private final AvroSerializer<GenericRecord> serializer;
  private final RowHeaders headers = new RowHeaders();

  TaskForwarder(
      ProcessorContext<Object, byte[]> context,
      Names names,
      String progressTopic,
      DeadLetters deadLetters,
      SchemaRegistry registry) {
    this.context = context;
    this.names = names;
    this.progressTopic = progressTopic;
    this.deadLetters = deadLetters;
    this.serializer = new AvroSerializer<>(registry, false);
  }

  @Override
  public void row(
      FrozenGeneration generation, byte[] key, byte[] value, long revision, long timestampMs) {
    OutgoingRow row = new OutgoingRow(generation.viewTopic(), context.taskId().partition(), key);
    context.forward(
        new Record<>(row, value, timestampMs, headers.of(revision, generation.number())),
        names.rowSink());
  }

  @Override
  public void deadLetter(ChangeRecord about, DeadLetterReason problem) {
    context.forward(deadLetters.record(about, problem), names.deadLetterSink());
  }

  @Override
  public void report(TaskProgress progress) {
    report(progress.key(), progress.toAvro(), progress.reportedAtMs());
  }

  @Override
  public void report(EventsLost loss) {
    report(loss.key(), loss.toAvro(), loss.foundAtMs());
  }

  @Override
  public void report(PurgeProgress progress) {
    report(progress.key(), progress.toAvro(), progress.reportedAtMs());
  }

  @Override
  public void report(RepairProgress progress) {
    report(progress.key(), progress.toAvro(), progress.reportedAtMs());
  }

  private void report(String key, GenericRecord report, long nowMs) {
    byte[] value = serializer.serialize(progressTopic, report);
    context.forward(new Record<>(key, value, nowMs), names.progressSink());
  }

  /**
   * The key of a forwarded row and where it goes: to the topic of its generation, and there to the
   * partition number of its primary record.
   *
   * @param key serialized; not copied
   */
  record OutgoingRow(String topic, int partition, byte[] key) {
    private static final Optional<Set<Integer>> NONE = Optional.of(Set.of());

    /** Sets of one partition, by partition; cached because they are asked for each row. */
    private static final List<Optional<Set<Integer>>> FIRST =
        IntStream.range(0, 256).mapToObj(OutgoingRow::alone).toList();

    private static Optional<Set<Integer>> alone(int partition) {
      return Optional.of(Set.of(partition));
    }

    /**
     * Partition of the row in a topic with so many partitions. An empty set, which drops the row,
     * if that topic lacks it: somebody else created the topic and its view is DEGRADED for that,
     * and the other views are to go on.
     */
    Optional<Set<Integer>> partitionOf(int partitions) {
      if (partition >= partitions) {
        return NONE;
      }
      return partition < FIRST.size() ? FIRST.get(partition) : alone(partition);
    }

    /** A class, since descriptions of the topology show it and must not change from run to run. */
    static final class ToTopic implements TopicNameExtractor<OutgoingRow, byte[]> {
      @Override
      public String extract(OutgoingRow row, byte[] value, RecordContext context) {
        return row.topic();
      }

      @Override
      public String toString() {
        return "RowTopic";
      }
    }
  }
}
