package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.APP;
import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.DEAD_LETTERS;
import static io.indexview.streams.controller.actions.Installation.NOW_MS;
import static io.indexview.streams.controller.actions.Installation.SINK;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static io.indexview.streams.controller.actions.Installation.WATCHED;
import static io.indexview.streams.controller.actions.Installation.scan;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.People;
import io.indexview.streams.controller.actions.SinkWatch.SinkPositions;
import io.indexview.streams.controller.rules.Finding.FreshnessProven;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FreshnessWatchTest {
  private static final long SCANNED_MS = NOW_MS - 5_000;

  private final Installation all = new Installation();
  private ActionContext context = all.context();
  private FreshnessWatch watch = new FreshnessWatch(context);
  private SinkWatch sinkWatch = sinkWatch();

  private SinkWatch sinkWatch() {
    return new SinkWatch(
        WATCHED,
        context,
        new SinkPositions(context.config().target("kv"), context),
        new DeadLetterReader(
            BY_ORG, context.log(), new RejectedRows(BY_ORG, context.log(), List.of()), Map.of()),
        watch);
  }

  @BeforeEach
  void serve() {
    all.serve();
  }

  /** Some rounds; what is proven in them. */
  private List<FreshnessProven> proven(int rounds) {
    all.told.clear();
    for (int i = 0; i < rounds; i++) {
      all.advance(watch);
      all.advance(sinkWatch);
    }
    return all.told.stream()
        .filter(FreshnessProven.class::isInstance)
        .map(FreshnessProven.class::cast)
        .toList();
  }

  private String heldBackBy(int rounds) {
    List<FreshnessProven> told = proven(rounds);
    assertThat(told)
        .extracting(FreshnessProven::visibleBeforeMs)
        .containsOnly(OptionalLong.empty());
    return told.get(told.size() - 1).heldBackBy();
  }

  private void scanned(long startedAtMs, long end) {
    all.sourcePartition("0", 1, scan(startedAtMs, 0, end));
  }

  private void event() {
    all.log.add(People.TOPIC, 0, "k", "v");
    all.log.add(People.TOPIC, 1, "k", "v");
  }

  private void takeAll() {
    all.log.commitAll(APP, People.TOPIC);
    all.log.commitAll(SINK, VIEW_TOPIC);
  }

  @Test
  void changesBeforeAScanAreVisibleWhenAppAndSinkHaveTakenWhatFollowsFromIt() {
    event();
    scanned(SCANNED_MS, 1);
    assertThat(proven(3)).as("the app is to take the events of the scan").isEmpty();

    all.log.commitAll(APP, People.TOPIC);
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    assertThat(proven(3)).as("the sink is to apply the row").isEmpty();

    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(proven(2))
        .singleElement()
        .satisfies(
            proof -> {
              assertThat(proof.view()).isEqualTo("by-org");
              assertThat(proof.generation()).isEqualTo(1);
              assertThat(proof.visibleBeforeMs()).hasValue(SCANNED_MS);
              assertThat(proof.heldBackBy()).isEmpty();
              assertThat(proof.beganAtMs()).isEqualTo(NOW_MS);
            });
  }

  @Test
  void deadLettersThatTheSinkWroteMeanwhileAreTakenInBefore() {
    scanned(SCANNED_MS, 0);
    takeAll();
    all.log.add(DEAD_LETTERS, 0, "another", "v");
    all.log.add(DEAD_LETTERS, 0, "another", "v");
    all.log.mostPerRead = 1;
    all.advance(watch);
    all.advance(sinkWatch);
    assertThat(all.told).isEmpty();
    assertThat(proven(3)).hasSize(1);
  }

  @Test
  void aTopicWithoutSourcesIsAsFreshAsItsEnd() {
    all.set("record.set.people.complete", "topic");
    context = all.context();
    watch = new FreshnessWatch(context);
    sinkWatch = sinkWatch();
    event();
    takeAll();
    assertThat(proven(2))
        .singleElement()
        .extracting(proof -> proof.visibleBeforeMs().orElseThrow())
        .isEqualTo(NOW_MS);

    all.passes(Duration.ofSeconds(10));
    assertThat(proven(2))
        .singleElement()
        .extracting(proof -> proof.visibleBeforeMs().orElseThrow())
        .matches(time -> time >= NOW_MS + 4_000, "it goes on by itself");
  }

  @Test
  void isToldOncePerIntervalAtMost() {
    scanned(SCANNED_MS, 0);
    takeAll();
    assertThat(proven(2)).hasSize(1);
    scanned(SCANNED_MS + 1_000, 0);
    assertThat(proven(2)).isEmpty();
    all.passes(Duration.ofSeconds(10));
    assertThat(proven(2))
        .singleElement()
        .extracting(proof -> proof.visibleBeforeMs().orElseThrow())
        .isEqualTo(SCANNED_MS + 1_000);
  }

  @Test
  void namesWhatItStandsStillFor() {
    assertThat(heldBackBy(12)).contains("no source of topic " + People.TOPIC);

    event();
    scanned(SCANNED_MS, 1);
    assertThat(heldBackBy(12)).contains("the application to take in topic " + People.TOPIC);

    all.log.commitAll(APP, People.TOPIC);
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    assertThat(heldBackBy(12)).contains(SINK, VIEW_TOPIC);

    takeAll();
    assertThat(proven(2)).hasSize(1);
    scanned(SCANNED_MS, 1);
    assertThat(heldBackBy(12)).contains("the next scan of the sources of topic " + People.TOPIC);
    all.passes(Duration.ofMinutes(1));
    assertThat(heldBackBy(12)).contains("source kv", "says nothing");
  }

  @Test
  void aTopicThatIsGoneHoldsBackNoneButItsView() {
    event();
    scanned(SCANNED_MS, 1);
    all.log.commitAll(APP, People.TOPIC);
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    all.advance(watch);
    all.log.remove(VIEW_TOPIC);
    assertThatThrownBy(() -> all.advance(watch))
        .isInstanceOf(UnknownTopicOrPartitionException.class);

    all.advance(watch);
    assertThat(all.told).isEmpty();
    all.createTopic(VIEW_TOPIC, 2);
    assertThat(proven(3)).hasSize(1);
  }

  @Test
  void forgetsViewsThatServeNoMore() {
    scanned(SCANNED_MS, 0);
    takeAll();
    all.advance(watch);
    all.states.clear();
    assertThat(proven(20)).isEmpty();
  }
}
