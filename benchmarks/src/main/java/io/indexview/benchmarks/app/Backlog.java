package io.indexview.benchmarks.app;

import io.indexview.benchmarks.data.People;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * Writes the events of a contestant, those of a round in one transaction: all become visible at
 * once.
 */
final class Backlog implements AutoCloseable {
  private static final EnvelopeWriter ENVELOPES =
      new EnvelopeWriter(
          People.SCHEMA, new EnvelopeWriter.SourceInfo("kvstore", "people-store", "1"));
  private static final String EPOCH = "1/rg1";
  private static final long NOW = System.currentTimeMillis();

  private final RecordFormat format;
  private final String topic;
  private final KafkaProducer<byte[], byte[]> producer;

  /**
   * Writes values with its own registry. In each process the schema is the first one of its
   * registry, so that its id is 1 everywhere.
   */
  private final AvroSerializer<GenericRecord> serializer =
      new AvroSerializer<>(new InMemorySchemaRegistry(), false);

  Backlog(Entrant entrant) {
    this.format = entrant.kind().format();
    this.topic = entrant.changes();
    this.producer =
        new KafkaProducer<>(
            Map.of(
                ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                entrant.bootstrap(),
                ProducerConfig.TRANSACTIONAL_ID_CONFIG,
                entrant.id() + "-backlog",
                ProducerConfig.TRANSACTION_TIMEOUT_CONFIG,
                (int) Duration.ofMinutes(15).toMillis(),
                ProducerConfig.COMPRESSION_TYPE_CONFIG,
                "lz4",
                ProducerConfig.BATCH_SIZE_CONFIG,
                64 << 10,
                ProducerConfig.LINGER_MS_CONFIG,
                20),
            new ByteArraySerializer(),
            new ByteArraySerializer());
    producer.initTransactions();
  }

  /** The schema of the values of events. */
  static Schema schema(RecordFormat format) {
    return format == RecordFormat.ENVELOPE ? ENVELOPES.schema() : People.SCHEMA;
  }

  /** Writes the next changes, not to be seen yet; returns how many events they are. */
  int write(Workload workload, int changes) {
    producer.beginTransaction();
    int events = workload.run(changes, this::send);
    producer.flush();
    return events;
  }

  /** Sends the events that create all people. */
  int fill(Workload workload) {
    producer.beginTransaction();
    int events = workload.fill(this::send);
    producer.flush();
    return events;
  }

  private void send(Workload.Event event) {
    producer.send(
        new ProducerRecord<>(
            topic,
            People.key(event.person()).getBytes(StandardCharsets.UTF_8),
            serializer.serialize(topic, value(event))));
  }

  private GenericRecord value(Workload.Event event) {
    if (format == RecordFormat.FLAT) {
      return event.after();
    }
    Op op = event.after() == null ? Op.DELETE : Op.UPDATE;
    byte[] sequence = ByteBuffer.allocate(Long.BYTES).putLong(event.sequence()).array();
    Origin origin = new Origin.Versioned(new SourceVersion(EPOCH, sequence));
    return ENVELOPES.write(op, NOW, NOW, origin, event.after());
  }

  /** Lets be seen what was written. */
  void publish() {
    producer.commitTransaction();
  }

  @Override
  public void close() {
    producer.close();
  }
}
