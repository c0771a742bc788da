package io.indexview.connect.s3;

import io.indexview.connect.common.source.EventSchema;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.notification.S3NotificationParser;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.queue.EventQueue.QueueMessage;
import io.indexview.connect.s3.queue.InFlightMessages;
import io.indexview.connect.s3.queue.QueueAcknowledgements;
import io.indexview.connect.s3.queue.Receivers;
import io.indexview.connect.s3.record.SnapshotReads;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.metrics.Measurable;
import org.apache.kafka.common.metrics.PluginMetrics;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One task at work: messages in, records out, and what the queue is owed. {@link #poll} is called
 * on the task's thread; receiving, deleting and extending happen on the session's own, so that they
 * go on while Connect does not poll.
 */
final class S3SourceSession implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(S3SourceSession.class);
  private static final Duration ACKNOWLEDGE_INTERVAL = Duration.ofMillis(50);
  private static final Duration POLL_WAIT = Duration.ofMillis(100);
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

  /** What a queue that has messages needs to answer; one that has none is not waited for. */
  private static final Duration LAST_ANSWERS = Duration.ofMillis(300);

  private static final int MESSAGES_PER_POLL = 500;

  private final SourceClients clients;
  private final PartitionListings listings;
  private final List<PartitionListing> sourcePartitions;
  private final boolean listsAgain;
  private final InFlightMessages inFlight;
  private final QueueMessageReader reader;
  private final Receivers receivers;
  private final QueueAcknowledgements acknowledgements;
  private final ScheduledExecutorService thread;
  private final Time time;
  private final ExecutorService readThreads;
  private final ObjectReads reads;
  private final Optional<KnownObjects> known;
  private final Optional<SnapshotReads> snapshotReads;
  private final EventSchema eventSchema;
  private final Queue<QueueMessage> arrived = new ConcurrentLinkedQueue<>();

  /** Has a permit when there is something to do for {@link #poll}. */
  private final Semaphore news = new Semaphore(0);

  private volatile Throwable unexpected;

  /**
   * @param clients closed with this
   * @param thread one thread, which the session ends
   */
  S3SourceSession(
      S3SourceTaskConfig config,
      SourceClients clients,
      Map<String, ListingOffset> offsets,
      Time time,
      ScheduledExecutorService thread) {
    this.clients = clients;
    this.time = time;
    this.thread = thread;
    this.listsAgain = config.listing().interval().isPresent() && !config.taskBuckets().isEmpty();
    this.inFlight = new InFlightMessages(config.visibility(), this::deleteSoon, time);
    this.readThreads = config.readThreads();
    this.reads = new ObjectReads(clients.objects(), readThreads, news::release);
    this.known = clients.known();
    this.eventSchema = eventSchema(config, clients, time);
    this.listings =
        new PartitionListings(config, clients, reads, offsets, this::doEventsWait, time);
    this.sourcePartitions = listings.sourcePartitions();
    Position position =
        new Position(
            ListingOffset.queuePartition(config.source().name(), config.queueUrl()), Map.of());
    this.snapshotReads =
        known.map(
            index ->
                new SnapshotReads(
                    index,
                    reads,
                    listings.events(),
                    position,
                    this::isPublishedAgain,
                    config.backoff(),
                    time));
    this.reader =
        new QueueMessageReader(
            new S3NotificationParser(
                config.listing().trustsSequencers(), config.listing().readTypes()),
            listings.events(),
            reads,
            snapshotReads,
            Set.copyOf(config.buckets()),
            config.deadLetters(),
            position,
            inFlight,
            config.backoff(),
            time);
    this.receivers =
        new Receivers(
            clients.queue(),
            inFlight,
            new Receivers.Settings(
                config.receivers(),
                config.maxInFlight(),
                config.receiveWait(),
                config.visibility()),
            config.backoff(),
            time,
            task -> thread.execute(() -> guarded(task)),
            this::arrived);
    this.acknowledgements =
        new QueueAcknowledgements(
            clients.queue(), inFlight, config.visibility(), config.backoff(), time);
  }

  private static EventSchema eventSchema(
      S3SourceTaskConfig config, SourceClients clients, Time time) {
    return new EventSchema(
        config.topic(), ControlSchemas.FILE_RECORD, clients.registry(), config.backoff(), time);
  }

  /** Adds the metrics of this task; they are measured on whatever thread asks, and end with it. */
  void addMetrics(PluginMetrics metrics) {
    gauge(
        metrics, "messages-in-flight", "Messages received and not deleted", () -> inFlight.size());
    gauge(
        metrics,
        "unusable-messages-total",
        "Receipts of messages that could not be read, or not be used yet",
        reader::poisonReceipts);
    gauge(
        metrics,
        "skipped-events-total",
        "Events that are no creation or removal of an object",
        () -> reader.skippedTypes().values().stream().mapToLong(n -> n).sum());
    gauge(
        metrics,
        "unlisted-buckets",
        "Buckets of which no listing is complete yet",
        listings::unlistedBuckets);
    gauge(
        metrics,
        "incomplete-buckets",
        "Buckets whose listing cannot be completed; source-states says why",
        listings::incompleteBuckets);
  }

  private static void gauge(
      PluginMetrics metrics, String name, String description, DoubleSupplier value) {
    Measurable measurable = (config, now) -> value.getAsDouble();
    metrics.addMetric(metrics.metricName(name, description, new LinkedHashMap<>()), measurable);
  }

  private void arrived(List<QueueMessage> messages) {
    arrived.addAll(messages);
    news.release();
  }

  /** Opens the first receive requests. */
  void start() {
    thread.scheduleWithFixedDelay(
        () -> guarded(this::tick), 0, ACKNOWLEDGE_INTERVAL.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void tick() {
    receivers.fill();
    acknowledgements.run();
  }

  /**
   * Deletes full batches on the session's own thread. Acknowledgements come on any thread, but
   * requests are made on this one only.
   */
  private void deleteSoon() {
    try {
      thread.execute(() -> guarded(acknowledgements::deleteFullBatches));
    } catch (RejectedExecutionException e) {
      LOGGER.debug("Closing deletes what is done", e);
    }
  }

  /** An executor would keep to itself what goes wrong, errors included. */
  private void guarded(Runnable task) {
    CompletableFuture.runAsync(task, Runnable::run)
        .exceptionally(
            thrown -> {
              unexpected = thrown.getCause();
              return null;
            });
  }

  /**
   * Waits a little for records.
   *
   * @return null if there are none
   * @throws ConnectException if the queue or a bucket will not work without somebody's help
   */
  List<SourceRecord> poll() throws InterruptedException {
    throwIfFailed();
    eventSchema.register();
    List<SourceRecord> records = new ArrayList<>();
    known.filter(index -> isIndexNeeded()).ifPresent(KnownObjects::materialize);
    listInto(records);
    if (records.isEmpty() && arrived.isEmpty()) {
      news.tryAcquire(POLL_WAIT.toMillis(), TimeUnit.MILLISECONDS);
    }
    news.drainPermits();
    messagesInto(records);
    snapshotReads.ifPresent(open -> records.addAll(open.next()));
    statesInto(records);
    return records.isEmpty() ? null : records;
  }

  /**
   * Whether the index is needed. It takes its time to read the whole topic, and not every task has
   * to know what is in it.
   */
  private boolean isIndexNeeded() {
    return listsAgain || doEventsWait();
  }

  private boolean doEventsWait() {
    return snapshotReads.stream().anyMatch(open -> open.open() > 0);
  }

  private boolean isPublishedAgain(String bucket) {
    return sourcePartitions.stream().anyMatch(PartitionListing::isPublishedAgain)
        || clients.topic().isPublishedAgain(bucket);
  }

  private void throwIfFailed() {
    if (unexpected != null) {
      throw new ConnectException("receiving failed: " + unexpected, unexpected);
    }
    AwsRequestException failure =
        receivers.failure() != null ? receivers.failure() : acknowledgements.failure();
    if (failure != null) {
      throw new ConnectException(failure.getMessage(), failure);
    }
  }

  private void listInto(List<SourceRecord> records) {
    Instant now = time.instant();
    try {
      for (PartitionListing sourcePartition : sourcePartitions) {
        records.addAll(sourcePartition.list(now));
      }
    } catch (AwsRequestException.Permanent e) {
      throw new ConnectException(S3SourceConfig.notListed(e), e);
    }
  }

  private void messagesInto(List<SourceRecord> records) {
    for (int read = 0; read < MESSAGES_PER_POLL && !arrived.isEmpty(); read++) {
      reader.begin(arrived.remove());
    }
    records.addAll(reader.next());
  }

  private void statesInto(List<SourceRecord> records) {
    Instant now = time.instant();
    boolean answering =
        receivers.answering()
            && reader.isAnswered()
            && snapshotReads.stream().allMatch(SnapshotReads::isAnswered);
    for (PartitionListing sourcePartition : sourcePartitions) {
      sourcePartition
          .report(now, answering, () -> receivers.publishedUntil(now))
          .ifPresent(records::add);
    }
  }

  /** Connect is done with a record. */
  void acknowledged(SourceRecord record, RecordMetadata metadata) {
    if (record instanceof TrackedRecord tracked) {
      tracked.acknowledged(metadata);
    }
  }

  /** Deletes what is done; everything else the queue may hand out again at once. */
  @Override
  public void close() {
    try {
      awaitLastAnswers();
      thread.shutdownNow();
      if (!thread.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
        LOGGER.warn(
            "The thread that receives messages has not ended {} ms after its task was stopped; what it received comes again after the visibility timeout",
            CLOSE_TIMEOUT.toMillis());
      }
      acknowledgements.finish(CLOSE_TIMEOUT);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      thread.shutdownNow();
      try (clients) {
        readThreads.shutdownNow();
        reads.close();
        LOGGER.info(
            "Closing with {} messages in flight; unusable receipts {}, skipped events {}",
            inFlight.size(),
            reader.poisonReceipts(),
            reader.skippedTypes());
      }
    }
  }

  /** What they bring would stay hidden from other tasks for the visibility timeout. */
  private void awaitLastAnswers() throws InterruptedException {
    if (thread.isShutdown()) {
      return;
    }
    try {
      receivers.end().get(LAST_ANSWERS.toMillis(), TimeUnit.MILLISECONDS);
    } catch (ExecutionException | TimeoutException e) {
      LOGGER.debug("Receive requests are open while closing", e);
    }
  }
}
