package io.indexview.streams.work.jobs;

import static io.indexview.streams.work.Installation.APP;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.People;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Installation;
import io.indexview.streams.work.Look;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ResnapshotJobTest {
  private static final Work.RequestResnapshot REQUEST =
      new Work.RequestResnapshot("by-org", "people", 5);

  private final Installation all = new Installation();
  private final InMemorySchemaRegistry registry = new InMemorySchemaRegistry();

  private ResnapshotJob job(Work.RequestResnapshot work) {
    return new ResnapshotJob(work, all.surroundings(), registry);
  }

  private void assertRefused(Work.RequestResnapshot work, String reason) {
    assertThat(all.look(job(work)))
        .isInstanceOfSatisfying(
            Look.Answered.class,
            answered ->
                assertThat(answered.answer())
                    .isInstanceOfSatisfying(
                        WorkResult.Refused.class,
                        refused -> assertThat(refused.reason()).contains(reason)));
    assertThat(all.log.written).isEmpty();
  }

  @Test
  void asksTheSourcesAndWaitsUntilTheAppHasTakenInTheirAnswer() {
    ResnapshotJob job = job(REQUEST);
    all.slice("0", 1, Installation.look(1, 0, 0));
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);
    assertThat(all.log.written).hasSize(1);
    SourceRequest sent =
        SourceRequest.of(
            new AvroDeserializer(registry)
                .deserialize("indexview.source-requests", all.log.written.get(0).value()));
    assertThat(sent).isEqualTo(new SourceRequest(People.TOPIC, 5, Installation.NOW_MS));

    all.slice("0", 1, Installation.forced(100, 4, 0, 0));
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.log.add(People.TOPIC, 0, "k", "v");
    all.slice("0", 1, Installation.forced(200, 5, 1, 1));
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.log.commitAll(APP, People.TOPIC);
    all.purged(0);
    all.purged(0, 1);
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);
    assertThat(all.told).isEmpty();

    all.purged(1, 2);
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(REQUEST)));
    assertThat(all.told).containsExactly(new WorkResult.RecordSetWhole("people", 200));
  }

  @Test
  void findsTheAnswerAlsoAfterTheSourceLookedAgain() {
    all.slice("0", 1, Installation.forced(200, 5, 0, 0), Installation.look(300, 0, 0));
    all.purged(0);

    assertThat(all.look(job(REQUEST))).isEqualTo(Look.answered(WorkResult.Done.of(REQUEST)));
    assertThat(all.told).containsExactly(new WorkResult.RecordSetWhole("people", 200));
  }

  @Test
  void waitsForEverySourceAndNamesTheOneThatIsMissing() {
    ResnapshotJob job = job(REQUEST);
    all.purged(0, Map.of("kv", 0L, "other", 0L));
    all.purged(1, Map.of("kv", 0L, "other", 0L));
    all.slice("0", 1, Installation.forced(200, 5, 0, 0));
    all.say("other", all.cluster.topicId(People.TOPIC), "0", 1, null, null);
    assertThat(all.look(job))
        .isInstanceOfSatisfying(
            Look.Again.class, again -> assertThat(again.waitingFor()).contains("source other"));

    all.say(
        "other",
        all.cluster.topicId(People.TOPIC),
        "0",
        1,
        Installation.forced(250, 6, 0, 0),
        null);
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(REQUEST)));
    assertThat(all.told).containsExactly(new WorkResult.RecordSetWhole("people", 200));
  }

  @Test
  void comparesNoClocksOfSeveralSources() {
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.commitAll(APP, People.TOPIC);
    all.slice("0", 1, Installation.forced(900, 5, 0, 0));
    Optional<String> id = all.cluster.topicId(People.TOPIC);
    all.say("other", id, "0", 1, Installation.forced(100, 5, 1, 1), null);
    ResnapshotJob job = job(REQUEST);
    all.purged(0, Map.of("kv", 1L, "other", 0L));
    all.purged(1, Map.of("kv", 1L, "other", 1L));
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.purged(0, Map.of("kv", 0L, "other", 1L));
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(REQUEST)));
  }

  @Test
  void takesPurgesOfAnEarlierTopicOfTheNameForNone() {
    all.slice("0", 1, Installation.forced(200, 5, 0, 0));
    for (int partition = 0; partition < 2; partition++) {
      PurgeProgress earlier =
          new PurgeProgress("people", partition, "earlier", Map.of("kv|0|/people|", 99L), 1);
      all.progress.put(earlier.key(), Optional.of(earlier));
    }
    assertThat(all.look(job(REQUEST))).isInstanceOf(Look.Again.class);
  }

  @Test
  void doesNotAskAgainAfterARestart() {
    all.requests.put(People.TOPIC, new SourceRequest(People.TOPIC, 5, 1));

    all.look(job(REQUEST));

    assertThat(all.log.written).isEmpty();
  }

  @Test
  void refusesARecordSetThatThereIsNot() {
    assertRefused(new Work.RequestResnapshot("by-org", "cars", 5), "no record set \"cars\"");
  }

  @Test
  void refusesARecordSetWhoseSourcesCannotBeAsked() {
    all.set("record.set.people.complete", "topic");

    assertRefused(REQUEST, "record.set.people.complete");
  }
}
