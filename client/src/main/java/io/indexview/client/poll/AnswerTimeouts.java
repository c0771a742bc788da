package io.indexview.client.poll;

import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** Clients of a cluster whose answers people wait for. */
public final class AnswerTimeouts {
  private static final int CALL_MS = 10_000;
  private static final int REQUEST_MS = 5_000;

  /** Timeout of writes for which somebody waits. */
  private static final int WRITE_MS = 15_000;

  private AnswerTimeouts() {}

  /**
   * A producer for records that somebody waits for.
   *
   * @param kafka settings of the cluster: bootstrap servers, security
   */
  public static Producer<byte[], byte[]> producer(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, WRITE_MS);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, WRITE_MS);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, WRITE_MS);
    return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
  }

  /**
   * Settings of consumers and admin clients whose answers people wait for: Kafka's own give up
   * after a minute.
   *
   * @param kafka what it says of these timeouts is left alone: one must not exceed the other
   */
  public static Map<String, Object> in(Map<String, Object> kafka) {
    Map<String, Object> settings = new HashMap<>(kafka);
    if (!kafka.containsKey(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG)
        && !kafka.containsKey(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG)) {
      settings.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, CALL_MS);
      settings.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, REQUEST_MS);
    }
    return settings;
  }
}
