package io.indexview.schemas.progress;

import io.indexview.schemas.progress.GroupProgress.AdminOffsets;
import io.indexview.schemas.progress.GroupProgress.Offsets;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;

/**
 * Offsets as those see them who ask in rounds. Where partitions begin, where they are stable, and
 * what groups have committed is asked once in a round, each in one request for all who ask; the
 * rest each time.
 *
 * <p>Of one and the same topic those only rise, unless somebody sets a group's offsets back. By
 * older ones a {@link GroupProgress} says for longer that a group is behind, and never too early
 * that it is not. Whoever decides by them looks whether the topic is still the same. For one
 * thread.
 */
public final class RoundOffsets implements Offsets {
  private final Offsets now;
  private final RoundAnswers<TopicPartition, KafkaFuture<Long>> starts;
  private final RoundAnswers<TopicPartition, KafkaFuture<Long>> lastStable;
  private final RoundAnswers<String, KafkaFuture<Map<TopicPartition, Long>>> committed;

  /** Asks; what fails for one partition or group fails for no other. */
  interface Questions {
    /** Offsets that readers of committed records see. */
    Map<TopicPartition, KafkaFuture<Long>> offsets(Set<TopicPartition> partitions, OffsetSpec spec);

    /** What groups have committed; that of one that does not exist may fail. */
    Map<String, KafkaFuture<Map<TopicPartition, Long>>> committed(Set<String> groups);
  }

  /**
   * @param admin stays open
   */
  public RoundOffsets(Admin admin) {
    this(new AdminOffsets(admin));
  }

  private RoundOffsets(AdminOffsets admin) {
    this(admin, admin);
  }

  /**
   * @param now answers each time
   */
  RoundOffsets(Offsets now, Questions questions) {
    this.now = now;
    this.starts = new RoundAnswers<>(open -> questions.offsets(open, OffsetSpec.earliest()));
    this.lastStable = new RoundAnswers<>(open -> questions.offsets(open, OffsetSpec.latest()));
    this.committed = new RoundAnswers<>(questions::committed);
  }

  /** Begins another round: earlier answers are too old. */
  public void begin() {
    starts.begin();
    lastStable.begin();
    committed.begin();
  }

  private static Map<TopicPartition, Long> await(Map<TopicPartition, KafkaFuture<Long>> answers) {
    Map<TopicPartition, Long> offsets = new HashMap<>();
    answers.forEach((partition, answer) -> offsets.put(partition, KafkaAnswers.await(answer)));
    return offsets;
  }

  @Override
  public List<TopicPartition> partitions(Collection<String> topics) {
    return now.partitions(topics);
  }

  @Override
  public Map<TopicPartition, Long> starts(Collection<TopicPartition> partitions) {
    return await(starts.of(partitions));
  }

  @Override
  public Map<TopicPartition, Long> highWatermarks(Collection<TopicPartition> partitions) {
    return now.highWatermarks(partitions);
  }

  @Override
  public Map<TopicPartition, Long> lastStable(Collection<TopicPartition> partitions) {
    return await(lastStable.of(partitions));
  }

  @Override
  public Map<TopicPartition, Long> since(Collection<TopicPartition> partitions, long timestampMs) {
    return now.since(partitions, timestampMs);
  }

  @Override
  public Map<TopicPartition, Long> committed(String group) {
    return AdminOffsets.await(committed.of(Set.of(group)).get(group));
  }

  @Override
  public OptionalLong committed(String group, TopicPartition partition) {
    return now.committed(group, partition);
  }
}
