package io.indexview.schemas.progress;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupIdNotFoundException;
import org.apache.kafka.common.errors.TimeoutException;

/**
 * Tells whether a consumer group has taken every committed data record of its topics. Committed
 * offsets alone do not tell: transaction markers take offsets too, and nobody commits past them. So
 * the records between the committed offset and the end are looked at.
 *
 * <p>The end is the high watermark, not the last stable offset. A commit reaches the partitions of
 * its transaction one after the other: whoever has seen it in one may look at another that it has
 * not reached, where the last stable offset is still before the rows. So nothing is taken up to an
 * end before the transactions below it are decided. An end is a snapshot; those that begin later do
 * not hold it up.
 *
 * <p>Right for every group that commits an offset only after it applied the records before it. Not
 * thread-safe: it uses the one consumer it was given.
 */
public final class GroupProgress {
  /** Short: where transaction markers alone are left to read, each poll lasts as long. */
  private static final Duration POLL = Duration.ofMillis(20);

  private static final Duration TIMEOUT = Duration.ofSeconds(30);

  /** Near the end a group that has much to do has a record behind it, and little is fetched. */
  private static final long TAIL = 100;

  private final Offsets offsets;
  private final Consumer<byte[], byte[]> reader;
  private final Witnesses witnesses = new Witnesses();

  /**
   * Creates a progress reader.
   *
   * @param reader must read committed records only and belong to no group; not closed here
   */
  public GroupProgress(Admin admin, Consumer<byte[], byte[]> reader) {
    this(new AdminOffsets(admin), reader);
  }

  /**
   * Creates a progress for callers that ask in rounds: {@link #behind(String, Map)} shares offsets
   * with other callers of the same round.
   *
   * @param reader as above
   */
  public GroupProgress(RoundOffsets offsets, Consumer<byte[], byte[]> reader) {
    this((Offsets) offsets, reader);
  }

  GroupProgress(Offsets offsets, Consumer<byte[], byte[]> reader) {
    this.offsets = offsets;
    this.reader = reader;
  }

  /**
   * The partitions in which a data record, or a transaction that is still open, lies behind the
   * group's committed offset, as of the end offsets at the time of the call.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Set<TopicPartition> behind(String group, Collection<String> topics) {
    return behind(group, ends(topics));
  }

  /**
   * The high watermark of every partition of the topics, now: whatever was committed lies before
   * it, even if the commit has not reached the partition.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> ends(Collection<String> topics) {
    return offsets.highWatermarks(offsets.partitions(topics));
  }

  /**
   * The last stable offset of every partition of the topics, now: readers of committed records come
   * that far without waiting for anybody.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> lastStable(Collection<String> topics) {
    return offsets.lastStable(offsets.partitions(topics));
  }

  /**
   * The first offset that is still there, of every partition of the topics.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> starts(Collection<String> topics) {
    return offsets.starts(offsets.partitions(topics));
  }

  /**
   * The first offset of a record that is as young as this or younger, of every partition of the
   * topics; the last stable offset if there is none, since what is open may be as young.
   *
   * @param timestampMs ms since the epoch
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> since(Collection<String> topics, long timestampMs) {
    Map<TopicPartition, Long> found = new HashMap<>(lastStable(topics));
    offsets
        .since(found.keySet(), timestampMs)
        .forEach(
            (partition, offset) -> found.compute(partition, (p, end) -> offset < 0 ? end : offset));
    return found;
  }

  /**
   * The partitions in which a data record, or a transaction that is still open, lies behind the
   * group's committed offset and before the given end.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Set<TopicPartition> behind(String group, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, Long> untaken = untaken(group, ends);
    Set<TopicPartition> behind = new HashSet<>();
    decided(untaken.keySet(), ends)
        .forEach(
            (partition, offset) -> {
              if (offset < ends.get(partition)
                  || witnesses.isBetween(partition, untaken.get(partition), offset)) {
                behind.add(partition);
              }
            });
    untaken.keySet().removeAll(behind);
    behind.addAll(withRecords(untaken, ends));
    return behind;
  }

  /** The partitions that have a committed data record between start and end. */
  private Set<TopicPartition> withRecords(
      Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, Long> tails = new HashMap<>(starts);
    tails.replaceAll((partition, start) -> Math.max(start, ends.get(partition) - TAIL));
    Map<TopicPartition, ConsumerRecord<byte[], byte[]>> found = firstRecords(tails, ends);
    Map<TopicPartition, Long> rest = new HashMap<>(starts);
    rest.entrySet()
        .removeIf(
            start ->
                found.containsKey(start.getKey())
                    || start.getValue().equals(tails.get(start.getKey())));
    found.putAll(firstRecords(rest, ends));
    found.forEach((partition, message) -> witnesses.add(partition, message.offset()));
    return found.keySet();
  }

  /**
   * Timestamp of the first committed data record of each partition that {@link #behind} tells, ms
   * since the epoch; absent where there are only open transactions.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> oldestBehind(String group, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, Long> untaken = untaken(group, ends);
    return firstRecords(untaken, decided(untaken.keySet(), ends)).entrySet().stream()
        .collect(Collectors.toMap(Map.Entry::getKey, first -> first.getValue().timestamp()));
  }

  /** Where the group goes on, of each partition whose end it has not committed. */
  private Map<TopicPartition, Long> untaken(String group, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, Long> untaken = new HashMap<>(offsets.starts(ends.keySet()));
    offsets
        .committed(group)
        .forEach(
            (partition, offset) ->
                untaken.computeIfPresent(partition, (p, start) -> Math.max(start, offset)));
    untaken.entrySet().removeIf(from -> from.getValue() >= ends.get(from.getKey()));
    return untaken;
  }

  /** How far readers of committed records come now on the way to the ends. */
  private Map<TopicPartition, Long> decided(
      Collection<TopicPartition> partitions, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, Long> decided = new HashMap<>(offsets.lastStable(partitions));
    decided.replaceAll((partition, stable) -> Math.min(stable, ends.get(partition)));
    return decided;
  }

  /**
   * How far a group has taken one partition.
   *
   * @param upTo every data record before this offset is taken
   * @param end high watermark, looked at before the group was; {@code upTo} if it has taken all and
   *     no transaction before it is open
   */
  public record Taken(long upTo, long end) {}

  /**
   * How far the group has taken one partition, now.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Taken taken(String group, TopicPartition partition) {
    Map<TopicPartition, Long> ends = offsets.highWatermarks(List.of(partition));
    long end = ends.get(partition);
    long committed = offsets.committed(group, partition).orElse(0);
    if (committed >= end) {
      return new Taken(end, end);
    }
    long from = Math.max(offsets.starts(List.of(partition)).get(partition), committed);
    Map<TopicPartition, Long> decided = decided(List.of(partition), ends);
    var first = firstRecords(Map.of(partition, from), decided).get(partition);
    long upTo = first == null ? Math.max(from, decided.get(partition)) : first.offset();
    return new Taken(Math.min(upTo, end), end);
  }

  /**
   * The offset that the group has committed in one partition; empty: none.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public OptionalLong committed(String group, TopicPartition partition) {
    return offsets.committed(group, partition);
  }

  /**
   * The offsets that the group has committed; a group that does not exist has none.
   *
   * @throws KafkaException if the cluster does not answer
   */
  public Map<TopicPartition, Long> committed(String group) {
    return offsets.committed(group);
  }

  /**
   * The first committed data record of each partition that has one.
   *
   * @param ends at most the last stable offset: no position gets past that
   */
  private Map<TopicPartition, ConsumerRecord<byte[], byte[]>> firstRecords(
      Map<TopicPartition, Long> starts, Map<TopicPartition, Long> ends) {
    Map<TopicPartition, ConsumerRecord<byte[], byte[]>> found = new HashMap<>();
    Set<TopicPartition> open = new HashSet<>(starts.keySet());
    open.removeIf(partition -> starts.get(partition) >= ends.get(partition));
    reader.assign(open);
    open.forEach(partition -> reader.seek(partition, starts.get(partition)));
    long deadline = System.nanoTime() + TIMEOUT.toNanos();
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
            "%s were not read within %d s".formatted(open, TIMEOUT.toSeconds()));
      }
    }
    return found;
  }

  /**
   * Committed data records that were seen a moment ago, one per partition, so that a group that is
   * far behind one need not be found behind by reading again. Forgotten soon: compaction may take
   * the record away, and nobody commits past it then. For one thread.
   */
  private static final class Witnesses {
    private static final Duration KEPT = Duration.ofSeconds(2);

    private final Map<TopicPartition, Witness> seen = new HashMap<>();

    private record Witness(long offset, long forgottenAtNanos) {}

    void add(TopicPartition partition, long offset) {
      seen.put(partition, new Witness(offset, System.nanoTime() + KEPT.toNanos()));
    }

    /**
     * Whether a record is known in the partition between two offsets.
     *
     * @param from inclusive
     * @param to exclusive
     */
    boolean isBetween(TopicPartition partition, long from, long to) {
      Witness witness = seen.get(partition);
      return witness != null
          && witness.offset() >= from
          && witness.offset() < to
          && System.nanoTime() - witness.forgottenAtNanos() < 0;
    }
  }

  /**
   * Offsets that the cluster knows. All methods throw {@link
   * org.apache.kafka.common.KafkaException} if it does not answer.
   */
  interface Offsets {
    /** All partitions of the topics. */
    List<TopicPartition> partitions(Collection<String> topics);

    /** The first offset that is still there. */
    Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions);

    /** The end of the log, behind the records of open transactions too. */
    Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions);

    /**
     * Offset of the first record of the first open transaction; the high watermark if none is open.
     */
    Map<TopicPartition, Long> lastStable(Collection<TopicPartition> partitions);

    /**
     * The first offset, before the last stable one, of a record that is as young as this or
     * younger; negative: there is none.
     *
     * @param timestampMs ms since the epoch
     */
    Map<TopicPartition, Long> since(Collection<TopicPartition> partitions, long timestampMs);

    /** What the group has committed; a group that does not exist has nothing. */
    Map<TopicPartition, Long> committed(String group);

    /** What the group has committed in one partition; empty: nothing. */
    OptionalLong committed(String group, TopicPartition partition);
  }

  /** Offsets on a cluster. Thread-safe. */
  static final class AdminOffsets implements Offsets, RoundOffsets.Questions {
    private final Admin admin;

    AdminOffsets(Admin admin) {
      this.admin = admin;
    }

    @Override
    public List<TopicPartition> partitions(Collection<String> topics) {
      Map<String, TopicDescription> described =
          KafkaAnswers.await(admin.describeTopics(topics).allTopicNames());
      return described.values().stream()
          .flatMap(
              topic ->
                  topic.partitions().stream()
                      .map(info -> new TopicPartition(topic.name(), info.partition())))
          .toList();
    }

    @Override
    public Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) {
      return offsets(partitions, OffsetSpec.earliest(), IsolationLevel.READ_COMMITTED);
    }

    @Override
    public Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions) {
      return offsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_UNCOMMITTED);
    }

    @Override
    public Map<TopicPartition, Long> lastStable(Collection<TopicPartition> partitions) {
      return offsets(partitions, OffsetSpec.latest(), IsolationLevel.READ_COMMITTED);
    }

    @Override
    public Map<TopicPartition, Long> since(
        Collection<TopicPartition> partitions, long timestampMs) {
      return offsets(
          partitions, OffsetSpec.forTimestamp(timestampMs), IsolationLevel.READ_COMMITTED);
    }

    private Map<TopicPartition, Long> offsets(
        Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation) {
      return KafkaAnswers.await(list(partitions, spec, isolation).all()).entrySet().stream()
          .collect(Collectors.toMap(Map.Entry::getKey, entry -> entry.getValue().offset()));
    }

    private ListOffsetsResult list(
        Collection<TopicPartition> partitions, OffsetSpec spec, IsolationLevel isolation) {
      return admin.listOffsets(
          partitions.stream().collect(Collectors.toMap(Function.identity(), p -> spec)),
          new ListOffsetsOptions(isolation));
    }

    @Override
    public Map<TopicPartition, KafkaFuture<Long>> offsets(
        Set<TopicPartition> partitions, OffsetSpec spec) {
      ListOffsetsResult listed = list(partitions, spec, IsolationLevel.READ_COMMITTED);
      return partitions.stream()
          .collect(
              Collectors.toMap(
                  Function.identity(),
                  partition ->
                      listed.partitionResult(partition).thenApply(ListOffsetsResultInfo::offset)));
    }

    @Override
    public Map<String, KafkaFuture<Map<TopicPartition, Long>>> committed(Set<String> groups) {
      var listed =
          admin.listConsumerGroupOffsets(
              groups.stream()
                  .collect(
                      Collectors.toMap(
                          Function.identity(), group -> new ListConsumerGroupOffsetsSpec())));
      return groups.stream()
          .collect(
              Collectors.toMap(
                  Function.identity(),
                  group ->
                      listed.partitionsToOffsetAndMetadata(group).thenApply(AdminOffsets::known)));
    }

    @Override
    public Map<TopicPartition, Long> committed(String group) {
      return await(committed(Set.of(group)).get(group));
    }

    @Override
    public OptionalLong committed(String group, TopicPartition partition) {
      var wanted =
          Map.of(group, new ListConsumerGroupOffsetsSpec().topicPartitions(List.of(partition)));
      var listed = admin.listConsumerGroupOffsets(wanted).partitionsToOffsetAndMetadata(group);
      Long offset = await(listed.thenApply(AdminOffsets::known)).get(partition);
      return offset == null ? OptionalLong.empty() : OptionalLong.of(offset);
    }

    /** Waits for what a group has committed that may not exist. */
    static Map<TopicPartition, Long> await(KafkaFuture<Map<TopicPartition, Long>> committed) {
      try {
        return KafkaAnswers.await(committed);
      } catch (GroupIdNotFoundException e) {
        return Map.of();
      }
    }

    private static Map<TopicPartition, Long> known(Map<TopicPartition, OffsetAndMetadata> offsets) {
      Map<TopicPartition, Long> known = new HashMap<>();
      offsets.forEach(
          (partition, offset) -> {
            if (offset != null) {
              known.put(partition, offset.offset());
            }
          });
      return known;
    }
  }
}
