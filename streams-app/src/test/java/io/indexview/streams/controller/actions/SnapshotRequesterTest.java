package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.APP;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SnapshotRequesterTest {
  private static final Action.AdHocSnapshot REQUEST =
      new Action.AdHocSnapshot("by-org", "people", 5);

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  private SnapshotRequester job(Action.AdHocSnapshot work) {
    return new SnapshotRequester(work, all.context(), registry);
  }

  private List<SourceRequest> asked() {
    AvroDeserializer deserializer = new AvroDeserializer(registry);
    return all.log.written.stream()
        .map(record -> deserializer.deserialize("indexview.source-requests", record.value()))
        .map(SourceRequest::of)
        .toList();
  }

  private void assertRefused(Action.AdHocSnapshot work, String reason) {
    assertThat(all.advance(job(work)))
        .isInstanceOfSatisfying(
            Activity.Answered.class,
            answered ->
                assertThat(answered.answer())
                    .isInstanceOfSatisfying(
                        Finding.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason)));
    assertThat(all.log.written).isEmpty();
  }

  @Test
  void asksTheSourcesAndWaitsUntilTheAppHasTakenInTheirAnswer() {
    SnapshotRequester job = job(REQUEST);
    all.sourcePartition("0", 1, Installation.scan(1, 0, 0));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(asked()).containsExactly(new SourceRequest(People.TOPIC, 5, Installation.NOW_MS));

    all.sourcePartition("0", 1, Installation.adHoc(100, 4, 0, 0));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.addRecords();
    all.sourcePartition("0", 1, Installation.adHoc(200, 5, 1, 1));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.log.commitAll(APP, People.TOPIC);
    all.purged(0);
    all.purged(0, 1);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.findings).isEmpty();

    all.purged(1, 2);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(REQUEST)));
    assertThat(all.findings).containsExactly(new Finding.RecordSetWhole("people", 200));
  }

  @Test
  void waitsForTheAnswerOnTheTopicThatIsThereNow() {
    SnapshotRequester job = job(REQUEST);
    all.addRecords();
    all.sourcePartition("0", 1, Installation.adHoc(200, 5, 1, 1));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    all.cluster.delete(People.TOPIC);
    all.createTopic(People.TOPIC, 2);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.sourcePartition("0", 1, Installation.adHoc(300, 5, 0, 0));
    all.purged(0);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(REQUEST)));
    assertThat(all.findings).containsExactly(new Finding.RecordSetWhole("people", 300));
  }

  @Test
  void findsTheAnswerAlsoAfterTheSourceLookedAgain() {
    all.sourcePartition("0", 1, Installation.adHoc(200, 5, 0, 0), Installation.scan(300, 0, 0));
    all.purged(0);

    assertThat(all.advance(job(REQUEST))).isEqualTo(Activity.answered(Finding.Done.of(REQUEST)));
    assertThat(all.findings).containsExactly(new Finding.RecordSetWhole("people", 200));
  }

  @Test
  void waitsForEverySourceAndNamesTheOneThatIsMissing() {
    SnapshotRequester job = job(REQUEST);
    all.purged(0, Map.of("kv", 0L, "other", 0L));
    all.purged(1, Map.of("kv", 0L, "other", 0L));
    all.sourcePartition("0", 1, Installation.adHoc(200, 5, 0, 0));
    all.say("other", all.cluster.topicId(People.TOPIC), "0", 1, null, null);
    assertThat(all.advance(job))
        .isInstanceOfSatisfying(
            Activity.Again.class, again -> assertThat(again.waitingFor()).contains("source other"));

    all.say(
        "other", all.cluster.topicId(People.TOPIC), "0", 1, Installation.adHoc(250, 6, 0, 0), null);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(REQUEST)));
    assertThat(all.findings).containsExactly(new Finding.RecordSetWhole("people", 200));
  }

  @Test
  void comparesNoClocksOfSeveralSources() {
    all.addRecords();
    all.log.commitAll(APP, People.TOPIC);
    all.sourcePartition("0", 1, Installation.adHoc(900, 5, 0, 0));
    Optional<String> id = all.cluster.topicId(People.TOPIC);
    all.say("other", id, "0", 1, Installation.adHoc(100, 5, 1, 1), null);
    SnapshotRequester job = job(REQUEST);
    all.purged(0, Map.of("kv", 1L, "other", 0L));
    all.purged(1, Map.of("kv", 1L, "other", 1L));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.purged(0, Map.of("kv", 0L, "other", 1L));
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(REQUEST)));
  }

  @Test
  void takesPurgesOfAnEarlierTopicOfTheNameForNone() {
    all.sourcePartition("0", 1, Installation.adHoc(200, 5, 0, 0));
    for (int partition = 0; partition < 2; partition++) {
      PurgeProgress earlier =
          new PurgeProgress("people", partition, "earlier", Map.of("kv|0|/people|", 99L), 1);
      all.progress.put(earlier.key(), Optional.of(earlier));
    }
    assertThat(all.advance(job(REQUEST))).isInstanceOf(Activity.Again.class);
  }

  @Test
  void doesNotAskAgainAfterARestart() {
    all.requests.put(People.TOPIC, new SourceRequest(People.TOPIC, 5, 1));

    all.advance(job(REQUEST));

    assertThat(all.log.written).isEmpty();
  }

  /** As of a controller whose clock was ahead. */
  @Test
  void asksOnceMoreIfTheRequestThatStandsWasMadeForAnEarlierSnapshot() {
    all.requests.put(People.TOPIC, new SourceRequest(People.TOPIC, 90, 2));
    all.sourcePartition("0", 1, Installation.adHoc(200, 90, 0, 0));
    all.purged(0);
    SnapshotRequester job = job(REQUEST);

    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(asked()).containsExactly(new SourceRequest(People.TOPIC, 91, Installation.NOW_MS));

    all.sourcePartition("0", 1, Installation.adHoc(300, 91, 0, 0));
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(REQUEST)));
  }

  @Test
  void asksOnceMoreIfTheRequestThatStandsIsOfTheFuture() {
    long future = Installation.NOW_MS + 600_000;
    all.requests.put(People.TOPIC, new SourceRequest(People.TOPIC, future, future));

    all.advance(job(REQUEST));

    assertThat(asked())
        .containsExactly(new SourceRequest(People.TOPIC, future + 1, Installation.NOW_MS));
  }

  @Test
  void goesOnAfterARestartWithTheRequestThatItMadeWithAHigherNumber() {
    all.requests.put(People.TOPIC, new SourceRequest(People.TOPIC, 91, Installation.NOW_MS));
    all.sourcePartition("0", 1, Installation.adHoc(200, 90, 0, 0));
    all.purged(0);
    SnapshotRequester job = job(REQUEST);

    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.log.written).isEmpty();

    all.sourcePartition("0", 1, Installation.adHoc(300, 91, 0, 0));
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(REQUEST)));
  }

  @Test
  void refusesARecordSetThatThereIsNot() {
    assertRefused(new Action.AdHocSnapshot("by-org", "cars", 5), "no record set \"cars\"");
  }

  @Test
  void refusesARecordSetWhoseSourcesCannotBeAsked() {
    all.set("record.set.people.complete", "topic");

    assertRefused(REQUEST, "record.set.people.complete");
  }
}
