package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.APP;
import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.DEAD_LETTERS;
import static io.indexview.streams.controller.actions.Installation.SINK;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static io.indexview.streams.controller.actions.Installation.WATCHED;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.DeadLetterPosition;
import io.indexview.streams.controller.rules.Finding;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ReadyCheckTest {
  private static final Action.CheckReady CHECK =
      new Action.CheckReady(new Action.Watch(WATCHED, DeadLetterPosition.NONE, List.of()), 1);
  private static final Activity.Progress DONE = Activity.answered(Finding.Done.of(CHECK));

  private static final SchemaRegistry REGISTRY = new InMemorySchemaRegistry();
  private static final Schema DEBEZIUM =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "Envelope", "fields": [
                {"name": "source", "type": {"type": "record", "name": "Source", "fields": [
                  {"name": "snapshot", "type": ["string", "null"], "default": "false"}]}}]}
              """);

  private final Installation all = new Installation();
  private ReadyCheck job;

  @BeforeEach
  void begin() {
    ActionContext context = all.context();
    RejectedRowTracker rejected = new RejectedRowTracker(BY_ORG, context.log(), List.of());
    job =
        new ReadyCheck(
            CHECK,
            context,
            new DebeziumSnapshot(context.log(), REGISTRY),
            Installation.deadLetters(all.deadLetterWindow(), rejected, Map.of()));
  }

  private void assertWaits(String forWhat) {
    assertThat(all.advance(job))
        .isInstanceOfSatisfying(
            Activity.Again.class, again -> assertThat(again.waitingFor()).contains(forWhat));
  }

  private void complete() {
    all.sourcePartition("0", 1, Installation.scan(1, 0, 0));
  }

  @Test
  void isReadyWhenEverythingHolds() {
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    complete();
    all.log.commitAll(APP, People.TOPIC);
    all.log.commitAll(SINK, VIEW_TOPIC);

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  private void addOfDebezium(int partition, String snapshot) {
    GenericRecord source = new GenericData.Record(DEBEZIUM.getField("source").schema());
    source.put("snapshot", snapshot);
    GenericRecord event = new GenericData.Record(DEBEZIUM);
    event.put("source", source);
    byte[] value = new AvroSerializer<GenericRecord>(REGISTRY, false).serialize("shop", event);
    all.log.add(People.TOPIC, partition, new byte[] {1}, value, 0, new RecordHeaders());
    all.log.commitAll(APP, People.TOPIC);
  }

  private void goByDebezium() {
    all.set("record.set.people.complete", "debezium");
    begin();
  }

  @Test
  void waitsForTheEndOfDebeziumsSnapshot() {
    goByDebezium();
    assertWaits("Debezium has sent no event");

    addOfDebezium(0, "first");
    assertWaits("ends within a snapshot of Debezium");
    addOfDebezium(1, "true");
    assertWaits("ends within a snapshot of Debezium");

    addOfDebezium(1, "last_in_data_collection");
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void goesByDebeziumsSnapshotInJson() {
    all.set("record.set.people.encoding", "json");
    goByDebezium();
    addJson("first_in_data_collection");
    assertWaits("ends within a snapshot of Debezium");

    addJson("last");
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  private void addJson(String snapshot) {
    byte[] value =
        "{\"op\":\"r\",\"after\":{},\"source\":{\"snapshot\":\"%s\"}}"
            .formatted(snapshot)
            .getBytes(StandardCharsets.UTF_8);
    all.log.add(People.TOPIC, 0, new byte[] {1}, value, 0, new RecordHeaders());
    all.log.commitAll(APP, People.TOPIC);
  }

  @Test
  void takesAChangeForTheEndOfDebeziumsSnapshot() {
    goByDebezium();
    addOfDebezium(0, "true");
    addOfDebezium(1, null);

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void findsTheLastEventOfDebeziumBehindTransactionMarkers() {
    goByDebezium();
    addOfDebezium(0, "true");
    for (int i = 0; i < 20; i++) {
      all.log.addTombstone(People.TOPIC, 0);
    }
    assertWaits("ends within a snapshot of Debezium");

    all.log.add(People.TOPIC, 1, "deleted", null);
    all.log.commitAll(APP, People.TOPIC);
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void takesEventsOfDebeziumThatWereDeletedByAgeForTaken() {
    goByDebezium();
    addOfDebezium(0, "true");
    all.log.trim(People.TOPIC, 0, 1);

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void waitsForTheAppToTakeInWhatDebeziumSentLast() {
    goByDebezium();
    addOfDebezium(0, "true");
    assertWaits("ends within a snapshot of Debezium");

    addOfDebezium(1, "last");
    all.log.commit(APP, People.TOPIC, 1, 0);
    assertWaits("the application to take in");
  }

  @Test
  void waitsWhileTheFirstScanRunsAlthoughNothingIsThere() {
    all.sourcePartition("0", 1, null);

    assertWaits("record set people to be complete");
  }

  @Test
  void waitsForEverySourcePartition() {
    all.sourcePartition("0", 2, Installation.scan(1, 0, 0));
    assertWaits("record set people to be complete");

    all.sourcePartition("1", 2, null);
    assertWaits("record set people to be complete");

    all.sourcePartition("1", 2, Installation.scan(1, 0, 0));
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void waitsForEverySourceOfTheTopic() {
    complete();
    all.say("other", all.cluster.topicId(People.TOPIC), "0", 1, null, null);
    assertWaits("source other of topic");

    all.say("other", all.cluster.topicId(People.TOPIC), "0", 1, null, Installation.scan(0, 0, 0));
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void waitsForASourceThatDoesNotTellTheTopicItLookedAt() {
    all.say("s3", Optional.empty(), "0", 1, null, Installation.scan(1, 0, 0));

    assertWaits("source s3 does not tell the id of the topic");
  }

  @Test
  void waitsForASourceThatLookedAtAnEarlierTopicOfTheName() {
    all.say("kv", Optional.of("deleted"), "0", 1, null, Installation.scan(1, 0, 0));
    assertWaits("source kv scanned for an earlier topic of the name");

    complete();
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void waitsForTheNextScanAlsoIfOnlyOneOfTheSourcesLookedAtAnEarlierTopic() {
    complete();
    all.say("other", Optional.of("deleted"), "0", 1, null, Installation.scan(1, 0, 0));

    assertWaits("source other scanned for an earlier topic");
  }

  @Test
  void doesNotTakeWhatWasSaidOfAnEarlierTopicOfTheName() {
    complete();
    all.cluster.topics.remove(People.TOPIC);

    assertWaits("record set people to be complete");
  }

  @Test
  void waitsForTheAppToPassTheEndOfTheScan() {
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.add(People.TOPIC, 0, "l", "v");
    all.log.add(People.TOPIC, 1, "m", "v");
    all.log.add(People.TOPIC, 1, "n", "v");
    all.sourcePartition("0", 1, Installation.scan(1, 0, 2));
    all.log.commitAll(APP, People.TOPIC);
    all.log.commit(APP, People.TOPIC, 0, 1);
    assertWaits("the application to take in");

    all.log.commit(APP, People.TOPIC, 0, 2);
    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void waitsForTheAppToPassWhatTheTopicHeldAtTheStartOfTheCheck() {
    complete();
    all.log.add(People.TOPIC, 1, "k", "v");

    assertWaits("the application to take in");
  }

  @Test
  void goesByTheSourceTopicThatIsThereNow() {
    for (int i = 0; i < 3; i++) {
      all.log.add(People.TOPIC, 0, "k", "v");
    }
    assertWaits("record set people to be complete");
    recreateSourceTopic();
    complete();

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void goesByAnotherSourceTopicAlsoIfTheOneBeforeWasComplete() {
    for (int i = 0; i < 3; i++) {
      all.log.add(People.TOPIC, 0, "k", "v");
    }
    complete();
    assertWaits("the application to take in");
    recreateSourceTopic();
    assertWaits("record set people to be complete");
    complete();

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  /** With one record, which the application takes in. */
  private void recreateSourceTopic() {
    all.cluster.delete(People.TOPIC);
    all.createTopic(People.TOPIC, 2);
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.commitAll(APP, People.TOPIC);
  }

  @Test
  void isNotHeldUpByWhatCameLater() {
    all.log.add(People.TOPIC, 0, "k", "v");
    complete();
    assertWaits("the application to take in");
    all.log.commitAll(APP, People.TOPIC);
    all.log.add(People.TOPIC, 0, "later", "v");

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void takesTransactionMarkersForNothing() {
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    all.log.addTombstone(VIEW_TOPIC, 0);
    complete();
    all.log.commit(SINK, VIEW_TOPIC, 0, 1);

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  @Test
  void waitsForTheSink() {
    all.log.add(VIEW_TOPIC, 1, "row", "v");
    complete();

    assertWaits(SINK);
  }

  @Test
  void takesTheEndOfTheRowsOnlyWhenTheAppHasTakenInEverything() {
    all.log.add(People.TOPIC, 0, "k", "v");
    complete();
    assertWaits("the application to take in");
    // The row of that record, published when it was taken in.
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    all.log.commitAll(APP, People.TOPIC);

    assertWaits(SINK);
  }

  @Test
  void tellsEveryRejectedRowBeforeTheAnswer() {
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    complete();
    assertWaits(SINK);
    all.log.add(DEAD_LETTERS, 0, "row".getBytes(StandardCharsets.UTF_8), null, 0, deadLetter(0));
    all.log.commitAll(SINK, VIEW_TOPIC);
    all.log.maxPerRead = 1;
    all.log.add(DEAD_LETTERS, 0, "s".getBytes(StandardCharsets.UTF_8), null, 0, deadLetter(0));

    assertWaits("");
    assertThat(all.advance(job)).isEqualTo(DONE);
    assertThat(all.findings).hasSize(2).hasOnlyElementsOfType(Finding.RowRejected.class);
  }

  @Test
  void isNotReadyOnATopicThatIsCreatedAgainInTheLastRound() {
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    complete();
    assertWaits(SINK);
    all.log.add(DEAD_LETTERS, 0, "row".getBytes(StandardCharsets.UTF_8), null, 0, deadLetter(0));
    all.log.commitAll(SINK, VIEW_TOPIC);
    all.observed.begin();

    Activity.Progress progress =
        job.advance(
            rejected -> {
              all.cluster.delete(VIEW_TOPIC);
              all.createTopic(VIEW_TOPIC, 2);
            });

    assertThat(progress)
        .isInstanceOfSatisfying(
            Activity.Again.class,
            again -> assertThat(again.waitingFor()).contains("that was created for it"));
  }

  @Test
  void needsNoSourceWhereTheTopicIsEverything() {
    all.set("record.set.people.complete", "topic");
    begin();

    assertThat(all.advance(job)).isEqualTo(DONE);
  }

  private static Headers deadLetter(long offset) {
    return new RecordHeaders()
        .add("__connect.errors.topic", VIEW_TOPIC.getBytes(StandardCharsets.UTF_8))
        .add("__connect.errors.partition", "0".getBytes(StandardCharsets.UTF_8))
        .add("__connect.errors.offset", Long.toString(offset).getBytes(StandardCharsets.UTF_8))
        .add("__connect.errors.exception.message", "no".getBytes(StandardCharsets.UTF_8));
  }
}
