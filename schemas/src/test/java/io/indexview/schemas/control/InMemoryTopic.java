package io.indexview.schemas.control;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * A control topic without a broker: transactions of one transactional id, where a producer that
 * begins fences those before, and consumers that see what was committed. Thread-safe, its clients
 * are not.
 */
public final class InMemoryTopic {
  private final TopicPartition partition;
  private final List<ConsumerRecord<byte[], byte[]>> log = new ArrayList<>();
  private FakeProducer newest;
  private RuntimeException nextCommitFailure;
  private boolean nextCommitApplies;
  private RuntimeException nextPollFailure;
  private int hiddenFrom;
  private int pollsUntilSeen;

  public InMemoryTopic(String name) {
    this.partition = new TopicPartition(name, 0);
  }

  /** Appends a record with a plain key; null is a tombstone. */
  public void append(String key, GenericRecord value, SchemaRegistry registry) {
    try (AvroSerializer<GenericRecord> serializer = new AvroSerializer<>(registry, false)) {
      append(key.getBytes(StandardCharsets.UTF_8), serializer.serialize(partition.topic(), value));
    }
  }

  public synchronized void append(byte[] key, byte[] value) {
    log.add(new ConsumerRecord<>(partition.topic(), 0, log.size(), key, value));
  }

  /** Somebody deletes it, and there is another one of its name. */
  public synchronized void recreate() {
    log.clear();
  }

  /** Records that were committed. */
  public synchronized int size() {
    return log.size();
  }

  /**
   * The next commit throws.
   *
   * @param applied whether it takes effect nevertheless
   */
  public synchronized void failNextCommit(RuntimeException failure, boolean applied) {
    nextCommitFailure = failure;
    nextCommitApplies = applied;
  }

  /**
   * What is committed next is answered before it is seen, as on a real cluster.
   *
   * @param scans how often the end of the topic is asked for in vain
   */
  public synchronized void hideNextCommit(int scans) {
    hiddenFrom = log.size();
    pollsUntilSeen = scans;
  }

  /** The next who asks for the end of the topic gets this thrown. */
  public synchronized void failNextScan(RuntimeException failure) {
    nextPollFailure = failure;
  }

  private synchronized long end() {
    RuntimeException failure = nextPollFailure;
    nextPollFailure = null;
    if (failure != null) {
      throw failure;
    }
    if (pollsUntilSeen > 0) {
      pollsUntilSeen--;
      return hiddenFrom;
    }
    return log.size();
  }

  public Producer<byte[], byte[]> producer() {
    return new FakeProducer();
  }

  public Consumer<byte[], byte[]> consumer() {
    return new FakeConsumer();
  }

  private synchronized void begin(FakeProducer producer) {
    if (newest != null && !newest.closed()) {
      newest.fenceProducer();
    }
    newest = producer;
  }

  private synchronized RuntimeException commit(List<ProducerRecord<byte[], byte[]>> records) {
    RuntimeException failure = nextCommitFailure;
    nextCommitFailure = null;
    if (failure == null || nextCommitApplies) {
      records.forEach(record -> append(record.key(), record.value()));
    }
    return failure;
  }

  private synchronized List<ConsumerRecord<byte[], byte[]>> from(long offset) {
    return List.copyOf(log.subList((int) offset, log.size()));
  }

  private final class FakeProducer extends MockProducer<byte[], byte[]> {
    FakeProducer() {
      super(true, null, new ByteArraySerializer(), new ByteArraySerializer());
    }

    @Override
    public void initTransactions() {
      begin(this);
      super.initTransactions();
    }

    @Override
    public void commitTransaction() {
      super.commitTransaction();
      RuntimeException failure = commit(history());
      if (failure != null) {
        throw failure;
      }
    }
  }

  private final class FakeConsumer extends MockConsumer<byte[], byte[]> {
    FakeConsumer() {
      super("earliest");
    }

    @Override
    public synchronized void assign(Collection<TopicPartition> partitions) {
      super.assign(partitions);
      updateBeginningOffsets(Map.of(partition, 0L));
    }

    @Override
    public synchronized Map<TopicPartition, Long> endOffsets(
        Collection<TopicPartition> partitions) {
      return Map.of(partition, end());
    }

    @Override
    public synchronized ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      List<ConsumerRecord<byte[], byte[]>> records = from(position(partition));
      long end = position(partition) + records.size();
      seek(partition, end);
      return new ConsumerRecords<>(
          Map.of(partition, records), Map.of(partition, new OffsetAndMetadata(end)));
    }
  }
}
