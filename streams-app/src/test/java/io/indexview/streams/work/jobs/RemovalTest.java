package io.indexview.streams.work.jobs;

import static io.indexview.streams.work.Installation.SINK;
import static io.indexview.streams.work.Installation.VIEW_TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.serde.MessageReader;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.topology.RowHeaders;
import io.indexview.streams.work.Installation;
import io.indexview.streams.work.Look;
import java.nio.charset.StandardCharsets;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.Test;

class RemovalTest {
  private static final Work.RemoveRows REMOVAL =
      new Work.RemoveRows("by-org", 1, "kv", VIEW_TOPIC, "{\"frozen\":1}");
  private static final Look DONE = Look.answered(WorkResult.Done.of(REMOVAL));

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  private NativeRemovalJob byItself() {
    return new NativeRemovalJob(
        REMOVAL, all.surroundings(), new ControlRecord(all.config().topics(), registry));
  }

  @Test
  void tellsTheSinkAndWaitsUntilItDid() {
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    all.log.commitAll(SINK, VIEW_TOPIC);
    NativeRemovalJob job = byItself();

    assertThat(all.look(job)).isInstanceOf(Look.Again.class);
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);
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
    assertThat(all.look(job)).isEqualTo(DONE);
  }

  @Test
  void doesNotTellItAgainAfterARestart() {
    all.look(byItself());
    all.look(byItself());

    assertThat(all.log.written).hasSize(1);
  }

  @Test
  void takesARowForNoControlRecord() {
    registry.register("rows-key", ControlSchemas.VIEW_STATE);
    all.log.add(VIEW_TOPIC, 0, new byte[] {0, 0, 0, 0, 1, 2}, null, 0, new RecordHeaders());

    all.look(byItself());

    assertThat(all.log.written).hasSize(1);
  }

  @Test
  void leavesNeitherSubjectOfTheViewTopicChanged() {
    all.look(byItself());

    assertThat(registry.versions(VIEW_TOPIC + "-key")).isEmpty();
    assertThat(registry.versions(VIEW_TOPIC + "-value")).isEmpty();
  }

  @Test
  void hasNothingToRemoveWithoutTheTopic() {
    Work.RemoveRows gone = new Work.RemoveRows("by-org", 1, "kv", "no-such-topic", "{}");
    NativeRemovalJob job =
        new NativeRemovalJob(
            gone, all.surroundings(), new ControlRecord(all.config().topics(), registry));

    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(gone)));
    assertThat(all.log.written).isEmpty();
  }

  @Test
  void writesATombstoneOfAHigherRevisionForEveryRow() {
    addRow(0, "a", 41);
    addRow(1, "b", 7);
    all.log.add(VIEW_TOPIC, 1, "deleted", null);
    TombstoneRemovalJob job = new TombstoneRemovalJob(REMOVAL, all.surroundings());

    assertThat(all.look(job)).isInstanceOf(Look.Again.class);
    assertThat(all.log.written)
        .extracting(
            sent -> new String(sent.key(), StandardCharsets.UTF_8),
            ProducerRecord::partition,
            ProducerRecord::value,
            sent -> header(sent, RowHeaders.REVISION),
            sent -> header(sent, RowHeaders.GENERATION))
        .containsExactlyInAnyOrder(tuple("a", 0, null, "42", "1"), tuple("b", 1, null, "8", "1"));

    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(all.look(job)).isEqualTo(DONE);
    assertThat(all.log.written).hasSize(2);
  }

  @Test
  void writesTombstonesInSlices() {
    addRow(0, "a", 1);
    addRow(0, "b", 1);
    all.log.mostPerRead = 1;
    TombstoneRemovalJob job = new TombstoneRemovalJob(REMOVAL, all.surroundings());

    all.look(job);
    assertThat(all.log.written).hasSize(1);
    all.look(job);
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
