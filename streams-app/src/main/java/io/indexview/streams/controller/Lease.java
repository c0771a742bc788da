package io.indexview.streams.controller;

import io.indexview.schemas.Topics;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.common.TopicPartition;

/**
 * The lease: of all processes of the application, the one holds it whose consumer has the first
 * partition of a control topic. It only says who is to work; who lost it without knowing is shut
 * out by {@link ControlTopics#open}. For one thread, which has to poll it.
 */
final class Lease implements AutoCloseable {
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private final Consumer<byte[], byte[]> consumer;
  private final TopicPartition lease;
  private boolean held;

  /**
   * @param consumer of the group of the controllers; closed with this
   */
  Lease(Consumer<byte[], byte[]> consumer, String topic) {
    this.consumer = consumer;
    this.lease = new TopicPartition(topic, Topics.CONTROL_PARTITION);
    join();
  }

  private void join() {
    consumer.subscribe(List.of(lease.topic()), new Listener());
  }

  private final class Listener implements ConsumerRebalanceListener {
    @Override
    public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
      held |= partitions.contains(lease);
      consumer.pause(partitions);
    }

    @Override
    public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
      held &= !partitions.contains(lease);
    }
  }

  /** Stays in the group; whether this process holds the lease. */
  boolean poll(Duration timeout) {
    consumer.poll(timeout);
    return held;
  }

  /** Leaves the group, and joins it anew as one that holds nothing. */
  void drop() {
    consumer.unsubscribe();
    held = false;
    join();
  }

  @Override
  public void close() {
    consumer.close(CloseOptions.timeout(CLOSE_TIMEOUT));
  }
}
