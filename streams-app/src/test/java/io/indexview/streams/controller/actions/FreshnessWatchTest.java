package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.APP;
import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.DEAD_LETTERS;
import static io.indexview.streams.controller.actions.Installation.NOW_MS;
import static io.indexview.streams.controller.actions.Installation.SINK;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static io.indexview.streams.controller.actions.Installation.WATCHED;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.ViewState;
import io.indexview.streams.People;
import io.indexview.streams.controller.actions.SinkWatch.SinkPositions;
import io.indexview.streams.controller.rules.Finding.FreshnessProven;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
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
        Installation.deadLetters(
            all.deadLetterWindow(),
            new RejectedRowTracker(BY_ORG, context.log(), List.of()),
            Map.of()),
        watch);
  }

  @BeforeEach
  void serve() {
    all.serve(ViewState.Freshness.UNKNOWN);
  }

  /** No source answers for the topic. */
  private void completeByTopic() {
    all.set("record.set.people.complete", "topic");
    context = all.context();
    watch = new FreshnessWatch(context);
    sinkWatch = sinkWatch();
  }

  /** Some rounds; what is proven in them. */
  private List<FreshnessProven> proven(int rounds) {
    all.findings.clear();
    for (int i = 0; i < rounds; i++) {
      all.advance(watch);
      all.advance(sinkWatch);
    }
    List<FreshnessProven> findings =
        all.findings.stream()
            .filter(FreshnessProven.class::isInstance)
            .map(FreshnessProven.class::cast)
            .toList();
    findings.forEach(
        proof -> all.serve(new ViewState.Freshness(visible(proof), proof.heldBackBy())));
    return findings;
  }

  private OptionalLong visible(FreshnessProven proof) {
    return proof.visibleBeforeMs().isPresent()
        ? proof.visibleBeforeMs()
        : all.states.get("by-org").freshness().visibleBeforeMs();
  }

  private String heldBackBy(int rounds) {
    List<FreshnessProven> findings = proven(rounds);
    assertThat(findings)
        .extracting(FreshnessProven::visibleBeforeMs)
        .containsOnly(OptionalLong.empty());
    return findings.get(findings.size() - 1).heldBackBy();
  }

  private void scanned(long startedAtMs, long end) {
    all.sourcePartition("0", 1, scan(2, startedAtMs, end));
  }

  private static SourceState.Scan scan(long number, long startedAtMs, long end) {
    SourceState.Scan scan = Installation.scan(startedAtMs, 0, end);
    return new SourceState.Scan(
        number,
        scan.startedAtMs(),
        scan.endedAtMs(),
        scan.records(),
        scan.adHoc(),
        scan.request(),
        scan.scope(),
        scan.begins(),
        scan.ends());
  }

  private void event() {
    all.addRecords();
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
    assertThat(proven(3))
        .singleElement()
        .satisfies(
            proof -> {
              assertThat(proof.view()).isEqualTo("by-org");
              assertThat(proof.generation()).isEqualTo(1);
              assertThat(proof.visibleBeforeMs()).hasValue(SCANNED_MS);
              assertThat(proof.heldBackBy()).isEmpty();
              assertThat(proof.beganAtMs()).isGreaterThanOrEqualTo(NOW_MS);
            });
  }

  @Test
  void provesOnAfterTheClockWasSetBack() {
    scanned(SCANNED_MS, 0);
    takeAll();
    assertThat(proven(4)).hasSize(1);

    all.passes(Duration.ofHours(-1));
    long scannedMs = SCANNED_MS - Duration.ofHours(1).toMillis() + 60_000;
    scanned(scannedMs, 0);
    assertThat(proven(4))
        .extracting(FreshnessProven::visibleBeforeMs)
        .containsExactly(OptionalLong.of(scannedMs));
  }

  @Test
  void provesATopicWithoutSourcesOnAfterTheClockWasSetBack() {
    completeByTopic();
    takeAll();
    assertThat(proven(4)).hasSize(1);

    all.passes(Duration.ofHours(-1));
    assertThat(proven(4))
        .singleElement()
        .extracting(proof -> proof.visibleBeforeMs().orElseThrow())
        .matches(time -> time < NOW_MS, "it is no time that is to come");
  }

  @Test
  void takesNoScanTwiceWhereTheClockOfItsSourceIsAhead() {
    long aheadMs = NOW_MS + Duration.ofHours(1).toMillis();
    scanned(aheadMs, 0);
    takeAll();
    assertThat(proven(4)).hasSize(1);

    assertThat(heldBackBy(12)).contains("the next scan of the sources");
    scanned(aheadMs + 1_000, 0);
    assertThat(proven(4))
        .extracting(FreshnessProven::visibleBeforeMs)
        .containsExactly(OptionalLong.of(aheadMs + 1_000));
  }

  @Test
  void changesThatASourceFollowsAreAsGoodAsAScan() {
    event();
    long followedMs = SCANNED_MS + 3_000;
    all.changeFeed =
        new SourceState.ChangeFeed(
            OptionalLong.of(followedMs), Map.of(0, 1L, 1, 1L), Optional.empty());
    all.sourcePartition("0", 1, scan(1, SCANNED_MS, 0));
    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(proven(3)).as("the app is to take what the changes led to").isEmpty();

    takeAll();
    assertThat(proven(3))
        .singleElement()
        .extracting(proof -> proof.visibleBeforeMs().orElseThrow())
        .isEqualTo(followedMs);
  }

  @Test
  void saysWhyASourceDoesNotFollowChanges() {
    all.changeFeed =
        new SourceState.ChangeFeed(
            OptionalLong.empty(), Map.of(), Optional.of("the store is too old"));
    scanned(SCANNED_MS, 0);
    takeAll();
    assertThat(proven(4)).hasSize(1);
    for (int i = 0; i < 10; i++) {
      all.passes(Duration.ofSeconds(10));
      scanned(SCANNED_MS, 0);
      proven(1);
    }

    assertThat(all.states.get("by-org").freshness().heldBackBy())
        .contains("the next scan", "does not follow changes: the store is too old");
  }

  @Test
  void deadLettersThatTheSinkWroteMeanwhileAreTakenInBefore() {
    scanned(SCANNED_MS, 0);
    takeAll();
    all.log.add(DEAD_LETTERS, 0, "another", "v");
    all.log.add(DEAD_LETTERS, 0, "another", "v");
    all.log.maxPerRead = 1;
    all.advance(watch);
    all.advance(sinkWatch);
    assertThat(all.findings).isEmpty();
    assertThat(proven(3)).hasSize(1);
  }

  @Test
  void aTopicWithoutSourcesIsAsFreshAsItsEnd() {
    completeByTopic();
    event();
    takeAll();
    assertThat(proven(4))
        .singleElement()
        .extracting(proof -> proof.visibleBeforeMs().orElseThrow())
        .isEqualTo(NOW_MS);

    all.passes(Duration.ofSeconds(10));
    assertThat(proven(4))
        .singleElement()
        .extracting(proof -> proof.visibleBeforeMs().orElseThrow())
        .matches(time -> time >= NOW_MS + 4_000, "it goes on by itself");
  }

  @Test
  void isReportedOncePerIntervalAtMost() {
    scanned(SCANNED_MS, 0);
    takeAll();
    assertThat(proven(4)).hasSize(1);
    scanned(SCANNED_MS + 1_000, 0);
    assertThat(proven(2)).isEmpty();
    all.passes(Duration.ofSeconds(10));
    assertThat(proven(4))
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
    assertThat(proven(4)).hasSize(1);
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
    all.cluster.delete(VIEW_TOPIC);
    assertThat(heldBackBy(12)).contains(VIEW_TOPIC, "gone");
    all.createTopic(VIEW_TOPIC, 2);
    assertThat(proven(12)).as("another topic lacks rows").isEmpty();
  }

  @Test
  void aFirstListingAndOneOfNothingProveNothing() {
    takeAll();
    all.sourcePartition("0", 1, scan(1, SCANNED_MS, 0));
    assertThat(proven(3)).isEmpty();

    SourceState.Scan nothing =
        new SourceState.Scan(
            5, SCANNED_MS, SCANNED_MS, 0, false, 0, Optional.empty(), Map.of(), Map.of());
    all.sourcePartition("0", 1, nothing);
    assertThat(proven(3)).isEmpty();

    scanned(SCANNED_MS, 0);
    assertThat(proven(3)).hasSize(1);
  }

  @Test
  void waitsUntilTheAppHasDeletedWhatAnAdHocSnapshotDidNotName() {
    takeAll();
    all.sourcePartition("0", 1, Installation.adHoc(SCANNED_MS, 1, 0, 0));
    assertThat(proven(3)).isEmpty();
    assertThat(heldBackBy(12)).contains("to delete what the sources");

    all.purged(0);
    assertThat(proven(3))
        .extracting(FreshnessProven::visibleBeforeMs)
        .containsExactly(OptionalLong.of(SCANNED_MS));
  }

  @Test
  void whatTheAppTookOfAnEarlierTopicOfTheNameProvesNothing() {
    scanned(SCANNED_MS, 0);
    takeAll();
    all.log.commit(APP, People.TOPIC, 0, 900);
    assertThat(proven(5)).isEmpty();
    all.log.commit(APP, People.TOPIC, 0, 0);
    assertThat(proven(3)).hasSize(1);
  }

  @Test
  void aProofThatWasNotAcceptedIsMadeAgain() {
    scanned(SCANNED_MS, 0);
    takeAll();
    assertThat(proven(3)).hasSize(1);
    all.serve(ViewState.Freshness.UNKNOWN);
    all.passes(Duration.ofSeconds(10));
    assertThat(proven(3))
        .singleElement()
        .matches(proof -> proof.beganAtMs() > NOW_MS + 10_000, "it is a new one");
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
