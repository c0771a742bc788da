package io.indexview.streams.work.kafka;

import io.indexview.schemas.progress.GroupProgress;
import io.indexview.streams.work.Positions;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;

/** Positions on a cluster. Not safe for use by several threads. */
public final class KafkaPositions implements Positions {
  private final GroupProgress progress;

  public KafkaPositions(GroupProgress progress) {
    this.progress = progress;
  }

  @Override
  public Map<TopicPartition, Long> starts(String topic) {
    return progress.starts(List.of(topic));
  }

  @Override
  public Map<TopicPartition, Long> ends(String topic) {
    return progress.ends(List.of(topic));
  }

  @Override
  public Map<TopicPartition, Long> lastStable(String topic) {
    return progress.lastStable(List.of(topic));
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
  public boolean hasPassed(String group, Map<TopicPartition, Long> ends) {
    return progress.behind(group, ends).isEmpty();
  }
}
