package io.indexview.streams.topology;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import io.indexview.schemas.time.Timer;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.RetryDelay;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.task.TrimmedEvents;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.LogTruncationException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients of Kafka Streams. Its consumers go on behind a gap in silence; only here it shows
 * that there was one. Gaps between offsets do not tell: transactions and compaction leave some,
 * too. They also leave an event to the brokers as long as the registry does not answer for its
 * schema. Its producers tell what a topic refuses; in what a thread fails with, what follows from
 * that may hide it.
 *
 * <p>A stream thread that is at rest waits longer for the next event, which ends the wait: what it
 * does between two waits grows with its tasks. The thread that reads control topics has nothing
 * else to do at all.
 */
public final class StreamsClients implements KafkaClientSupplier, AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(StreamsClients.class);
  private static final Duration WAIT_AT_REST = Duration.ofMillis(250);
  private static final Duration ASKING = Duration.ofSeconds(5);

  /** The first answers of a registry that is well may take longer than a call of poll waits. */
  private static final Duration LONG = Duration.ofSeconds(3);

  /** Longest wait in one call of poll; slows down repeated fetches, too. */
  private static final Duration WAITING = Duration.ofMillis(100);

  private static final RetryDelay NAMES =
      new RetryDelay(Duration.ofSeconds(1), Duration.ofSeconds(5));

  private final TrimmedEvents trimmed;
  private final RefusingTopics refusing;
  private final StopSignal stop;
  private final ExecutorService asking =
      Executors.newSingleThreadExecutor(
          task -> {
            Thread thread = new Thread(task, "indexview-event-schemas");
            thread.setDaemon(true);
            return thread;
          });
  private final EventSchemas schemas;
  private volatile BooleanSupplier atRest = () -> false;
  private volatile Set<String> gone = Set.of();

  /** Producers that wait until their offsets are committed. */
  private final Set<RowProducer> committing = ConcurrentHashMap.newKeySet();

  private final Map<TopicPartition, Withheld> withheld = new ConcurrentHashMap<>();

  /**
   * @param registry stays open
   */
  public StreamsClients(
      TrimmedEvents trimmed, RefusingTopics refusing, SchemaRegistry registry, StopSignal stop) {
    this.trimmed = trimmed;
    this.refusing = refusing;
    this.stop = stop;
    this.schemas = new EventSchemas(registry, asking);
  }

  /**
   * @param newAtRest whether a stream thread of what runs now is at rest; asked on that thread
   */
  public void restWhile(BooleanSupplier newAtRest) {
    atRest = newAtRest;
  }

  /**
   * Offsets of these topics are not committed any more, and a commit that waits for one of them is
   * given up: its thread begins anew. Kafka's producer waits for such a topic as long as it is
   * gone, even when it is closed, and all tasks of its thread with it.
   */
  public void gone(Set<String> topics) {
    gone = Set.copyOf(topics);
    committing.forEach(RowProducer::giveUpWhatIsGone);
  }

  /** How many partitions wait until the registry answers for the schema of their next event. */
  public int withheld() {
    return withheld.size();
  }

  @Override
  public void close() {
    asking.shutdownNow();
  }

  @Override
  public Admin getAdmin(Map<String, Object> config) {
    return onceNamesResolve(() -> Admin.create(config));
  }

  @Override
  public Producer<byte[], byte[]> getProducer(Map<String, Object> config) {
    return onceNamesResolve(() -> new RowProducer(config));
  }

  @Override
  public Consumer<byte[], byte[]> getConsumer(Map<String, Object> config) {
    return onceNamesResolve(() -> new ChangeConsumer(config));
  }

  @Override
  public Consumer<byte[], byte[]> getRestoreConsumer(Map<String, Object> config) {
    return onceNamesResolve(
        () ->
            new KafkaConsumer<>(config, new ByteArrayDeserializer(), new ByteArrayDeserializer()));
  }

  @Override
  public Consumer<byte[], byte[]> getGlobalConsumer(Map<String, Object> config) {
    return onceNamesResolve(() -> new ControlConsumer(config));
  }

  /**
   * Names of brokers may be away with the brokers, as those of containers are. A thread whose
   * client could not be made would end, Kafka Streams could make none in its place, and would run
   * on without it.
   */
  private <T> T onceNamesResolve(Supplier<T> client) {
    for (int failed = 0; ; failed++) {
      try {
        return client.get();
      } catch (KafkaException e) {
        if (!(e.getCause() instanceof ConfigException cause)
            || !cause.getMessage().startsWith("No resolvable bootstrap urls")) {
          throw e;
        }
        if (failed == 0) {
          LOGGER.warn("No name of bootstrap.servers can be resolved; tried again until one can");
        }
        stop.pause(NAMES.of(failed));
      }
    }
  }

  /** Kafka Streams does not wait at all where it has something else to do. */
  static Duration untilNextPoll(Duration timeout, BooleanSupplier atRest) {
    return timeout.isZero() || timeout.compareTo(WAIT_AT_REST) >= 0 || !atRest.getAsBoolean()
        ? timeout
        : WAIT_AT_REST;
  }

  /** Whether what a row failed with says that the brokers do not know the producer as it is. */
  static boolean supersedes(Exception failure) {
    return failure instanceof OutOfOrderSequenceException
        || failure instanceof InvalidPidMappingException;
  }

  /** A partition that waits for the registry. For the thread of its consumer. */
  private static final class Withheld {
    private final ChangeConsumer by;
    private final Timer untilLong = new Timer(Time.SYSTEM);
    private boolean isLong;

    Withheld(ChangeConsumer by) {
      this.by = by;
      untilLong.reset(LONG);
    }

    /** Whether it is worth a line from now on. */
    boolean becomesLong() {
      boolean wasLong = isLong;
      isLong = untilLong.isExpired();
      return isLong && !wasLong;
    }
  }

  private static final class ControlConsumer extends KafkaConsumer<byte[], byte[]> {
    ControlConsumer(Map<String, Object> config) {
      super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      return super.poll(untilNextPoll(timeout, () -> true));
    }
  }

  private final class ChangeConsumer extends KafkaConsumer<byte[], byte[]> {
    ChangeConsumer(Map<String, Object> config) {
      super(config, new ByteArrayDeserializer(), new ByteArrayDeserializer());
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
      try {
        return readable(super.poll(untilNextPoll(timeout, atRest)));
      } catch (LogTruncationException e) {
        // Brokers lost what was read already.
        throw e;
      } catch (OffsetOutOfRangeException e) {
        Map<?, Long> begins = beginningOffsets(e.partitions(), ASKING);
        e.offsetOutOfRangePartitions()
            .forEach(
                (partition, next) -> {
                  // Of a topic that was created anew the end is before it.
                  if (next < begins.get(partition)) {
                    trimmed.found(partition, next, begins.get(partition));
                  }
                });
        throw e;
      }
    }

    /** Withheld events are fetched once more, so nothing of them has to be remembered. */
    private ConsumerRecords<byte[], byte[]> readable(ConsumerRecords<byte[], byte[]> polled) {
      if (!withheld.isEmpty()) {
        forget(assignment());
      }
      long until = System.nanoTime() + WAITING.toNanos();
      Map<TopicPartition, List<ConsumerRecord<byte[], byte[]>>> readable = new LinkedHashMap<>();
      Map<TopicPartition, OffsetAndMetadata> next = new HashMap<>(polled.nextOffsets());
      for (TopicPartition partition : polled.partitions()) {
        List<ConsumerRecord<byte[], byte[]>> events = polled.records(partition);
        int answered = 0;
        while (answered < events.size() && schemas.areAnswered(events.get(answered), until)) {
          answered++;
        }
        if (answered == events.size()) {
          withheld.remove(partition);
        } else {
          next.put(partition, withhold(partition, events.get(answered).offset()));
        }
        if (answered > 0) {
          readable.put(partition, events.subList(0, answered));
        }
      }
      return new ConsumerRecords<>(readable, next);
    }

    private OffsetAndMetadata withhold(TopicPartition partition, long offset) {
      Withheld waits =
          withheld.compute(
              partition,
              (unused, known) -> known != null && known.by == this ? known : new Withheld(this));
      if (waits.becomesLong()) {
        LOGGER.warn(
            "Partition {} waits at offset {}: the schema registry does not answer for its schema; see to it that it runs at schema.registry.url",
            partition,
            offset);
      }
      OffsetAndMetadata first = new OffsetAndMetadata(offset);
      seek(partition, first);
      return first;
    }

    private void forget(Set<TopicPartition> butThese) {
      withheld
          .entrySet()
          .removeIf(one -> one.getValue().by == this && !butThese.contains(one.getKey()));
    }

    @Override
    public void close() {
      forget(Set.of());
      super.close();
    }

    @Override
    public void close(CloseOptions options) {
      forget(Set.of());
      super.close(options);
    }
  }

  private final class RowProducer extends KafkaProducer<byte[], byte[]> {
    private final AcknowledgementMerger acknowledgements = new AcknowledgementMerger();
    private final boolean isTransactional;

    /** Whether the brokers do not know it as it is any more. */
    private volatile boolean isSuperseded;

    /** Partitions of topics, cached since the last commit. */
    private final Map<String, List<PartitionInfo>> partitions = new HashMap<>();

    private Set<String> topics = Set.of();
    private Thread waiting;
    private boolean givenUp;

    /** Whether its transaction was given up. */
    private boolean isOver;

    RowProducer(Map<String, Object> config) {
      super(config, new ByteArraySerializer(), new ByteArraySerializer());
      isTransactional = config.containsKey(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    }

    @Override
    public void sendOffsetsToTransaction(
        Map<TopicPartition, OffsetAndMetadata> offsets, ConsumerGroupMetadata group) {
      awaitRows();
      if (isSuperseded) {
        // Kafka Streams takes it so, too, when a flush tells it.
        throw new ProducerFencedException("The brokers know the producer as another one");
      }
      Map<TopicPartition, OffsetAndMetadata> there = beginWaiting(offsets);
      try {
        super.sendOffsetsToTransaction(there, group);
      } catch (InterruptException e) {
        if (!endWaiting()) {
          throw e;
        }
        throw giveUp("it waited for offsets of a topic that is gone, one of " + topics);
      } catch (TimeoutException e) {
        // It would ask on and on, and neither abort nor close before.
        throw giveUp(e.getMessage());
      } finally {
        endWaiting();
      }
    }

    private ProducerFencedException giveUp(String reason) {
      isOver = true;
      super.close(Duration.ZERO);
      return new ProducerFencedException("The transaction is given up: " + reason);
    }

    /** What is found to be gone after it is asked for ends the wait. */
    private synchronized Map<TopicPartition, OffsetAndMetadata> beginWaiting(
        Map<TopicPartition, OffsetAndMetadata> offsets) {
      committing.add(this);
      Set<String> notThere = gone;
      Map<TopicPartition, OffsetAndMetadata> there = new HashMap<>(offsets);
      there.keySet().removeIf(partition -> notThere.contains(partition.topic()));
      topics = there.keySet().stream().map(TopicPartition::topic).collect(Collectors.toSet());
      waiting = Thread.currentThread();
      return there;
    }

    /** Whether it was given up; then the thread is not interrupted any more. */
    private synchronized boolean endWaiting() {
      boolean wasGivenUp = givenUp;
      if (wasGivenUp) {
        Thread.interrupted();
      }
      committing.remove(this);
      waiting = null;
      givenUp = false;
      return wasGivenUp;
    }

    private synchronized void giveUpWhatIsGone() {
      if (waiting != null && !Collections.disjoint(topics, gone)) {
        LOGGER.warn("Topics {} are gone; giving up a commit that waits for one of them", gone);
        givenUp = true;
        waiting.interrupt();
      }
    }

    /** The next producer of the same transactional id aborts it. */
    @Override
    public void abortTransaction() {
      if (isOver) {
        throw new TimeoutException("the transaction was given up");
      }
      try {
        super.abortTransaction();
      } finally {
        acknowledgements.drop();
      }
    }

    @Override
    public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> row, Callback callback) {
      // The row itself is not kept until then.
      String topic = row.topic();
      Callback answer = callback == null ? (metadata, failure) -> {} : callback;
      return super.send(
          row,
          (metadata, failure) -> {
            if (failure != null) {
              if (supersedes(failure)) {
                isSuperseded = true;
              }
              refusing.note(topic, failure);
              answer.onCompletion(metadata, failure);
            } else {
              acknowledgements.add(metadata, answer);
            }
          });
    }

    /**
     * Does not wait inside a transaction: {@link #sendOffsetsToTransaction} waits, for all tasks of
     * the thread at once. Kafka Streams flushes for each task, before the next one sends the last
     * of its own: a round trip for each task, in every commit. What cannot be written fails the
     * transaction in any case. Acknowledgements of an aborted transaction that are not passed on by
     * then are dropped.
     */
    @Override
    public void flush() {
      if (!isTransactional) {
        awaitRows();
      }
    }

    private void awaitRows() {
      super.flush();
      acknowledgements.flush();
      partitions.clear();
    }

    /** Asked for each row. */
    @Override
    public List<PartitionInfo> partitionsFor(String topic) {
      List<PartitionInfo> known = partitions.get(topic);
      if (known == null) {
        known = askPartitions(topic);
        partitions.put(topic, known);
      }
      return known;
    }

    private List<PartitionInfo> askPartitions(String topic) {
      try {
        return super.partitionsFor(topic);
      } catch (TopicAuthorizationException e) {
        refusing.note(topic, e);
        throw e;
      }
    }
  }
}
