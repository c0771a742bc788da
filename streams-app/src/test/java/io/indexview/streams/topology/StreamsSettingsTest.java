package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.LogLines;
import io.indexview.streams.config.AppConfig;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.streams.StreamsConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamsSettingsTest {

  private static AppConfig config(String commitIntervalMs) {
    return config(commitIntervalMs, Map.of());
  }

  private static AppConfig config(String commitIntervalMs, Map<String, String> more) {
    Map<String, String> settings = new HashMap<>(more);
    settings.putAll(
        Map.of(
            "bootstrap.servers", "127.0.0.1:9092",
            "schema.registry.url", "http://127.0.0.1:8081",
            "record.sets", "people",
            "state.dir", "state",
            "streams.client.id", "indexview-west",
            "commit.interval.ms", commitIntervalMs));
    return AppConfig.parse(settings);
  }

  @Test
  void namesItsClientsAsThoseOfTheInstanceAreNamed() {
    assertThat(StreamsSettings.of(config("100"), "indexview-east"))
        .containsEntry(StreamsConfig.CLIENT_ID_CONFIG, "indexview-east");
  }

  @Test
  void derivesExactlyOnceButInBenchmarks() {
    AppConfig config = config("100");

    assertThat(StreamsSettings.of(config, "indexview-east"))
        .containsEntry(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
    assertThat(
            new StreamsConfig(StreamsSettings.of(config.withoutTransactions(), "indexview-east"))
                .getString(StreamsConfig.PROCESSING_GUARANTEE_CONFIG))
        .isEqualTo(StreamsConfig.AT_LEAST_ONCE);
  }

  @Test
  void givesKafkaStreamsNothingToWarnOf() {
    try (LogLines warnings = LogLines.warnings(StreamsConfig.class)) {
      new StreamsConfig(StreamsSettings.of(config("100"), "indexview-east"));

      assertThat(warnings.get()).isEmpty();
    }
  }

  /** Kafka Streams refuses transactions that end before they are committed. */
  @ParameterizedTest
  @CsvSource({"1, 10002", "100, 10200", "30000, 70000"})
  void givesTransactionsMoreTimeThanTheCommitInterval(String commitIntervalMs, int timeoutMs) {
    assertThat(
            new StreamsConfig(StreamsSettings.of(config(commitIntervalMs), "indexview-east"))
                .getProducerConfigs("one"))
        .containsEntry(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG, timeoutMs);
  }

  @ParameterizedTest
  @CsvSource({",20", "250,250"})
  void sendsRefusedRowsAgainSoonUnlessSetOtherwise(String given, long backoffMs) {
    AppConfig config =
        given == null
            ? config("100")
            : config("100", Map.of("streams.producer.retry.backoff.ms", given));

    assertThat(
            new StreamsConfig(StreamsSettings.of(config, "indexview-east"))
                .getProducerConfigs("one"))
        .extractingByKey(ProducerConfig.RETRY_BACKOFF_MS_CONFIG)
        .asString()
        .isEqualTo(Long.toString(backoffMs));
  }
}
