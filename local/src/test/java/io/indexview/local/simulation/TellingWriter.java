package io.indexview.local.simulation;

import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.connect.common.index.FakeTopic;
import io.indexview.connect.kvstore.source.People;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.schemas.registry.SchemaRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The writer library with a producer whose events arrive when a step says so, or never. */
final class TellingWriter {
  private static final int MAX_IN_FLIGHT = 100_000;

  private final Writer writer;
  private final List<ProducerRecord<byte[], byte[]>> sent = new ArrayList<>();

  TellingWriter(KvStore store, String incarnation, SchemaRegistry registry, Clock clock) {
    WriterConfig config =
        new WriterConfig(
            People.RECORD_SET.name(),
            People.RECORD_SET.prefix(),
            People.TOPIC,
            incarnation,
            "simulation",
            MAX_IN_FLIGHT);
    writer =
        new Writer(store, config, ValueEncoder.avro(People.SCHEMA), producer(), registry, clock);
  }

  private MockProducer<byte[], byte[]> producer() {
    return new MockProducer<>(false, null, new ByteArraySerializer(), new ByteArraySerializer()) {
      @Override
      public Future<RecordMetadata> send(ProducerRecord<byte[], byte[]> event, Callback callback) {
        sent.add(event);
        return null;
      }
    };
  }

  /** Returns the event that is on its way now. */
  ProducerRecord<byte[], byte[]> put(KvKey key, GenericRecord record) {
    writer.put(key, record);
    return sent.remove(0);
  }

  /** Returns the event that is on its way now; null if there was nothing to remove. */
  ProducerRecord<byte[], byte[]> delete(KvKey key) {
    writer.delete(key);
    return sent.isEmpty() ? null : sent.remove(0);
  }

  static void arrive(ProducerRecord<byte[], byte[]> event, FakeTopic topic, long now) {
    topic.append(event.key(), event.value(), now);
  }
}
