package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.PartitionReads;
import io.indexview.schemas.control.PartitionReads.StandstillException;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PublishedGeneration.SchemaIds;
import io.indexview.schemas.control.ViewSpec.BuildRequest;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.verification.KvRows;
import io.indexview.views.derive.DerivationException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;

class KafkaRowLogTest {
  private static final String TOPIC = "rows";
  private static final TopicPartition PARTITION = new TopicPartition(TOPIC, 0);

  private final ManualClock clock = new ManualClock();
  private final MockConsumer<byte[], byte[]> reader = consumer(PARTITION);
  private final List<String> asked = new ArrayList<>();
  private final RowLog log =
      new KafkaRowLog(
          new PublishedGeneration(
              "by-org",
              1,
              "{}",
              "people",
              "people",
              TOPIC,
              Uuid.ONE_UUID.toString(),
              new SchemaIds(3, RowDecoderTest.KEY_SCHEMA, 2),
              1,
              0,
              new BuildRequest(1, BuildMode.STATE),
              false),
          "sink",
          new RowDecoder(
              RowDecoderTest.BY_ORG,
              RowDecoderTest.KEY_SCHEMA,
              new KvRows(/* store= */ null, RowDecoderTest.BY_ORG)),
          clusterWithAnotherTopicOfTheName(),
          reader,
          clock);

  private static final class Description extends DescribeTopicsResult {
    Description() {
      super(
          null,
          Map.of(
              TOPIC,
              KafkaFuture.completedFuture(
                  new TopicDescription(
                      TOPIC, false, List.of(), Set.of(), new Uuid(Long.MAX_VALUE, 2)))));
    }
  }

  private Admin clusterWithAnotherTopicOfTheName() {
    return (Admin)
        Proxy.newProxyInstance(
            Admin.class.getClassLoader(),
            new Class<?>[] {Admin.class},
            (proxy, method, arguments) -> {
              asked.add(method.getName());
              return new Description();
            });
  }

  private static MockConsumer<byte[], byte[]> consumer(TopicPartition partition) {
    MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest");
    consumer.assign(List.of(partition));
    consumer.updateBeginningOffsets(Map.of(partition, 0L));
    return consumer;
  }

  private void addRow(long offset) throws DerivationException {
    ConsumerRecord<byte[], byte[]> message =
        RowDecoderTest.message("/p/" + offset, PARTITION, offset, new RowHeaders().of(7, 1));
    reader.schedulePollTask(() -> reader.addRecord(message));
  }

  private void read(long end, RowLog.Visitor visitor) {
    log.read(Map.of(0, 0L), Map.of(0, end), visitor);
  }

  @Test
  void passesOnTheRowsBeforeTheEndAndKeepsNothingOfTheTopic() throws DerivationException {
    List<String> rows = new ArrayList<>();
    addRow(0);
    addRow(2);

    read(2, (id, row) -> rows.add(row.orElseThrow().primaryKey()));

    assertThat(rows).containsExactly("/p/0");
    assertThat(reader.assignment()).isEmpty();
    assertThat(asked).isEmpty();
  }

  @Test
  void saysOfATopicThatStandsStillThatItIsAnotherOne() {
    for (int minute = 0; minute < 4; minute++) {
      reader.schedulePollTask(() -> clock.pass(Duration.ofMinutes(1)));
    }

    assertThatThrownBy(() -> read(1, (id, row) -> {}))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("topic rows was created anew")
        .satisfies(
            failure ->
                assertThat(failure.getSuppressed())
                    .singleElement()
                    .isInstanceOf(StandstillException.class));
    assertThat(reader.assignment()).isEmpty();
  }

  /** It is tried again: brokers may say of a topic that it is not there while they move it. */
  @Test
  void doesNotLookForTheTopicWhereTheVisitorWaitedForAnother() throws DerivationException {
    TopicPartition states = new TopicPartition("states", 0);
    MockConsumer<byte[], byte[]> silent = consumer(states);
    silent.schedulePollTask(() -> clock.pass(Duration.ofMinutes(1)));
    addRow(0);

    assertThatThrownBy(
            () ->
                read(
                    1,
                    (id, row) ->
                        new PartitionReads(silent, Duration.ofSeconds(30), clock)
                            .toEnds(Map.of(states, 1L), message -> {})))
        .isInstanceOf(StandstillException.class)
        .hasMessageContaining("states-0");
    assertThat(asked).isEmpty();
    assertThat(reader.assignment()).isEmpty();
  }
}
