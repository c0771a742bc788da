package io.indexview.connect.s3;

import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.connect.common.worker.PluginVersion;
import io.indexview.connect.common.worker.WorkerMetrics;
import io.indexview.connect.s3.SourcePorts.AwsSourcePorts;
import io.indexview.connect.s3.index.ChangeTopic;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.object.ObjectStore;
import io.indexview.connect.s3.queue.EventQueue;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.time.Time;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.apache.kafka.connect.source.SourceTask;

/** Shell of {@link S3SourceSession}. */
public final class S3SourceTask extends SourceTask {
  private final Function<S3SourceTaskConfig, EventQueue> queues;
  private final Function<S3SourceTaskConfig, ObjectStore> stores;
  private final Function<S3SourceTaskConfig, ChangeTopic> topics;
  private S3SourceSession session;

  public S3SourceTask() {
    this(
        config -> new AwsSourcePorts(config).openQueue(),
        config -> new AwsSourcePorts(config).openObjects(),
        KafkaChangeTopic::open);
  }

  S3SourceTask(
      Function<S3SourceTaskConfig, EventQueue> queues,
      Function<S3SourceTaskConfig, ObjectStore> stores,
      Function<S3SourceTaskConfig, ChangeTopic> topics) {
    this.queues = queues;
    this.stores = stores;
    this.topics = topics;
  }

  @Override
  public String version() {
    return PluginVersion.get();
  }

  @Override
  public void start(Map<String, String> props) {
    PluginFaults.explaining(() -> open(props));
  }

  private void open(Map<String, String> props) {
    S3SourceTaskConfig config = new S3SourceTaskConfig(props);
    Map<String, ListingOffset> offsets = storedOffsets(config);
    Opened opened = new Opened();
    try {
      session =
          new S3SourceSession(
              config, clients(config, opened), offsets, Time.SYSTEM, thread(config));
    } catch (RuntimeException | LinkageError e) {
      opened.closeAfter(e);
      throw e;
    }
    Optional<PluginMetrics> metrics = WorkerMetrics.of(context);
    if (metrics.isPresent()) {
      session.addMetrics(metrics.get());
    }
    session.start();
  }

  private SourceClients clients(S3SourceTaskConfig config, Opened opened) {
    EventQueue queue = opened.add(queues.apply(config));
    ObjectStore objects = opened.add(stores.apply(config));
    ChangeTopic topic = opened.add(topics.apply(config));
    SchemaRegistry registry = opened.add(SchemaRegistries.create(config.originals()));
    Optional<KnownObjects> known =
        config
            .index()
            .map(
                settings ->
                    opened.add(
                        new KnownObjects(
                            settings,
                            topic,
                            opened.add(SchemaRegistries.create(config.originals())),
                            config.backoff(),
                            Time.SYSTEM)));
    return new SourceClients(queue, objects, topic, registry, known);
  }

  private Map<String, ListingOffset> storedOffsets(S3SourceTaskConfig config) {
    Map<String, ListingOffset> offsets = new HashMap<>();
    for (String bucket : config.taskBuckets()) {
      Map<String, Object> partition = ListingOffset.bucketPartition(config.source().name(), bucket);
      try {
        offsets.put(bucket, ListingOffset.fromMap(context.offsetStorageReader().offset(partition)));
      } catch (IllegalArgumentException e) {
        throw new ConnectException(
            "stored offset of bucket %s: %s; reset the connector's offsets to list it again"
                .formatted(bucket, e.getMessage()),
            e);
      }
    }
    return offsets;
  }

  private static ScheduledExecutorService thread(S3SourceTaskConfig config) {
    return Executors.newSingleThreadScheduledExecutor(
        task -> {
          Thread thread = new Thread(task, config.threadName());
          thread.setDaemon(true);
          return thread;
        });
  }

  @Override
  public List<SourceRecord> poll() throws InterruptedException {
    return session.poll();
  }

  @Override
  public void commitRecord(SourceRecord record, RecordMetadata metadata) {
    session.acknowledged(record, metadata);
  }

  @Override
  public void stop() {
    if (session != null) {
      session.close();
    }
  }

  /**
   * What was opened so far of something that cannot be used before all of it is. For one thread.
   */
  static final class Opened {
    private final Deque<AutoCloseable> parts = new ArrayDeque<>();

    /** Notes what was opened, and gives it back. */
    <T extends AutoCloseable> T add(T part) {
      parts.push(part);
      return part;
    }

    /**
     * Closes all, the last first, because no more could be opened.
     *
     * @param cause keeps what goes wrong here
     */
    void closeAfter(Throwable cause) {
      while (!parts.isEmpty()) {
        try {
          parts.pop().close();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          cause.addSuppressed(e);
        } catch (Exception e) {
          cause.addSuppressed(e);
        }
      }
    }
  }
}
