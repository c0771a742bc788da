package io.indexview.connect.common.source;

import io.indexview.connect.common.avro.AvroConverter;
import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.errors.Occurrences;
import io.indexview.schemas.change.EnvelopeSchemas;
import io.indexview.schemas.registry.RegistryException;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.Subjects;
import java.time.Clock;
import java.time.Duration;
import org.apache.avro.Schema;
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
  private final Backoff backoff;
  private final Clock clock;
  private final Occurrences failures = new Occurrences(BETWEEN_LINES);
  private boolean registered;
  private long retryAt;

  /**
   * @param registry stays open
   */
  public EventSchema(
      String topic, Schema recordSchema, SchemaRegistry registry, Backoff backoff, Clock clock) {
    this.topic = topic;
    // As the converter writes it: another text would be another version.
    this.schema =
        AvroConverter.written(new ConnectData().schemaOf(EnvelopeSchemas.envelope(recordSchema)));
    this.registry = registry;
    this.backoff = backoff;
    this.clock = clock;
  }

  /**
   * Registers it unless that was done. What fails is tried again by later calls; it keeps nothing
   * up, as the converter registers the schema with the first event, too.
   */
  public void register() {
    long now = clock.millis();
    if (registered || now < retryAt) {
      return;
    }
    try {
      registry.register(Subjects.value(topic), schema);
      registered = true;
    } catch (RegistryException e) {
      retryAt = now + backoff.next().toMillis();
      if (failures.occurred(now) > 0) {
        LOGGER.warn(
            "The record schema of topic {} cannot be registered now, and is tried again; a streams app without its file waits for it: {}",
            topic,
            e.getMessage());
      }
    }
  }
}
