package io.indexview.streams.controller.actions;

import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.KafkaAnswers;
import io.indexview.schemas.progress.RoundOffsets;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.function.Predicate;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;

/** The topics of a cluster. Not safe for use by several threads. */
public final class ClusterLog implements KafkaLog {
  /** Short: where transaction markers alone are left to read, each poll lasts as long. */
  private static final Duration POLL = Duration.ofMillis(20);

  private static final Duration MAX_READ = Duration.ofMillis(500);

  private final GroupProgress progress;
  private final RoundOffsets roundOffsets;
  private final GroupProgress inRound;
  private final Consumer<byte[], byte[]> consumer;
  private final Producer<byte[], byte[]> producer;

  /**
   * @param admin stays open
   * @param consumer in no group, reads committed records only, from the earliest one on if an
   *     offset is gone; stays open
   * @param producer idempotent, of no transaction; stays open
   */
  public ClusterLog(
      Admin admin, Consumer<byte[], byte[]> consumer, Producer<byte[], byte[]> producer) {
    this.progress = new GroupProgress(admin, consumer);
    this.roundOffsets = new RoundOffsets(admin);
    this.inRound = new GroupProgress(roundOffsets, consumer);
    this.consumer = consumer;
    this.producer = producer;
  }

  @Override
  public Map<TopicPartition, Long> starts(Collection<String> topics) {
    return progress.starts(topics);
  }

  @Override
  public Map<TopicPartition, Long> ends(Collection<String> topics) {
    return progress.ends(topics);
  }

  @Override
  public Map<TopicPartition, Long> since(String topic, long timestampMs) {
    return progress.since(List.of(topic), timestampMs);
  }

  @Override
  public Map<TopicPartition, Long> committed(String group) {
    return progress.committed(group);
  }

  @Override
  public Map<TopicPartition, Long> oldestBehind(String group, Map<TopicPartition, Long> ends) {
    return progress.oldestBehind(group, ends);
  }

  @Override
  public Set<TopicPartition> behind(String group, Map<TopicPartition, Long> ends) {
    return progress.behind(group, ends);
  }

  @Override
  public void beginRound() {
    roundOffsets.begin();
  }

  @Override
  public Map<TopicPartition, Long> committedInRound(String group) {
    return inRound.committed(group);
  }

  @Override
  public boolean hasPassed(String group, Map<TopicPartition, Long> ends) {
    return inRound.behind(group, ends).isEmpty();
  }

  @Override
  public long read(
      TopicPartition partition,
      long from,
      long to,
      Predicate<ConsumerRecord<byte[], byte[]>> each) {
    if (from >= to) {
      return to;
    }
    consumer.assign(List.of(partition));
    consumer.seek(partition, from);
    long deadline = System.nanoTime() + MAX_READ.toNanos();
    long next = from;
    while (next < to && System.nanoTime() < deadline) {
      for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
        if (message.offset() >= to) {
          return to;
        }
        next = message.offset() + 1;
        if (!each.test(message)) {
          return next;
        }
      }
      next = Math.max(next, consumer.position(partition));
    }
    return Math.min(next, to);
  }

  @Override
  public void write(List<ProducerRecord<byte[], byte[]>> messages) {
    List<Future<RecordMetadata>> sent = messages.stream().map(producer::send).toList();
    sent.forEach(KafkaAnswers::await);
  }
}
