package io.indexview.streams.work.watch;

import io.indexview.streams.work.Surroundings;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** Tells whether a sink may have missed deletions because it is too far behind. */
final class SinkRetention {
  private final Surroundings around;

  SinkRetention(Surroundings around) {
    this.around = around;
  }

  /** Why the group may have missed deletions of the topic; empty: it has not. */
  Optional<String> missed(String viewTopic, String group) {
    if (around.ends(viewTopic).isEmpty()) {
      return Optional.empty();
    }
    Map<TopicPartition, Long> ends = around.positions().lastStable(viewTopic);
    Map<TopicPartition, Long> starts = around.positions().starts(viewTopic);
    Map<TopicPartition, Long> committed = around.positions().committed(group);
    Duration kept = around.cluster().deleteRetention(viewTopic);
    Instant oldest = around.clock().instant().minus(kept);
    for (Map.Entry<TopicPartition, Long> end : ends.entrySet()) {
      TopicPartition partition = end.getKey();
      long start = starts.getOrDefault(partition, 0L);
      long next = committed.getOrDefault(partition, 0L);
      if (next < start) {
        return Optional.of(
            "consumer group %s is at offset %d of %s, which begins at %d"
                .formatted(group, next, partition, start));
      }
      Optional<Instant> waiting = first(partition, next, end.getValue());
      if (waiting.isPresent() && waiting.get().isBefore(oldest)) {
        return Optional.of(
            "consumer group %s has not applied offset %d of %s since %s; deletions are kept for %s only"
                .formatted(group, next, partition, waiting.get(), kept));
      }
    }
    return Optional.empty();
  }

  private Optional<Instant> first(TopicPartition partition, long from, long end) {
    AtomicReference<ConsumerRecord<byte[], byte[]>> first = new AtomicReference<>();
    around
        .reader()
        .read(
            partition,
            from,
            end,
            message -> {
              first.set(message);
              return false;
            });
    return Optional.ofNullable(first.get())
        .map(ConsumerRecord::timestamp)
        .map(Instant::ofEpochMilli);
  }
}
