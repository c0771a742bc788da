package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.error.RefusingTopics;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.error.StopSignal.StoppedException;
import io.indexview.streams.task.TrimmedEvents;
import java.time.Clock;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.streams.KafkaClientSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class StreamsClientsTest {
  @Test
  void producersAreSupersededByWhatKafkaStreamsTakesAsMigrated() {
    assertThat(StreamsClients.supersedes(new OutOfOrderSequenceException("gap"))).isTrue();
    assertThat(StreamsClients.supersedes(new UnknownProducerIdException("unknown"))).isTrue();
    assertThat(StreamsClients.supersedes(new InvalidPidMappingException("another"))).isTrue();
  }

  @Test
  void producersAreNotSupersededByRowsThatFail() {
    assertThat(StreamsClients.supersedes(new RecordTooLargeException("large"))).isFalse();
    assertThat(StreamsClients.supersedes(new TimeoutException("late"))).isFalse();
  }

  static Stream<BiConsumer<KafkaClientSupplier, Map<String, Object>>> clients() {
    return Stream.of(
        KafkaClientSupplier::getAdmin,
        KafkaClientSupplier::getProducer,
        KafkaClientSupplier::getConsumer,
        KafkaClientSupplier::getRestoreConsumer,
        KafkaClientSupplier::getGlobalConsumer);
  }

  /** Who waits hears it from the signal; a client that cannot be made says so itself. */
  @ParameterizedTest
  @MethodSource("clients")
  void waitForTheNamesOfBrokers(BiConsumer<KafkaClientSupplier, Map<String, Object>> client) {
    StopSignal stop = new StopSignal();
    stop.stop();
    try (StreamsClients clients = clients(stop)) {
      assertThatThrownBy(() -> client.accept(clients, addressed("broker.invalid:9092")))
          .isInstanceOf(StoppedException.class);
    }
  }

  @ParameterizedTest
  @MethodSource("clients")
  void doNotWaitForAnAddressThatIsWrong(
      BiConsumer<KafkaClientSupplier, Map<String, Object>> client) {
    try (StreamsClients clients = clients(new StopSignal())) {
      assertThatThrownBy(() -> client.accept(clients, addressed("no port")))
          .isInstanceOf(KafkaException.class);
    }
  }

  private static StreamsClients clients(StopSignal stop) {
    return new StreamsClients(
        new TrimmedEvents(),
        new RefusingTopics(topic -> true, Clock.systemUTC()),
        new InMemorySchemaRegistry(),
        stop);
  }

  private static Map<String, Object> addressed(String servers) {
    return Map.of(CommonClientConfigs.BOOTSTRAP_SERVERS_CONFIG, servers);
  }
}
