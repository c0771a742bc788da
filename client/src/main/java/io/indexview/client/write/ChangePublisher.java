package io.indexview.client.write;

import io.indexview.client.token.FreshnessToken;
import io.indexview.client.write.Written.PublishFailedException;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.EnvelopeWriter.SourceInfo;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.MessageWriter;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells Kafka of writes, a bounded number of them at a time. Who writes reserves first, then
 * publishes or releases what was reserved. Thread-safe.
 */
final class ChangePublisher implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(ChangePublisher.class);
  private static final String CONNECTOR = "writer";

  private final WriterConfig config;
  private final EnvelopeWriter envelopes;
  private final MessageWriter messages;
  private final Producer<byte[], byte[]> producer;
  private final Clock clock;
  private final Semaphore free;
  private final AtomicBoolean failing = new AtomicBoolean();

  /**
   * @param producer closed with this
   */
  ChangePublisher(
      WriterConfig config,
      Schema schema,
      Producer<byte[], byte[]> producer,
      SchemaRegistry registry,
      Clock clock) {
    this.config = config;
    String release = ChangePublisher.class.getPackage().getImplementationVersion();
    this.envelopes =
        new EnvelopeWriter(
            schema,
            new SourceInfo(
                CONNECTOR, config.client(), Objects.requireNonNullElse(release, "unknown")));
    this.messages = new MessageWriter(registry, false);
    this.producer = producer;
    this.clock = clock;
    this.free = new Semaphore(config.maxInFlight(), true);
  }

  /** Waits until so many events more may be on their way. */
  void reserve(int events) {
    if (events > config.maxInFlight()) {
      throw new IllegalArgumentException(
          "%d operations are more than the %d events that may be in flight (maxInFlight)"
              .formatted(events, config.maxInFlight()));
    }
    free.acquireUninterruptibly(events);
  }

  void release(int events) {
    free.release(events);
  }

  /** Tells of one write, of whatever number of records. */
  Call call() {
    return new Call();
  }

  /**
   * The events of one write. When one of them finds Kafka or the registry away, those that come
   * after it fail with it: each would wait anew for as long, and others wait for the write.
   */
  final class Call {
    private volatile Exception outage;

    private Call() {}

    /**
     * Sends the event of a record, for which one was reserved. Never throws: the write is done.
     *
     * @param version that was written, or removed
     * @param after null exactly for a delete
     */
    Written publish(KvKey key, Op op, KvVersion version, GenericRecord after) {
      CompletableFuture<FreshnessToken> published = new CompletableFuture<>();
      Written written = new Written(key, version, published);
      published.whenComplete((token, failure) -> release(1));
      Exception before = outage;
      if (before == null) {
        send(written, op, after);
      } else {
        failed(written, before);
      }
      return written;
    }

    private void send(Written written, Op op, GenericRecord after) {
      try {
        producer.send(
            event(written.key(), op, written.version(), after),
            (metadata, failure) -> {
              if (failure != null) {
                note(failure);
                failed(written, failure);
              } else {
                failing.set(false);
                written
                    .published()
                    .complete(
                        new FreshnessToken(
                            metadata.topic(), metadata.partition(), metadata.offset()));
              }
            });
      } catch (RuntimeException e) {
        note(e);
        failed(written, e);
      }
    }

    private void note(Exception failure) {
      if (failure instanceof TimeoutException || failure instanceof RegistryException) {
        outage = failure;
      }
    }
  }

  private ProducerRecord<byte[], byte[]> event(
      KvKey key, Op op, KvVersion version, GenericRecord after) {
    long now = clock.millis();
    Origin origin =
        new Origin.Versioned(
            new SourceVersion(version.epoch(config.incarnation()), version.vlsnBytes()));
    byte[] value =
        messages.write(
            config.topic(), envelopes.schema(), envelopes.write(op, now, now, origin, after));
    return new ProducerRecord<>(
        config.topic(), key.toString().getBytes(StandardCharsets.UTF_8), value);
  }

  private void failed(Written written, Exception cause) {
    if (!failing.getAndSet(true)) {
      LOGGER.warn(
          "Change events do not reach Kafka, views follow with the next scan: recordSet={} version={} cause={}",
          config.recordSet(),
          written.version(),
          cause.toString());
    }
    written
        .published()
        .completeExceptionally(new PublishFailedException(written.key(), written.version(), cause));
  }

  /** Waits until every event that is on its way has arrived or failed. */
  void flush() {
    producer.flush();
  }

  @Override
  public void close() {
    producer.close();
  }
}
