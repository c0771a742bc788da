package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.SINK;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.schemas.RowHeaders;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class RemovalTest {
  private static final Action.RemoveRows REMOVAL =
      new Action.RemoveRows("by-org", 1, "kv", VIEW_TOPIC, "{\"frozen\":1}");
  private static final Action.CheckTopicApplied DRAINING =
      new Action.CheckTopicApplied("by-org", 1, "kv", VIEW_TOPIC);
  private static final Activity.Progress DONE = Activity.answered(Finding.Done.of(REMOVAL));

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  private NativeRemoval byItself() {
    AppTopics appTopics =
        new AppTopics(all.context().topics(), List.of(), 1_000, Map.of(), Map.of());
    return new NativeRemoval(REMOVAL, all.context(), registry, appTopics);
  }

  private NativeRemoval end() {
    AppTopics appTopics =
        new AppTopics(all.context().topics(), List.of(), 1_000, Map.of(), Map.of());
    return new NativeRemoval(DRAINING, all.context(), registry, appTopics);
  }

  private String command(ProducerRecord<byte[], byte[]> sent) {
    MessageReader.Message key = new MessageReader(registry).read(VIEW_TOPIC, sent.key());
    return ((GenericRecord) key.value()).get("command").toString();
  }

  /** A sink may hold off rows of any of them, and commit none. */
  @Test
  void endsEveryPartitionOnceAndWaitsUntilTheSinkHasPassed() {
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    NativeRemoval job = end();

    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.advance(end())).isInstanceOf(Activity.Again.class);
    assertThat(all.log.written)
        .extracting(ProducerRecord::partition, this::command)
        .containsExactlyInAnyOrder(tuple(0, "end-rows"), tuple(1, "end-rows"));

    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(DRAINING)));
    all.advance(byItself());
    assertThat(all.log.written)
        .extracting(ProducerRecord::partition, this::command)
        .hasSize(3)
        .contains(tuple(0, "remove-rows"));
  }

  @Test
  void endsNoTopicThatIsGone() {
    all.cluster.delete(VIEW_TOPIC);
    all.log.remove(VIEW_TOPIC);

    assertThat(all.advance(end())).isEqualTo(Activity.answered(Finding.Done.of(DRAINING)));
    assertThat(all.log.written).isEmpty();
  }

  @Test
  void tellsTheSinkAndWaitsUntilItDid() {
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    all.log.commitAll(SINK, VIEW_TOPIC);
    NativeRemoval job = byItself();

    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.log.written).hasSize(1);
    ProducerRecord<byte[], byte[]> sent = all.log.written.get(0);
    assertThat(sent.partition()).isZero();
    assertThat(sent.value()).isNotNull();
    assertThat(header(sent, RowHeaders.GENERATION)).isEqualTo("1");
    MessageReader.Message key = new MessageReader(registry).read(VIEW_TOPIC, sent.key());
    assertThat(key.schema()).isEqualTo(ControlSchemas.VIEW_TOPIC_CONTROL);
    assertThat(((GenericRecord) key.value()).get("command")).hasToString("remove-rows");
    assertThat(((GenericRecord) key.value()).get("description")).hasToString("{\"frozen\":1}");

    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void doesNotTellItAgainAfterARestart() {
    all.advance(byItself());
    all.advance(byItself());

    assertThat(all.log.written).hasSize(1);
  }

  @Test
  void takesARowForNoControlRecord() {
    registry.register("rows-key", ControlSchemas.VIEW_STATE);
    all.log.add(VIEW_TOPIC, 0, new byte[] {0, 0, 0, 0, 1, 2}, null, 0, new RecordHeaders());

    all.advance(byItself());

    assertThat(all.log.written).hasSize(1);
  }

  @Test
  void leavesNeitherSubjectOfTheViewTopicChanged() {
    all.advance(byItself());

    assertThat(registry.versions(VIEW_TOPIC + "-key")).isEmpty();
    assertThat(registry.versions(VIEW_TOPIC + "-value")).isEmpty();
  }

  @Test
  void makesADeletedTopicAgainForTheCommand() {
    all.cluster.delete(VIEW_TOPIC);
    all.log.remove(VIEW_TOPIC);
    NativeRemoval job = byItself();
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.cluster.topics.get(VIEW_TOPIC).configs())
        .containsEntry(TopicConfig.CLEANUP_POLICY_CONFIG, "compact");

    all.log.create(VIEW_TOPIC, 1);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.log.written).hasSize(1);
    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void tellsTheSinkAgainWhenTheTopicIsDeletedWithTheCommand() {
    NativeRemoval job = byItself();
    all.advance(job);
    all.cluster.delete(VIEW_TOPIC);
    all.createTopic(VIEW_TOPIC, 1);
    all.advance(job);

    assertThat(all.log.written).hasSize(2);
  }

  @Test
  void writesATombstoneOfAHigherRevisionForEveryRow() {
    addRow(0, "a", 41);
    addRow(1, "b", 7);
    all.log.add(VIEW_TOPIC, 1, "deleted", null);
    RemovalByTombstones job = new RemovalByTombstones(REMOVAL, all.context());

    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.log.written)
        .extracting(
            sent -> new String(sent.key(), StandardCharsets.UTF_8),
            ProducerRecord::partition,
            ProducerRecord::value,
            sent -> header(sent, RowHeaders.REVISION),
            sent -> header(sent, RowHeaders.GENERATION))
        .containsExactlyInAnyOrder(tuple("a", 0, null, "42", "1"), tuple("b", 1, null, "8", "1"));

    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(all.advance(job)).isEqualTo(DONE);
    assertThat(all.log.written).hasSize(2);
  }

  @Test
  void writesTombstonesInSourcePartitions() {
    addRow(0, "a", 1);
    addRow(0, "b", 1);
    all.log.maxPerRead = 1;
    RemovalByTombstones job = new RemovalByTombstones(REMOVAL, all.context());

    all.advance(job);
    assertThat(all.log.written).hasSize(1);
    all.advance(job);
    assertThat(all.log.written).hasSize(2);
  }

  private void addRow(int partition, String key, long revision) {
    all.log.add(
        VIEW_TOPIC,
        partition,
        key.getBytes(StandardCharsets.UTF_8),
        new byte[] {1},
        0,
        new RowHeaders().of(revision, 1));
  }

  private static String header(ProducerRecord<byte[], byte[]> sent, String name) {
    return new String(sent.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
  }
}
