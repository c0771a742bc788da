package io.indexview.streams.controller.actions;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.registry.InMemorySchemaRegistry;
import io.indexview.streams.People;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.controller.rules.RecordSetLoss;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A change topic that is gone, and there again, or whose beginning is. */
class LostTopicTest {
  private final Installation all = new Installation();

  /**
   * A task that comes back needs a while to tell of it, and the views would be READY until then.
   */
  @ParameterizedTest
  @CsvSource({"source-states, false", "topic, true", "debezium, true"})
  void losesWhatWasNotReadIfNoSourceScansAgain(String complete, boolean loses) {
    all.set("record.set.people.complete", complete);
    RecordSetWatch watch = watch();
    all.advance(watch);
    all.cluster.delete(People.TOPIC);
    all.advance(watch);
    all.findings.clear();

    all.createTopic(People.TOPIC, 2);
    all.advance(watch);
    all.advance(watch);

    assertThat(all.findings)
        .filteredOn(Finding.Lost.class::isInstance)
        .hasSize(loses ? 1 : 0)
        .allSatisfy(
            found -> {
              EventsLost loss = ((Finding.Lost) found).loss();
              assertThat(loss.topicId()).isEqualTo(all.cluster.topicId(People.TOPIC).orElseThrow());
            });
    if (loses) {
      assertThat(all.findings.get(0))
          .as("before it is as it should be")
          .isInstanceOf(Finding.Lost.class);
    }
  }

  /** The app may be restarted, or the lease move, before somebody creates the topic again. */
  @ParameterizedTest
  @CsvSource({"source-states, false", "topic, true", "debezium, true"})
  void losesWhatWasNotReadIfTheControllerBeganWithoutTheTopic(String complete, boolean loses) {
    all.set("record.set.people.complete", complete);
    all.cluster.delete(People.TOPIC);
    RecordSetWatch watch = watch();
    all.advance(watch);
    assertThat(all.findings).noneMatch(Finding.Lost.class::isInstance);

    all.createTopic(People.TOPIC, 2);
    all.advance(watch);
    all.advance(watch);

    assertThat(all.findings).filteredOn(Finding.Lost.class::isInstance).hasSize(loses ? 1 : 0);
  }

  @Test
  void losesNothingOfATopicThatABrokerHadNotHeardOf() {
    all.set("record.set.people.complete", "topic");
    all.cluster.unheard.add(People.TOPIC);
    RecordSetWatch watch = watch();
    all.advance(watch);
    all.cluster.unheard.clear();
    all.advance(watch);

    assertThat(all.findings).noneMatch(Finding.Lost.class::isInstance);
  }

  /** As for a right to describe it that was taken away for a moment. */
  @Test
  void losesNothingOfATopicThatWasOutOfSight() {
    all.set("record.set.people.complete", "topic");
    RecordSetWatch watch = watch();
    all.advance(watch);
    all.cluster.topics.remove(People.TOPIC);
    all.advance(watch);
    all.cluster.add(People.TOPIC, 2);
    all.advance(watch);

    assertThat(all.findings).noneMatch(Finding.Lost.class::isInstance);
  }

  @Test
  void losesNothingOfATopicThatIsThereForTheFirstTime() {
    all.set("record.set.people.complete", "topic");
    all.advance(watch());

    assertThat(all.findings).noneMatch(Finding.Lost.class::isInstance);
  }

  /** Else it would count as made up for by that scan, and never be told again. */
  @Test
  void losesWhatWasTrimmedAfterAScanWhoseClockWasAhead() {
    long ahead = Installation.NOW_MS + 3_600_000;
    all.sourcePartition("0", 1, Installation.adHoc(ahead, 0, 2, 2));
    all.log.commit("indexview", People.TOPIC, 0, 2);
    RecordSetWatch watch = watch();
    all.advance(watch);
    for (int i = 0; i < 5; i++) {
      all.log.add(People.TOPIC, 0, "k", "v");
    }
    all.log.trim(People.TOPIC, 0, 3);
    List<EventsLost> atStart = new ArrayList<>();
    RecordSetWatch.tellLostAtStart(all.context(), new InMemorySchemaRegistry(), atStart::add);
    all.advance(watch);

    RecordSetLoss whole = RecordSetLoss.NONE.whole(ahead);
    assertThat(atStart)
        .singleElement()
        .satisfies(loss -> assertThat(whole.after(loss).reason()).contains("trimmed"));
    assertThat(all.findings)
        .filteredOn(Finding.RecordSetBroken.class::isInstance)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.RecordSetBroken.class,
            broken ->
                assertThat(whole.broken(broken.sinceMs(), broken.reason()).reason())
                    .contains("trimmed"));
  }

  private RecordSetWatch watch() {
    return RecordSetWatch.all(all.context(), new InMemorySchemaRegistry()).get(0);
  }
}
