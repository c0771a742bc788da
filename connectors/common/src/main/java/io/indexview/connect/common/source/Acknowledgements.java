package io.indexview.connect.common.source;

import java.util.Map;
import java.util.TreeMap;
import org.apache.kafka.clients.producer.RecordMetadata;

/**
 * Counts the events of one scan that Kafka has not acknowledged yet, and how far those it has reach
 * in each partition. Thread-safe: events are sent on the task's thread, acknowledged on the
 * producer's.
 */
public final class Acknowledgements {
  private final Map<Integer, Long> ends = new TreeMap<>();
  private long sent;
  private long outstanding;
  private long dropped;

  public synchronized void sent(long events) {
    outstanding += events;
    sent += events;
  }

  /**
   * One event is done.
   *
   * @param metadata null: a transformation dropped it, or its failure is tolerated
   */
  public synchronized void acknowledged(RecordMetadata metadata) {
    outstanding--;
    if (metadata == null) {
      dropped++;
    } else if (metadata.hasOffset()) {
      ends.merge(metadata.partition(), metadata.offset() + 1, Math::max);
    }
  }

  /** Notes that one event that went to another topic is done. */
  public synchronized void settled() {
    outstanding--;
  }

  /** Events sent so far. */
  public synchronized long sent() {
    return sent;
  }

  public synchronized long outstanding() {
    return outstanding;
  }

  /** Events that are done and did not reach Kafka. */
  public synchronized long dropped() {
    return dropped;
  }

  /** Per partition the offset after the last acknowledged event. */
  public synchronized Map<Integer, Long> ends() {
    return Map.copyOf(ends);
  }
}
