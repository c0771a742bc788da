package io.indexview.streams.work;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.lifecycle.work.WorkResultCodec;
import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.util.List;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;

/** Tells results on {@code view-progress}. */
public final class ResultLog {
  private final String topic;
  private final TopicWriter writer;
  private final AvroSerializer<GenericRecord> serializer;
  private final Clock clock;

  /**
   * @param topic {@code view-progress}
   * @param registry stays open
   */
  public ResultLog(String topic, TopicWriter writer, SchemaRegistry registry, Clock clock) {
    this.topic = topic;
    this.writer = writer;
    this.serializer = new AvroSerializer<>(registry, false);
    this.clock = clock;
  }

  /**
   * Tells results in their order and returns when the cluster has them all. After a failure some of
   * them may have been told.
   *
   * @throws org.apache.kafka.common.KafkaException if the cluster, and {@link
   *     io.indexview.schemas.registry.RegistryException} if the registry does not answer
   */
  public void tell(List<WorkResult> results) {
    if (!results.isEmpty()) {
      writer.write(results.stream().map(this::message).toList());
    }
  }

  private ProducerRecord<byte[], byte[]> message(WorkResult result) {
    byte[] key = WorkResultCodec.key(result).getBytes(StandardCharsets.UTF_8);
    byte[] value = serializer.serialize(topic, WorkResultCodec.toAvro(result, clock.millis()));
    return new ProducerRecord<>(topic, key, value);
  }
}
