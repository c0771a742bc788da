package io.indexview.streams.resnapshot;

import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The position of the application as its consumer group has committed it, which counts transaction
 * markers as passed; a task knows only of the records between them. Asks in the background, and
 * only while somebody wants to know. Safe for use by several threads.
 */
public final class GroupPosition implements AppPosition {
  private static final Logger LOGGER = LoggerFactory.getLogger(GroupPosition.class);
  private static final Duration INTERVAL = Duration.ofMillis(500);

  private final Admin admin;
  private final String group;
  private final LongSupplier nanoTime;
  private final AtomicBoolean asking = new AtomicBoolean();
  private volatile Map<TopicPartition, Long> committed = Map.of();
  private volatile long askedAt;

  /**
   * @param admin stays open
   * @param nanoTime like {@link System#nanoTime}
   */
  public GroupPosition(Admin admin, String group, LongSupplier nanoTime) {
    this.admin = admin;
    this.group = group;
    this.nanoTime = nanoTime;
    this.askedAt = nanoTime.getAsLong() - INTERVAL.toNanos();
  }

  @Override
  public boolean hasPassed(TopicPartition partition, long offset) {
    if (committed.getOrDefault(partition, 0L) >= offset) {
      return true;
    }
    if (nanoTime.getAsLong() - askedAt >= INTERVAL.toNanos() && asking.compareAndSet(false, true)) {
      askedAt = nanoTime.getAsLong();
      ask();
    }
    return false;
  }

  private void ask() {
    admin
        .listConsumerGroupOffsets(group)
        .partitionsToOffsetAndMetadata()
        .whenComplete(
            (offsets, failure) -> {
              if (failure == null) {
                committed = known(offsets);
              } else {
                LOGGER.debug("The offsets of group {} are not known now", group, failure);
              }
              asking.set(false);
            });
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
