package io.indexview.connect.common.index;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.connect.common.index.ChangeTopicReader.Bounds;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException;
import io.indexview.connect.common.index.ChangeTopicReader.ChangeTopicException.MissingTopicException;
import io.indexview.connect.common.index.ChangeTopicReader.LoggedEvent;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.TopicPartitionInfo;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;

class KafkaChangeTopicReaderTest {
  private static final String TOPIC = "changes";
  private static final TopicPartition FIRST = new TopicPartition(TOPIC, 0);
  private static final TopicPartition SECOND = new TopicPartition(TOPIC, 1);

  private final MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("none");
  private final Uuid topicId = Uuid.randomUuid();
  private Throwable refusal;
  private boolean adminClosed;
  private final ChangeTopicReader log = new KafkaChangeTopicReader(TOPIC, admin(), consumer);

  /** Of a topic whose first partition holds 2 to 7, and its second one nothing. */
  private Admin admin() {
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) ->
                switch (method.getName()) {
                  case "describeTopics" -> new Description(description());
                  case "listOffsets" -> offsets((Map<?, ?>) arguments[0], arguments[1]);
                  case "close" -> {
                    adminClosed = true;
                    yield null;
                  }
                  default -> throw new UnsupportedOperationException(method.getName());
                });
  }

  private static final class Description extends DescribeTopicsResult {
    private Description(KafkaFuture<TopicDescription> answer) {
      super(null, Map.of(TOPIC, answer));
    }
  }

  private KafkaFuture<TopicDescription> description() {
    if (refusal != null) {
      KafkaFutureImpl<TopicDescription> failed = new KafkaFutureImpl<>();
      failed.completeExceptionally(refusal);
      return failed;
    }
    List<TopicPartitionInfo> partitions =
        Stream.of(FIRST, SECOND)
            .map(one -> new TopicPartitionInfo(one.partition(), null, List.of(), List.of()))
            .toList();
    return KafkaFuture.completedFuture(
        new TopicDescription(TOPIC, false, partitions, Set.of(), topicId));
  }

  private static ListOffsetsResult offsets(Map<?, ?> wanted, Object options) {
    assertThat(((ListOffsetsOptions) options).isolationLevel())
        .isEqualTo(IsolationLevel.READ_COMMITTED);
    boolean begins = wanted.get(FIRST) instanceof OffsetSpec.EarliestSpec;
    return new ListOffsetsResult(Map.of(FIRST, offset(begins ? 2 : 8), SECOND, offset(0)));
  }

  private static KafkaFuture<ListOffsetsResultInfo> offset(long offset) {
    return KafkaFuture.completedFuture(new ListOffsetsResultInfo(offset, -1, Optional.empty()));
  }

  @Test
  void tellsItsBoundsBesideAFetchOfTheConsumer() {
    consumer.setOffsetsException(new KafkaException("the consumer waits for its fetch"));

    assertThat(log.bounds())
        .isEqualTo(new Bounds(topicId.toString(), Map.of(0, 2L, 1, 0L), Map.of(0, 8L, 1, 0L)));
  }

  @Test
  void tellsAMissingTopicFromBrokersThatDoNotAnswer() {
    refusal = new UnknownTopicOrPartitionException("unknown");
    assertThatThrownBy(log::bounds).isInstanceOf(MissingTopicException.class);

    refusal = new TimeoutException("no answer");
    assertThatThrownBy(log::bounds)
        .isInstanceOf(ChangeTopicException.class)
        .isNotInstanceOf(MissingTopicException.class);
  }

  @Test
  void tellsWhichTopicThereIsOnceItIsAnswered() {
    long moment = System.nanoTime();
    assertThat(log.idSince(moment)).isEmpty();

    assertThat(log.idSince(moment)).contains(topicId.toString());
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
  void readsEveryPartitionFromTheGivenOffset() {
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
        .isInstanceOf(ChangeTopicException.class)
        .hasMessageContaining("topic changes cannot be read");
  }

  @Test
  void tellsARefusalFromWhatIsWorthARetry() {
    begin();
    consumer.setPollException(new KafkaException("no answer"));
    assertThatThrownBy(() -> log.poll(Duration.ZERO)).isInstanceOf(ChangeTopicException.class);

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
