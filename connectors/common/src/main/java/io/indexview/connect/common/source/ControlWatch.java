package io.indexview.connect.common.source;

import io.indexview.connect.common.errors.Occurrences;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A control topic, read every few seconds on a thread of its own: a topic that is not there or a
 * broker that does not answer must not hold up the source. While it cannot be read, what was last
 * known counts. Thread-safe.
 *
 * @param <T> what a record stands for
 */
public final class ControlWatch<T> implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ControlWatch.class);

  /** Pause between two reads. */
  public static final Duration INTERVAL = Duration.ofSeconds(2);

  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);
  private static final int ANSWER_MS = 10_000;

  private final String topic;
  private final ControlTable<T> table;
  private final ScheduledExecutorService thread;
  private volatile Map<String, T> newest = Map.of();
  private final Occurrences failures = new Occurrences(BETWEEN_LINES);

  /**
   * Does not read yet, see {@link #start}.
   *
   * @param table of the topic; closed with this
   */
  ControlWatch(String topic, ControlTable<T> table) {
    this.topic = topic;
    this.table = table;
    this.thread =
        Executors.newSingleThreadScheduledExecutor(
            task -> {
              Thread reader = new Thread(task, topic + "-reader");
              reader.setDaemon(true);
              return reader;
            });
  }

  /**
   * Reads what sources are asked for from now on.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  static ControlWatch<SourceRequest> sourceRequests(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    return watch(
        topics.sourceRequests(), kafka, registry, ControlSchemas.SOURCE_REQUEST, SourceRequest::of);
  }

  /**
   * Reads what all source partitions of all sources say from now on; by {@link SourceState#key}.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static ControlWatch<SourceState> sourceStates(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    return watch(
        topics.sourceStates(), kafka, registry, ControlSchemas.SOURCE_STATE, SourceState::of);
  }

  private static <T> ControlWatch<T> watch(
      String topic,
      Map<String, Object> kafka,
      SchemaRegistry registry,
      Schema schema,
      Function<GenericRecord, T> values) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MS);
    Consumer<byte[], byte[]> consumer = ControlTable.consumer(settings);
    ControlWatch<T> watch =
        new ControlWatch<>(
            topic,
            new ControlTable<>(topic, consumer, new AvroDeserializer(registry, schema), values));
    watch.start();
    return watch;
  }

  private void start() {
    thread.scheduleWithFixedDelay(this::scan, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Reads to the end of the topic. */
  void scan() {
    try {
      newest = table.refresh();
    } catch (KafkaException | RegistryException e) {
      if (isToBeLogged()) {
        LOGGER.warn(
            "Topic {} cannot be read, and is tried again; the streams app creates it when it starts: {}",
            topic,
            e.toString());
      }
    } catch (RuntimeException | LinkageError | StackOverflowError e) {
      // The scheduler would end the watch, and tell nobody.
      if (isToBeLogged()) {
        LOGGER.error(
            "Topic {} cannot be read, and is tried again; if that does not help, restart the task",
            topic,
            e);
      }
    }
  }

  private boolean isToBeLogged() {
    return !thread.isShutdown() && failures.occurred(System.currentTimeMillis()) > 0;
  }

  /** The newest value of each key, as far as is known. Returns at once. */
  public Map<String, T> newest() {
    return newest;
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (thread.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        table.close();
      } else {
        LOGGER.warn(
            "The thread that reads topic {} has not ended {} ms after its task was stopped; it keeps its consumer until the brokers answer or the worker ends",
            topic,
            CLOSE_TIMEOUT.toMillis());
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
