package io.indexview.streams.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;

/** Which keys of Kafka Streams a user may set, and what to do instead for the others. */
final class StreamsKeys {
  private static final String CORRECTNESS = "the guarantees of the application rest on it";

  private static final Map<String, String> FIXED =
      Map.ofEntries(
          Map.entry(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.ENSURE_EXPLICIT_INTERNAL_RESOURCE_NAMING_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.PROCESSING_EXCEPTION_HANDLER_CLASS_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.DESERIALIZATION_EXCEPTION_HANDLER_CLASS_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.PRODUCTION_EXCEPTION_HANDLER_CLASS_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.ERRORS_DEAD_LETTER_QUEUE_TOPIC_NAME_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.PROCESSOR_WRAPPER_CLASS_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.DEFAULT_KEY_SERDE_CLASS_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.DEFAULT_VALUE_SERDE_CLASS_CONFIG, CORRECTNESS),
          Map.entry(StreamsConfig.ROCKSDB_CONFIG_SETTER_CLASS_CONFIG, "set state.memory.bytes"),
          Map.entry(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, CORRECTNESS),
          Map.entry(ConsumerConfig.ISOLATION_LEVEL_CONFIG, CORRECTNESS),
          Map.entry(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, CORRECTNESS),
          Map.entry(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, CORRECTNESS),
          Map.entry(ProducerConfig.ACKS_CONFIG, CORRECTNESS),
          Map.entry(ProducerConfig.PARTITIONER_CLASS_CONFIG, CORRECTNESS),
          Map.entry(
              ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, "it follows from commit.interval.ms"),
          Map.entry(StreamsConfig.APPLICATION_ID_CONFIG, "set application.id"),
          Map.entry(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, "set bootstrap.servers"),
          Map.entry(StreamsConfig.STATE_DIR_CONFIG, "set state.dir"),
          Map.entry(StreamsConfig.NUM_STANDBY_REPLICAS_CONFIG, "set num.standby.replicas"),
          Map.entry(StreamsConfig.NUM_STREAM_THREADS_CONFIG, "set num.stream.threads"),
          Map.entry(StreamsConfig.COMMIT_INTERVAL_MS_CONFIG, "set commit.interval.ms"));

  private static final List<String> CLIENT_PREFIXES =
      List.of(
          StreamsConfig.MAIN_CONSUMER_PREFIX,
          StreamsConfig.RESTORE_CONSUMER_PREFIX,
          StreamsConfig.GLOBAL_CONSUMER_PREFIX,
          StreamsConfig.CONSUMER_PREFIX,
          StreamsConfig.PRODUCER_PREFIX,
          StreamsConfig.ADMIN_CLIENT_PREFIX);

  private static final Set<String> OF_CLIENTS =
      Stream.of(
              ConsumerConfig.configNames(),
              ProducerConfig.configNames(),
              AdminClientConfig.configNames())
          .flatMap(Set::stream)
          .collect(Collectors.toUnmodifiableSet());

  private StreamsKeys() {}

  /** What is wrong with the {@code streams.*} keys. */
  static List<String> problems(Map<String, String> values) {
    List<String> problems = new ArrayList<>();
    for (String key : values.keySet()) {
      if (key.startsWith(AppConfig.STREAMS_PREFIX)) {
        String name = key.substring(AppConfig.STREAMS_PREFIX.length());
        String remedy = FIXED.get(withoutClientPrefix(name));
        if (remedy != null) {
          problems.add("%s: cannot be set; %s".formatted(key, remedy));
        } else if (withoutClientPrefix(name).equals(ProducerConfig.MAX_REQUEST_SIZE_CONFIG)) {
          checkRequestSize(key, values.get(key)).ifPresent(problems::add);
        }
      }
    }
    return problems;
  }

  /** The {@code streams.*} keys that neither Kafka Streams nor its clients define. */
  static List<String> unknown(Map<String, String> values) {
    return values.keySet().stream()
        .filter(key -> key.startsWith(AppConfig.STREAMS_PREFIX))
        .filter(key -> !isKnown(key.substring(AppConfig.STREAMS_PREFIX.length())))
        .sorted()
        .toList();
  }

  /** Which settings topics have the brokers know. */
  private static boolean isKnown(String name) {
    return name.startsWith(StreamsConfig.TOPIC_PREFIX)
        || StreamsConfig.configDef().names().contains(name)
        || OF_CLIENTS.contains(withoutClientPrefix(name));
  }

  private static Optional<String> checkRequestSize(String key, String value) {
    if (!key.equals(AppConfig.MAX_REQUEST_SIZE_CONFIG)) {
      return Optional.of("%s: set %s".formatted(key, AppConfig.MAX_REQUEST_SIZE_CONFIG));
    }
    try {
      if (Integer.parseInt(value.strip()) >= AppConfig.MAX_REQUEST_SIZE_DEFAULT) {
        return Optional.empty();
      }
    } catch (NumberFormatException e) {
      return Optional.of("%s: \"%s\" is not a number of bytes".formatted(key, value));
    }
    return Optional.of(
        "%s: %s is too small; rows may take nearly %d bytes, so set that or more"
            .formatted(key, value, AppConfig.MAX_REQUEST_SIZE_DEFAULT));
  }

  private static String withoutClientPrefix(String name) {
    for (String prefix : CLIENT_PREFIXES) {
      if (name.startsWith(prefix)) {
        return name.substring(prefix.length());
      }
    }
    return name;
  }
}
