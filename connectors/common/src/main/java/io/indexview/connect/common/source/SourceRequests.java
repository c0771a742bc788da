package io.indexview.connect.common.source;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.SourceRequest;
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
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The source-requests topic, read every few seconds on a thread of its own: a topic that is not
 * there or a broker that does not answer must not hold up the source. While it cannot be read, what
 * was last known counts. Thread-safe.
 */
public final class SourceRequests implements Requests {
  private static final Logger LOGGER = LoggerFactory.getLogger(SourceRequests.class);
  private static final Duration INTERVAL = Duration.ofMillis(500);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);
  private static final int ANSWER_MS = 10_000;

  private final ControlTable<SourceRequest> table;
  private final ScheduledExecutorService thread =
      Executors.newSingleThreadScheduledExecutor(SourceRequests::daemon);
  private volatile Map<String, SourceRequest> newest = Map.of();
  private boolean failing;

  /**
   * Does not read yet, see {@link #start}.
   *
   * @param table closed with this
   */
  SourceRequests(ControlTable<SourceRequest> table) {
    this.table = table;
  }

  /**
   * Reads the topic of an installation from now on.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   * @param registry stays open
   */
  public static SourceRequests watch(
      Map<String, Object> kafka, Topics topics, SchemaRegistry registry) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, ANSWER_MS);
    SourceRequests requests =
        new SourceRequests(
            new ControlTable<>(
                topics.sourceRequests(),
                ControlTable.consumer(settings),
                new AvroDeserializer(registry, ControlSchemas.SOURCE_REQUEST),
                SourceRequest::of));
    requests.start();
    return requests;
  }

  private static Thread daemon(Runnable task) {
    Thread thread = new Thread(task, "indexview-source-requests");
    thread.setDaemon(true);
    return thread;
  }

  private void start() {
    thread.scheduleWithFixedDelay(this::look, 0, INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Reads to the end of the topic. */
  void look() {
    try {
      newest = table.refresh();
      failing = false;
    } catch (KafkaException | RegistryException e) {
      if (!failing && !thread.isShutdown()) {
        LOGGER.warn(
            "Requests to publish every record again cannot be read, and are tried again: {}",
            e.toString());
      }
      failing = true;
    }
  }

  @Override
  public long newest(String topic) {
    SourceRequest request = newest.get(topic);
    return request == null ? 0 : request.number();
  }

  @Override
  public void close() {
    thread.shutdownNow();
    try {
      if (thread.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        table.close();
      } else {
        LOGGER.warn("The thread that reads requests does not end");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
