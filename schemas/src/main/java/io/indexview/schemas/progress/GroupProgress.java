package io.indexview.schemas.progress;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsResult;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Tells whether a consumer group has taken every committed data record of its topics. Committed
 * offsets alone do not tell: transaction markers take offsets too, and nobody commits past them. So
 * the records between the committed offset and the last stable offset are looked at.
 *
 * <p>Right for every group that commits an offset only after it applied the records before it. Not
 * thread-safe: it uses the one consumer it was given.
 */
public final class GroupProgress {
  private static final Duration POLL = Duration.ofMillis(200);
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  private final Admin admin;
  private final Consumer<byte[], byte[]> reader;

  /**
   * Creates a progress reader.
   *
   * @param reader must read committed records only and belong to no group; not closed here
   */
  public GroupProgress(Admin admin, Consumer<byte[], byte[]> reader) {
    this.admin = admin;
    this.reader = reader;
  }

  /**
   * The partitions in which a data record lies behind the group's committed offset, as of the end
   * offsets at the time of the call.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Set<TopicPartition> behind(String group, Collection<String> topics) {
    return behind(group, ends(topics));
  }

  /**
   * The last stable offset of every partition of the topics, now.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> ends(Collection<String> topics) {
    return offsets(partitions(topics), OffsetSpec.latest());
  }

  /**
   * The first offset that is still there, of every partition of the topics.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> starts(Collection<String> topics) {
    return offsets(partitions(topics), OffsetSpec.earliest());
  }

  /**
   * The first offset of a record that is as young as this or younger, of every partition of the
   * topics; the end of the partition if there is none.
   *
   * @param timestampMs ms since the epoch
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> since(Collection<String> topics, long timestampMs) {
    Map<TopicPartition, Long> found = new HashMap<>(ends(topics));
    offsets(found.keySet(), OffsetSpec.forTimestamp(timestampMs))
        .forEach(
            (partition, offset) -> found.compute(partition, (p, end) -> offset < 0 ? end : offset));
    return found;
  }

  /**
   * The partitions in which a data record lies behind the group's committed offset and before the
   * given end.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Set<TopicPartition> behind(String group, Map<TopicPartition, Long> ends) {
    return oldestBehind(group, ends).keySet();
  }

  /**
   * Timestamp of the first data record of each partition that {@link #behind} tells, ms since the
   * epoch.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> oldestBehind(String group, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, Long> starts = new HashMap<>(offsets(ends.keySet(), OffsetSpec.earliest()));
    committed(group)
        .forEach(
            (partition, offset) ->
                starts.computeIfPresent(partition, (p, s) -> Math.max(s, offset)));
    starts.entrySet().removeIf(start -> start.getValue() >= ends.get(start.getKey()));
    return firstRecords(starts, ends).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, first -> first.getValue().timestamp()));
  }

  /**
   * How far a group has taken one partition.
   *
   * @param upTo every data record before this offset is taken
   * @param end last stable offset, looked at before the group was; {@code upTo} if it has taken all
   */
  public record Taken(long upTo, long end) {}

  /**
   * How far the group has taken one partition, now.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Taken taken(String group, TopicPartition partition) {
    long end = offsets(List.of(partition), OffsetSpec.latest()).get(partition);
    long committed = committed(group, partition).orElse(0);
    if (committed >= end) {
      return new Taken(end, end);
    }
    long start = offsets(List.of(partition), OffsetSpec.earliest()).get(partition);
    long from = Math.max(start, committed);
    if (from >= end) {
      return new Taken(end, end);
    }
    var first = firstRecords(Map.of(partition, from), Map.of(partition, end)).get(partition);
    return new Taken(first == null ? end : first.offset(), end);
  }

  /**
   * The offset that the group has committed in one partition; empty: none.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public OptionalLong committed(String group, TopicPartition partition) {
    var wanted =
        Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(partition)));
    Long offset = committed(admin.listConsumerGroupOffsets(wanted)).get(partition);
    return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
  }

  private Map<TopicPartition, ConsumerRecord<byte[], byte[]>> firstRecords(
      Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
    Set<TopicPartition> open = new HashSet<>(starts.keySet());
    reader.assign(open);
    starts.forEach(reader::seek);
    long deadline = System.nanoTime() + PATIENCE.toNanos();
    while (!open.isEmpty()) {
      for (var message : reader.poll(POLL)) {
        TopicPartition partition = new TopicPartition(message.topic(), message.partition());
        if (message.offset() < ends.get(partition)) {
          found.putIfAbsent(partition, message);
        }
      }
      open.removeIf(
          partition ->
              found.containsKey(partition) || reader.position(partition) >= ends.get(partition));
      reader.assign(open);
      if (System.nanoTime() > deadline) {
        throw new TimeoutException(
            "%s were not read within %d s".formatted(open, PATIENCE.toSeconds()));
      }
    }
    return found;
  }

  private List<TopicPartition> partitions(Collection<String> topics) {
    Map<String, TopicDescription> described =
        await(() -> admin.describeTopics(topics).allTopicNames().get());
    return described.values().stream()
        .flatMap(
            topic ->
                topic.partitions().stream()
                    .map(info -> new TopicPartition(topic.name(), info.partition())))
        .toList();
  }

  /**
   * The offsets that the group has committed; a group that does not exist has none.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> committed(String group) {
    return committed(admin.listConsumerGroupOffsets(group));
  }

  /**
   * @param result of one group
   */
  private static Map<TopicPartition, Long> committed(ListConsumerGroupOffsetsResult result) {
    Map<TopicPartition, OffsetAndMetadata> offsets;
    try {
      offsets = await(() -> result.partitionsToOffsetAndMetadata().get());
    } catch (GroupIdNotFoundException e) {
      return Map.of();
    }
    Map<TopicPartition, Long> known = new HashMap<>();
    offsets.forEach(
        (partition, offset) -> {
          if (offset != null) {
            known.put(partition, offset.offset());
          }
        });
    return known;
  }

  private Map<TopicPartition, Long> offsets(
      Collection<TopicPartition> partitions, OffsetSpec spec) {
    var wanted = partitions.stream().collect(Collectors.toMap(Function.identity(), p -> spec));
    var options = new ListOffsetsOptions(IsolationLevel.READ_COMMITTED);
    return await(() -> admin.listOffsets(wanted, options).all().get()).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().offset()));
  }

  private interface Answer<T> {
    T get() throws ExecutionException, InterruptedException;
  }

  private static <T> T await(Answer<T> answer) {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof KafkaException cause) {
        throw cause;
      }
      throw new KafkaException(e.getCause().getMessage(), e.getCause());
    }
  }
}
