package io.indexview.verification.live;

import io.indexview.client.poll.AnswerTimeouts;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.PartitionReads;
import io.indexview.schemas.control.PartitionReads.StandstillException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.time.Time;
import io.indexview.verification.TargetReader;
import io.indexview.views.definition.ViewGeneration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;

/** The topic of a generation on a cluster. */
public final class KafkaRowLog implements RowLog {
  private static final int MAX_PLACES = 32;

  /** Longest time without a record, or a step over transaction markers. */
  private static final Duration STANDSTILL = Duration.ofMinutes(2);

  private final PublishedGeneration generation;
  private final String sinkGroup;
  private final RowDecoder rows;
  private final Admin admin;
  private final Consumer<byte[], byte[]> reader;
  private final PartitionReads reads;
  private final GroupProgress progress;

  /**
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param frozen the same generation, as its state describes it
   * @param target knows which row of the target a record is
   */
  public KafkaRowLog(
      Map<String, Object> kafka,
      PublishedGeneration generation,
      ViewGeneration frozen,
      String sinkGroup,
      TargetReader target) {
    this(
        generation,
        sinkGroup,
        new RowDecoder(frozen, generation.schemas().key(), target),
        Admin.create(AnswerTimeouts.in(kafka)),
        ControlTable.consumer(AnswerTimeouts.in(kafka)),
        Time.SYSTEM);
  }

  KafkaRowLog(
      PublishedGeneration generation,
      String sinkGroup,
      RowDecoder rows,
      Admin admin,
      Consumer<byte[], byte[]> reader,
      Time time) {
    this.generation = generation;
    this.sinkGroup = sinkGroup;
    this.rows = rows;
    this.admin = admin;
    this.reader = reader;
    this.reads = new PartitionReads(reader, STANDSTILL, time);
    this.progress = new GroupProgress(admin, reader);
  }

  /**
   * @throws IllegalStateException if the topic does not hold every row that was derived
   */
  @Override
  public Map<Integer, Long> ends() {
    requireWhole();
    return byPartition(progress.ends(List.of(generation.viewTopic())));
  }

  /**
   * Requires that the topic is the generation's own and whole: another one, or one that was
   * trimmed, would make right rows look like extra ones.
   */
  private void requireWhole() {
    String topic = generation.viewTopic();
    String id;
    try {
      id =
          KafkaAnswers.await(admin.describeTopics(List.of(topic)).topicNameValues().get(topic))
              .topicId()
              .toString();
    } catch (UnknownTopicOrPartitionException e) {
      throw new IllegalStateException(
          "topic %s is not there, so nobody knows every row that was derived: rebuild the view"
              .formatted(topic),
          e);
    }
    if (!generation.viewTopicId().isEmpty() && !generation.viewTopicId().equals(id)) {
      throw new IllegalStateException(
          "topic %s was created anew, so it does not hold every row that was derived: rebuild the view"
              .formatted(topic));
    }
    progress
        .starts(List.of(topic))
        .forEach(
            (partition, start) -> {
              if (start > 0) {
                throw new IllegalStateException(
                    "%s was trimmed up to offset %d, so it does not hold every row that was derived: rebuild the view, and leave its cleanup.policy at compact"
                        .formatted(partition, start));
              }
            });
  }

  @Override
  public boolean isApplied(Map<Integer, Long> ends) {
    return progress.behind(sinkGroup, byTopicPartition(ends)).isEmpty();
  }

  @Override
  public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
    Map<TopicPartition, Long> ends = byTopicPartition(to);
    ends.entrySet().removeIf(end -> end.getValue() <= start(from, end.getKey()));
    reader.assign(ends.keySet());
    ends.keySet().forEach(partition -> reader.seek(partition, start(from, partition)));
    try {
      reads.toEnds(ends, message -> decode(message, ends, visitor));
    } catch (StandstillException e) {
      // The visitor may have read other topics.
      if (ends.keySet().containsAll(e.partitions())) {
        requireWhole(e);
      }
      throw e;
    } finally {
      // What was fetched of it would stay on the heap while the target is read.
      reader.assign(Set.of());
    }
  }

  /** Checks the topic after a standstill: it may have a better reason than an open transaction. */
  private void requireWhole(StandstillException standstill) {
    try {
      requireWhole();
    } catch (IllegalStateException | KafkaException e) {
      e.addSuppressed(standstill);
      throw e;
    }
  }

  private void decode(
      ConsumerRecord<byte[], byte[]> message, Map<TopicPartition, Long> ends, Visitor visitor) {
    if (message.offset() < ends.get(new TopicPartition(message.topic(), message.partition()))) {
      rows.decode(message, visitor);
    }
  }

  /** Reads a little at evenly spaced offsets. */
  @Override
  public List<String> sample(Map<Integer, Long> ends, int rows) {
    List<String> ids = new ArrayList<>();
    int places = Math.min(MAX_PLACES, rows);
    for (int place = 0; place < places; place++) {
      Map<Integer, Long> from = new HashMap<>();
      Map<Integer, Long> to = new HashMap<>();
      int part = place;
      ends.forEach(
          (partition, end) -> {
            long first = end * part / places;
            long length = Math.max(1, rows / (places * (long) ends.size()));
            from.put(partition, first);
            to.put(partition, Math.min(end, first + length));
          });
      read(from, to, (id, row) -> ids.add(id));
    }
    return ids;
  }

  private static long start(Map<Integer, Long> from, TopicPartition partition) {
    return from.getOrDefault(partition.partition(), 0L);
  }

  private Map<TopicPartition, Long> byTopicPartition(Map<Integer, Long> offsets) {
    Map<TopicPartition, Long> all = new HashMap<>();
    offsets.forEach(
        (partition, offset) ->
            all.put(new TopicPartition(generation.viewTopic(), partition), offset));
    return all;
  }

  private static Map<Integer, Long> byPartition(Map<TopicPartition, Long> offsets) {
    return offsets.entrySet().stream()
        .collect(Collectors.toMap(offset -> offset.getKey().partition(), Map.Entry::getValue));
  }

  @Override
  public void close() {
    try (admin) {
      reader.close();
    }
  }
}
