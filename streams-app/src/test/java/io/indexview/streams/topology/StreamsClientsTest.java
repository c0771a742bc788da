package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.junit.jupiter.api.Test;

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
}
