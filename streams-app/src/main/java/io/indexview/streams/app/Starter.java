package io.indexview.streams.app;

import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.error.RegistryWait;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.ControlLog;
import io.indexview.streams.generation.GenerationFreezer;
import io.indexview.streams.generation.Generations;
import io.indexview.streams.generation.KafkaCluster;
import io.indexview.streams.generation.KafkaControlLog;
import io.indexview.streams.topology.StreamsSettings;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Freezes the generations of a start on a real cluster, and waits out its outages. */
final class Starter {
  private static final Logger LOGGER = LoggerFactory.getLogger(Starter.class);
  private static final Duration RETRY = Duration.ofSeconds(1);

  private final AppConfig config;
  private final SchemaRegistry registry;
  private final RegistryWait registryWait;
  private final StopSignal stop;
  private final Consumer<String> status;

  Starter(
      AppConfig config,
      SchemaRegistry registry,
      RegistryWait registryWait,
      StopSignal stop,
      Consumer<String> status) {
    this.config = config;
    this.registry = registry;
    this.registryWait = registryWait;
    this.stop = stop;
    this.status = status;
  }

  /** Freezes; everything that it does may be done again, so an outage means to begin anew. */
  Generations freeze() {
    StreamsConfig streams = new StreamsConfig(StreamsSettings.of(config));
    String clientId = config.applicationId() + "-start";
    try (Admin admin = Admin.create(streams.getAdminConfigs(clientId));
        ControlLog controlLog = controlLog(streams, clientId)) {
      GenerationFreezer freezer =
          new GenerationFreezer(
              config,
              StreamsSettings.topicMessageBytes(config),
              registry,
              new KafkaCluster(admin, config.applicationId(), config.topicReplication()),
              controlLog,
              stop,
              status);
      while (true) {
        try {
          return registryWait.get(freezer::freeze);
        } catch (RetriableException e) {
          LOGGER.warn("The brokers do not answer; waiting for them", e);
          status.accept("waiting for the brokers");
          stop.pause(RETRY);
        }
      }
    }
  }

  private ControlLog controlLog(StreamsConfig streams, String clientId) {
    Map<String, Object> consumer = new HashMap<>(streams.getRestoreConsumerConfigs(clientId));
    consumer.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
    Map<String, Object> producer = new HashMap<>(streams.getProducerConfigs(clientId));
    producer.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    producer.remove(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
    producer.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    return new KafkaControlLog(
        config.topics(),
        new KafkaConsumer<>(consumer, new StringDeserializer(), new ByteArrayDeserializer()),
        new KafkaProducer<>(producer, new StringSerializer(), new ByteArraySerializer()),
        registry);
  }
}
