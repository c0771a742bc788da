package io.indexview.connect.common.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.connect.common.log.ChangeLog.LoggedEvent;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

class KafkaChangeLogTest {
  private static final String TOPIC = "changes";
  private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);
  private static final TopicPartition SECOND = new TopicPartition(TOPIC, 1);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
  private boolean adminClosed;
  private final ChangeLog log = new KafkaChangeLog(TOPIC, admin(), consumer);

  /** No more than reading takes. */
  private Admin admin() {
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> {
              assertThat(method.getName()).isEqualTo("close");
              adminClosed = true;
              return null;
            });
  }

  private void begin() {
    consumer.updateBeginningOffsets(Map.of(FIRST, 0L, SECOND, 0L));
    log.seek(Map.of(0, 1L, 1, 4L));
  }

  private void add(TopicPartition partition, long offset) {
    consumer.addRecord(
        new ConsumerRecord<>(
            TOPIC, partition.partition(), offset, new byte[] {(byte) offset}, new byte[] {7}));
  }

  @Test
  void readsEveryPartitionFromWhereItIsTold() {
    begin();
    add(FIRST, 0);
    add(FIRST, 1);
    add(SECOND, 6);

    assertThat(log.poll(Duration.ZERO))
        .extracting(LoggedEvent::partition, LoggedEvent::offset)
        .containsExactlyInAnyOrder(tuple(0, 1L), tuple(1, 6L));
    assertThat(log.positions()).isEqualTo(Map.of(0, 2L, 1, 7L));
    assertThat(log.poll(Duration.ZERO)).isEmpty();
  }

  @Test
  void saysThatTheTopicLostThePosition() {
    begin();
    add(FIRST, 5);
    consumer.updateBeginningOffsets(Map.of(FIRST, 5L, SECOND, 0L));

    assertThatThrownBy(() -> log.poll(Duration.ZERO))
        .isInstanceOf(ChangeLogException.class)
        .hasMessageContaining("topic changes cannot be read");
  }

  @Test
  void tellsARefusalFromWhatIsWorthARetry() {
    begin();
    consumer.setPollException(new KafkaException("no answer"));
    assertThatThrownBy(() -> log.poll(Duration.ZERO)).isInstanceOf(ChangeLogException.class);

    consumer.setPollException(new TopicAuthorizationException(TOPIC));
    assertThatThrownBy(() -> log.poll(Duration.ZERO))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("the broker refuses the clients that kafka.* configures");
  }

  @Test
  void closesItsClients() {
    log.close();
    assertThat(consumer.closed()).isTrue();
    assertThat(adminClosed).isTrue();
  }
}
