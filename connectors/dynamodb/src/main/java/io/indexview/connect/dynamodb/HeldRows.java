package io.indexview.connect.dynamodb;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.Occurrences;
import io.indexview.connect.common.sink.CommittableOffsets;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rows of topics whose table cannot be used for the time being, in the order in which they came: a
 * table that is still being made, or that somebody has to make, keeps no other from being written.
 * For one thread.
 */
final class HeldRows {
  private static final Logger LOGGER = LoggerFactory.getLogger(HeldRows.class);

  private final Map<String, Held> byTopic = new LinkedHashMap<>();
  private final Supplier<Backoff> backoffs;
  private final Time time;

  /**
   * @param backoffs waits of one topic until its table is tried again
   */
  HeldRows(Supplier<Backoff> backoffs, Time time) {
    this.backoffs = backoffs;
    this.time = time;
  }

  boolean holds(String topic) {
    return byTopic.containsKey(topic);
  }

  /** Adds a row of a topic that is held. */
  void add(SinkRecord row) {
    byTopic.get(row.originalTopic()).rows.add(row);
  }

  /**
   * The table of a topic cannot be used: its rows are held, for longer if they were already. A row
   * is to be added right after.
   */
  void hold(String topic, ItemStoreException cause) {
    byTopic.computeIfAbsent(topic, Held::new).failed(cause);
  }

  /** Topics whose tables are to be tried again now. */
  List<String> due() {
    return byTopic.values().stream()
        .filter(held -> held.untilNextTry.isExpired())
        .map(held -> held.topic)
        .toList();
  }

  /** The first row of a topic that is held. */
  SinkRecord first(String topic) {
    return byTopic.get(topic).rows.get(0);
  }

  /** Holds a topic no longer; returns its rows. */
  List<SinkRecord> release(String topic) {
    return byTopic.remove(topic).rows;
  }

  /** Drops the rows of partitions that were revoked: other tasks have them now. */
  void forget(Collection<TopicPartition> revoked) {
    byTopic
        .values()
        .forEach(
            held -> held.rows.removeIf(row -> revoked.contains(CommittableOffsets.partition(row))));
    byTopic.values().removeIf(held -> held.rows.isEmpty());
  }

  /** Rows that are held. */
  int size() {
    return byTopic.values().stream().mapToInt(held -> held.rows.size()).sum();
  }

  private final class Held {
    private final String topic;
    private final List<SinkRecord> rows = new ArrayList<>();
    private final Backoff backoff = backoffs.get();
    private final Occurrences failures = new Occurrences(Duration.ofMinutes(1));
    private final Timer untilNextTry = new Timer(time);

    private Held(String topic) {
      this.topic = topic;
    }

    private void failed(ItemStoreException cause) {
      untilNextTry.reset(backoff.next());
      if (failures.occurred(time.millis()) > 0) {
        LOGGER.warn(
            "Rows of topic {} wait, and are tried again until they can be written: {}",
            topic,
            cause.getMessage());
      }
    }
  }
}
