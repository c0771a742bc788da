package io.indexview.connect.common.source;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.Occurrences;
import io.indexview.connect.common.errors.RetryTimer;
import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import io.indexview.schemas.time.Time;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.apache.avro.Schema;
import org.apache.kafka.connect.errors.DataException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The schema of a topic's change events, registered before there is an event: a streams app without
 * a schema file waits for it, and an empty store or bucket publishes nothing. For one thread.
 */
public final class EventSchema {
  private static final Logger LOGGER = LoggerFactory.getLogger(EventSchema.class);
  private static final Duration BETWEEN_LINES = Duration.ofMinutes(1);

  private final String topic;
  private final Schema schema;
  private final SchemaRegistry registry;
  private final RetryTimer retry;
  private final Time time;
  private final Occurrences failures = new Occurrences(BETWEEN_LINES);
  private final Executor executor;
  private CompletableFuture<Integer> attempt;
  private boolean registered;

  /**
   * @param registry stays open; asked in threads of their own, one at a time
   */
  public EventSchema(
      String topic, Schema recordSchema, SchemaRegistry registry, Backoff backoff, Time time) {
    this(topic, recordSchema, registry, backoff, time, EventSchema::inThread);
  }

  EventSchema(
      String topic,
      Schema recordSchema,
      SchemaRegistry registry,
      Backoff backoff,
      Time time,
      Executor executor) {
    this.topic = topic;
    this.schema = schema(recordSchema);
    this.registry = registry;
    this.retry = new RetryTimer(backoff, time);
    this.time = time;
    this.executor = executor;
  }

  /** Schema as the converter writes it: another text would be another version. */
  private static Schema schema(Schema recordSchema) {
    return AvroConverter.written(
        new ConnectData().schemaOf(EnvelopeSchemas.envelope(recordSchema)));
  }

  /** Why there can be no events of records of a schema, for people; empty: there can. */
  public static Optional<String> obstacle(Schema recordSchema) {
    try {
      schema(recordSchema);
      return Optional.empty();
    } catch (DataException e) {
      return Optional.of(e.getMessage());
    }
  }

  private static void inThread(Runnable task) {
    Thread thread = new Thread(task, "indexview-event-schema");
    thread.setDaemon(true);
    thread.start();
  }

  /**
   * Registers it unless that was done, and does not wait for that: what fails is tried again by
   * later calls, and the converter registers the schema with the first event, too.
   */
  public void register() {
    if (attempt != null && attempt.isDone()) {
      settle();
    }
    if (!registered && attempt == null && retry.isDue()) {
      attempt =
          CompletableFuture.supplyAsync(
              () -> registry.register(Subjects.value(topic), schema), executor);
    }
  }

  private void settle() {
    try {
      attempt.join();
      registered = true;
    } catch (CompletionException e) {
      retry.failed();
      if (failures.occurred(time.millis()) > 0) {
        LOGGER.warn(
            "The record schema of topic {} cannot be registered now, and is tried again; a streams app without its file waits for it: {}",
            topic,
            e.getCause().getMessage());
      }
    }
    attempt = null;
  }
}
