package io.indexview.streams.controller.actions;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;

/** The events that the partitions of a topic end with. */
public final class NewestEvents {
  private static final int WIDER = 8;

  private final KafkaLog log;

  public NewestEvents(KafkaLog log) {
    this.log = log;
  }

  /** The newest value that each partition has, deletions left out. */
  public List<byte[]> values(String topic) {
    Map<TopicPartition, Long> ends = log.ends(topic);
    List<byte[]> values = new ArrayList<>();
    log.starts(topic)
        .forEach(
            (partition, start) ->
                last(
                        partition,
                        start,
                        ends.getOrDefault(partition, 0L),
                        event -> event.value() != null)
                    .ifPresent(event -> values.add(event.value())));
    return values;
  }

  /** Transaction markers, and events of aborted transactions, take offsets too. */
  Optional<ConsumerRecord<byte[], byte[]>> last(
      TopicPartition partition,
      long start,
      long end,
      Predicate<ConsumerRecord<byte[], byte[]>> wanted) {
    List<ConsumerRecord<byte[], byte[]>> last = new ArrayList<>();
    long from = end;
    for (long offsets = 1; from > start && last.isEmpty(); offsets *= WIDER) {
      from = Math.max(start, end - offsets);
      log.read(
          partition,
          from,
          end,
          event -> {
            if (wanted.test(event)) {
              last.clear();
              last.add(event);
            }
            return true;
          });
    }
    return last.stream().findFirst();
  }
}
