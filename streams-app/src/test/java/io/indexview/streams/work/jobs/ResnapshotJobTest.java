package io.indexview.streams.work.jobs;

import static io.indexview.streams.work.Installation.APP;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.streams.People;
import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Installation;
import io.indexview.streams.work.Look;
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
    all.slice("0", 1, Installation.forced(200, 5, 0, 1));
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.log.commitAll(APP, People.TOPIC);
    all.purged(100);
    all.purged(0, 200);
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);
    assertThat(all.told).isEmpty();

    all.purged(1, 201);
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(REQUEST)));
    assertThat(all.told).containsExactly(new WorkResult.RecordSetWhole("people", 200));
  }

  @Test
  void findsTheAnswerAlsoAfterTheSourceLookedAgain() {
    all.slice("0", 1, Installation.forced(200, 5, 0, 0), Installation.look(300, 0, 0));
    all.purged(200);

    assertThat(all.look(job(REQUEST))).isEqualTo(Look.answered(WorkResult.Done.of(REQUEST)));
    assertThat(all.told).containsExactly(new WorkResult.RecordSetWhole("people", 200));
  }

  @Test
  void waitsForEverySourceAndNamesTheOneThatIsMissing() {
    ResnapshotJob job = job(REQUEST);
    all.purged(300);
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
