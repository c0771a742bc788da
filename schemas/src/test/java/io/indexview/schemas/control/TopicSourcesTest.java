package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.SourceState.Scan;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** When the sources of a topic have scanned everything, and what they miss until then. */
class TopicSourcesTest {
  private static final String TOPIC = "changes";
  private static final Optional<String> ID = Optional.of("id-2");
  private static final KeyScope SCOPE = new KeyScope("/people", null);

  private final List<SourceState> states = new ArrayList<>();
  private long heartbeatAtMs = 100;
  private OptionalLong publishedUntilMs = OptionalLong.empty();

  private static Scan scan(long startedAtMs, long request, KeyScope scope, long begin, long end) {
    return new Scan(
        1,
        startedAtMs,
        startedAtMs,
        1,
        request > 0,
        request,
        Optional.ofNullable(scope),
        Map.of(0, begin),
        Map.of(0, end));
  }

  private static Scan scan(long startedAtMs) {
    return scan(startedAtMs, 0, SCOPE, 0, 9);
  }

  private void say(
      String source,
      String id,
      String sourcePartition,
      int sourcePartitions,
      Scan last,
      Scan adHoc) {
    states.add(
        new SourceState(
            source,
            TOPIC,
            Optional.ofNullable(id),
            sourcePartition,
            sourcePartitions,
            Optional.ofNullable(last),
            Optional.ofNullable(adHoc),
            heartbeatAtMs++,
            publishedUntilMs,
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty(),
            Optional.empty()));
  }

  private TopicSources sources() {
    return TopicSources.of(states, TOPIC);
  }

  private void assertMissing(String... parts) {
    TopicSources.Answer answer = sources().scanned(ID);
    assertThat(answer.complete()).isEmpty();
    assertThat(answer.missing()).contains(parts);
  }

  @Test
  void isNotCompleteWithoutAnySource() {
    assertMissing("no source of topic changes");
    assertThat(sources().isEmpty()).isTrue();
    assertThat(TopicSources.of(states, "another").scanned(ID).complete()).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(ints = {Integer.MIN_VALUE, -16, 0})
  void refusesASourceOfNoParts(int sourcePartitions) {
    assertThatThrownBy(() -> say("store", "id-2", "0", sourcePartitions, scan(1), null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("source store has %d source partitions; it has at least one", sourcePartitions);
  }

  @Test
  void needsEverySource() {
    say("kv", "id-2", "0", 1, scan(7), null);
    assertThat(sources().scanned(ID).complete()).isPresent();

    say("s3", "id-2", "a", 1, null, null);
    assertMissing("source s3", "not scanned everything");

    states.remove(1);
    say("s3", "id-2", "a", 1, scan(5), null);
    assertThat(sources().scanned(ID).scan().startedAtMs()).isEqualTo(5);
  }

  @Test
  void saysWhatKeepsASourceFromLookingAtEverything() {
    say("s3", "id-2", "a", 1, null, null);
    states.set(0, hindered(states.get(0)));
    assertMissing("source s3", "not scanned everything yet: object x is locked");

    states.clear();
    say("s3", "id-2", "a", 2, scan(7), null);
    say("s3", "id-2", "b", 2, scan(7), scan(5, 3, SCOPE, 0, 9));
    states.set(1, hindered(states.get(1)));
    assertMissing("1 of 2 source partitions: object x is locked");
    assertThat(sources().publishedAgain(ID, 0).missing()).contains("1 of 2 source partitions");
  }

  @Test
  void takesAnAdHocSnapshotThatWasCompleteWhateverALaterScanMissed() {
    say("s3", "id-2", "a", 1, scan(9), scan(5, 3, SCOPE, 0, 9));
    states.set(0, hindered(states.get(0)));

    assertThat(sources().publishedAgain(ID, 3).complete()).isPresent();
    assertThat(sources().scanned(ID).complete()).isEmpty();
  }

  private static SourceState hindered(SourceState state) {
    return new SourceState(
        state.source(),
        state.topic(),
        state.topicId(),
        state.sourcePartition(),
        state.sourcePartitions(),
        state.lastScan(),
        state.lastAdHocSnapshot(),
        state.heartbeatAtMs(),
        state.publishedUntilMs(),
        Optional.of("object x is locked"),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty());
  }

  @Test
  void isAsNewAsTheChangesThatAreFollowedSinceTheScan() {
    say("kv", "id-2", "0", 1, scan(7), null);
    states.set(0, following(states.get(0), 20, Map.of(0, 12L)));
    say("other", "id-2", "0", 1, scan(15), null);

    assertThat(sources().upToDate(ID).scan().startedAtMs()).isEqualTo(15);
    assertThat(sources().upToDate(ID).scan().ends().values()).containsExactly(12L);
    assertThat(sources().scanned(ID).scan().startedAtMs()).isEqualTo(7);

    states.set(0, following(states.get(0), 3, Map.of(0, 4L)));
    assertThat(sources().upToDate(ID).scan()).isEqualTo(sources().scanned(ID).scan());
  }

  private static SourceState following(
      SourceState state, long provenUntilMs, Map<Integer, Long> ends) {
    return new SourceState(
        state.source(),
        state.topic(),
        state.topicId(),
        state.sourcePartition(),
        state.sourcePartitions(),
        state.lastScan(),
        state.lastAdHocSnapshot(),
        state.heartbeatAtMs(),
        state.publishedUntilMs(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        Optional.of(
            new SourceState.ChangeFeed(OptionalLong.of(provenUntilMs), ends, Optional.empty())),
        Optional.empty());
  }

  @Test
  void needsEverySourcePartition() {
    say("kv", "id-2", "0", 2, scan(7), null);
    assertMissing("1 of 2 source partitions");
    say("kv", "id-2", "1", 2, null, null);
    assertMissing("1 of 2 source partitions");
  }

  @Test
  void comparesNoOffsetsOfAnotherTopicOrOfNone() {
    say("kv", "id-2", "0", 1, scan(7), null);
    say("s3", null, "a", 1, scan(7), null);
    assertMissing("source s3 does not tell the id");

    states.remove(1);
    say("s3", "id-1", "a", 1, scan(7), null);
    assertMissing("source s3 scanned for an earlier topic");

    assertThat(sources().scanned(Optional.empty()).missing()).contains("the id of topic changes");
  }

  @Test
  void passesOverSourcePartitionsFromBeforeTheSourceWasCutAnew() {
    say("kv", "id-1", "old-0", 3, null, null);
    say("kv", "id-1", "gone", 2, null, null);
    heartbeatAtMs += 30_000;
    say("kv", "id-2", "0", 2, scan(7), null);
    say("kv", "id-2", "1", 2, scan(8), null);

    assertThat(sources().scanned(ID).complete()).isPresent();
  }

  @Test
  void takesThePlaceOfASourcePartitionForNoneOfThosePresent() {
    say("s3", "id-2", "gone", 2, scan(1), null);
    heartbeatAtMs += 30_000;
    say("s3", "id-2", "stays", 2, scan(1), null);
    say("s3", "id-2", "new", 2, null, null);

    assertMissing("1 of 2 source partitions");
  }

  @Test
  void isNotCompleteWhereTwoConnectorsHaveTheNameOfOneSource() {
    say("s3", "id-2", "b", 1, null, null);
    say("s3", "id-2", "a", 1, scan(9), scan(7, 4, SCOPE, 3, 5));

    assertMissing("source s3", "source.name", "2 source partitions", "it has 1", "retire");
    assertThat(sources().upToDate(ID).complete()).isEmpty();
    assertThat(sources().publishedAgain(ID, 0).complete()).isEmpty();
    assertThat(sources().lastPublishedAgain(ID)).isPresent();
    assertThat(sources().bySource().get("s3")).hasSize(1);
  }

  @Test
  void isNotCompleteWhereTheTwoSayOtherwiseOfTheNumber() {
    say("s3", "id-2", "b1", 2, null, null);
    say("s3", "id-2", "b2", 2, null, null);
    say("s3", "id-2", "a", 1, scan(9), null);

    assertMissing("source s3", "3 source partitions", "it has 1");
  }

  @Test
  void spansAllScans() {
    say("kv", "id-2", "0", 2, scan(7, 0, SCOPE, 3, 5), null);
    say("kv", "id-2", "1", 2, scan(8, 0, null, 2, 4), null);

    CompleteScan scan = sources().scanned(ID).scan();

    TopicPartition partition = new TopicPartition(TOPIC, 0);
    assertThat(scan.begins()).containsExactly(Map.entry(partition, 2L));
    assertThat(scan.ends()).containsExactly(Map.entry(partition, 5L));
    assertThat(scan.topicId()).isEqualTo("id-2");
    assertThat(scan.parts())
        .extracting(CompleteScan.Part::scope)
        .containsExactlyInAnyOrder(Optional.of(SCOPE), Optional.empty());
    assertThat(scan.parts()).extracting(part -> part.begin(0)).containsExactlyInAnyOrder(3L, 2L);
  }

  @Test
  void beginsBeforeEverythingWhereAScanDoesNotSay() {
    say("kv", "id-2", "0", 1, scan(7, 0, SCOPE, 3, 5), null);
    Scan nothing = new Scan(1, 7, 7, 0, false, 0, Optional.empty(), Map.of(), Map.of());
    say("s3", "id-2", "queue", 1, nothing, null);

    assertThat(sources().scanned(ID).scan().begins())
        .containsExactly(Map.entry(new TopicPartition(TOPIC, 0), 0L));
  }

  @Test
  void isPublishedAgainOnlyByAllThatAnswerTheRequestAndTellTheirKeys() {
    say("kv", "id-2", "0", 1, scan(9), scan(7, 4, SCOPE, 3, 5));
    assertThat(sources().publishedAgain(ID, 4).complete()).isPresent();
    assertThat(sources().publishedAgain(ID, 5).missing())
        .contains("source kv", "published every record again");

    say("old", "id-2", "0", 1, scan(9), scan(7, 4, null, 3, 5));
    assertThat(sources().scanned(ID).complete()).isPresent();
    assertThat(sources().publishedAgain(ID, 4).missing())
        .contains("source old does not tell which keys");
  }

  @Test
  void tellsWhoIsSilent() {
    say("kv", "id-2", "0", 1, null, null);
    say("s3", "id-2", "a", 2, null, null);
    assertThat(sources().silentSince(100)).containsExactly("s3");
    assertThat(sources().publishedUntil()).isEmpty();

    say("s3", "id-2", "b", 2, null, null);
    assertThat(sources().silentSince(100)).isEmpty();
    assertThat(sources().silentSince(101)).containsExactly("kv");
    assertThat(sources().publishedUntil()).hasValue(100);
  }

  /** It is no less at work for that: whoever ranks its source partitions asks when they spoke. */
  @Test
  void isPresentHoweverMuchWaitsInItsQueue() {
    long before = heartbeatAtMs;
    say("s3", "id-2", "b1", 2, scan(9), null);
    say("s3", "id-2", "gone", 2, scan(9), null);
    heartbeatAtMs += 30_000;
    publishedUntilMs = OptionalLong.of(before - 90);
    say("s3", "id-2", "b1", 2, scan(9), null);
    states.remove(0);
    say("s3", "id-2", "b3", 2, null, null);

    assertMissing("1 of 2 source partitions");
    assertThat(sources().bySource().get("s3"))
        .extracting(SourceState::sourcePartition)
        .containsExactlyInAnyOrder("b1", "b3");
    assertThat(sources().silentSince(before + 30_000)).isEmpty();
    assertThat(sources().publishedUntil()).hasValue(before - 90);
  }

  @Test
  void isPublishedAgainHoweverMuchWaitsInItsQueue() {
    publishedUntilMs = OptionalLong.of(1);
    say("s3", "id-2", "a", 1, scan(9), scan(heartbeatAtMs - 50, 4, SCOPE, 3, 5));

    assertThat(sources().silentSince(heartbeatAtMs - 60)).isEmpty();
    assertThat(sources().publishedAgain(ID, 4).complete()).isPresent();
    assertThat(sources().publishedUntil()).hasValue(1);

    publishedUntilMs = OptionalLong.of(0);
    say("kv", "id-2", "0", 1, scan(9), null);
    assertThat(sources().publishedUntil()).isEmpty();
  }

  @Test
  void believesAnOperatorWhereThereIsNoSource() {
    PublishedAgain reported =
        new PublishedAgain(TOPIC, "id-2", 7, 9, Map.of(0, 3L, 1, 0L), Map.of(0, 5L, 1, 4L));
    states.add(SourceState.of(reported.toAvro()));

    assertThat(sources().isEmpty()).isTrue();
    assertThat(sources().scanned(ID).complete()).isEmpty();
    CompleteScan scan = sources().publishedAgain(ID, 0).scan();
    assertThat(scan.startedAtMs()).isEqualTo(7);
    assertThat(scan.begins()).containsEntry(new TopicPartition(TOPIC, 0), 3L);
    assertThat(scan.ends()).containsEntry(new TopicPartition(TOPIC, 1), 4L);
    assertThat(scan.parts()).singleElement().matches(part -> part.scope().isPresent());
    assertThat(sources().publishedAgain(Optional.of("id-3"), 0).missing()).contains("another");
    assertThat(sources().publishedAgain(Optional.empty(), 0).complete()).isEmpty();

    say("kv", "id-2", "0", 1, scan(7), null);
    assertThat(sources().publishedAgain(ID, 0).complete()).isEmpty();
    assertThat(sources().bySource()).containsOnlyKeys("kv");
  }
}
