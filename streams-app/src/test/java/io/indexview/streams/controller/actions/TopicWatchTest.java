package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.DEAD_LETTERS;
import static io.indexview.streams.controller.actions.Installation.MEMORY;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.streams.controller.rules.Finding;
import io.indexview.streams.generation.AppTopics;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.TopicConfig;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TopicWatchTest {
  private final Installation all = new Installation();
  private final TopicWatch watch =
      new TopicWatch(
          all.context(),
          new AppTopics(
              new Topics(Topics.DEFAULT_PREFIX), List.of(DEAD_LETTERS), 1_000, Map.of(), Map.of()));

  @BeforeEach
  void publish() {
    all.generations.put(BY_ORG.key(), BY_ORG);
  }

  private void assertReported() {
    assertThat(all.findings)
        .singleElement()
        .isInstanceOfSatisfying(
            Finding.ChangesMissed.class,
            missed -> {
              assertThat(missed.view()).isEqualTo("by-org");
              assertThat(missed.generation()).isEqualTo(1);
            });
  }

  @Test
  void tellsNothingOfTheTopicThatWasCreatedForIt() {
    all.advance(watch);

    assertThat(all.findings).isEmpty();
  }

  @Test
  void createsAMissingTopicAndTellsOnceThatItIsAnother() {
    all.cluster.delete(VIEW_TOPIC);
    all.advance(watch);
    assertThat(all.cluster.topics.get(VIEW_TOPIC).partitions()).isEqualTo(2);
    assertThat(all.cluster.topics.get(VIEW_TOPIC).configs())
        .containsEntry(TopicConfig.CLEANUP_POLICY_CONFIG, "compact");

    all.advance(watch);
    all.advance(watch);
    assertReported();
  }

  @Test
  void makesATopicRightThatABrokerCreated() {
    all.cluster.delete(VIEW_TOPIC);
    all.cluster.add(VIEW_TOPIC, 1);
    all.advance(watch);

    assertThat(all.cluster.topics.get(VIEW_TOPIC).partitions()).isEqualTo(2);
    assertReported();
  }

  @Test
  void tellsOfAnotherTopicAlsoWhereItMayNotBeMadeRight() {
    all.cluster.delete(VIEW_TOPIC);
    all.cluster.add(VIEW_TOPIC, 1);
    all.cluster.refused = VIEW_TOPIC;

    assertThatThrownBy(() -> all.advance(watch)).isInstanceOf(TopicAuthorizationException.class);
    assertReported();
  }

  @Test
  void tellsThatDeadLettersAreLost() {
    all.advance(watch);
    all.cluster.delete(DEAD_LETTERS);
    all.advance(watch);
    assertThat(all.findings).isEmpty();
    all.advance(watch);
    all.advance(watch);
    assertReported();
  }

  @Test
  void deadLetterTopicThatWasOutOfSightHasLostNothing() {
    all.advance(watch);
    all.cluster.topics.remove(DEAD_LETTERS);
    all.advance(watch);
    all.advance(watch);

    assertThat(all.findings).isEmpty();
  }

  @Test
  void deadLetterTopicThatComesIntoSightHasLostNothing() {
    all.cluster.topics.remove(DEAD_LETTERS);
    all.cluster.refused = DEAD_LETTERS;
    assertThatThrownBy(() -> all.advance(watch)).isInstanceOf(TopicAuthorizationException.class);
    all.cluster.add(DEAD_LETTERS, 1);
    all.advance(watch);

    assertThat(all.findings).isEmpty();
  }

  @Test
  void createsWhatTasksWriteBesideRows() {
    all.advance(watch);

    assertThat(all.cluster.topics)
        .containsKeys("indexview.view-progress", "indexview.dead-letters", DEAD_LETTERS)
        .doesNotContainKey("indexview.view-definitions");
  }

  @Test
  void createsWhatOthersReadAndWriteAndMakesRightWhatABrokerCreated() {
    all.advance(watch);
    List<String> others =
        List.of(
            "indexview.source-states",
            "indexview.source-requests",
            "indexview.record-sets",
            "indexview.view-verifications",
            "indexview.view-repairs");
    assertThat(all.cluster.topics).containsKeys(others.toArray(String[]::new));

    all.advance(watch);
    others.forEach(
        topic -> {
          all.cluster.delete(topic);
          all.cluster.add(topic, 3);
        });
    all.advance(watch);

    assertThat(others)
        .allSatisfy(
            topic ->
                assertThat(all.cluster.topics.get(topic).configs())
                    .containsEntry(TopicConfig.CLEANUP_POLICY_CONFIG, "compact"));
    assertThat(all.findings).isEmpty();
  }

  @Test
  void tellsOnceThatWhatWasPublishedIsLost() {
    all.createTopic(Installation.STATES, 1);
    all.advance(watch);
    all.cluster.delete(Installation.STATES);
    all.advance(watch);
    assertThat(all.cluster.topics.get(Installation.STATES).configs())
        .containsEntry(TopicConfig.CLEANUP_POLICY_CONFIG, "compact");
    assertThat(all.findings).isEmpty();

    all.advance(watch);
    all.advance(watch);
    assertThat(all.findings).containsExactly(new Finding.PublicationsLost());
  }

  @Test
  void tellsThatTheStateIsLostWhenAChangelogIsAnother() {
    all.advance(watch);
    all.cluster.delete(MEMORY);
    all.advance(watch);
    assertThat(all.findings).isEmpty();

    all.createTopic(MEMORY, 2);
    all.advance(watch);
    all.advance(watch);
    assertThat(all.findings)
        .singleElement()
        .extracting(found -> ((Finding.Lost) found).loss())
        .satisfies(
            loss -> {
              assertThat(loss.ofState()).isTrue();
              assertThat(loss.recordSet()).isEqualTo("people");
              assertThat(loss.reason()).contains(MEMORY);
              assertThat(loss.topicId()).isEqualTo(all.cluster.topicId(MEMORY).orElseThrow());
            });
  }

  @Test
  void leavesTopicsAloneThatNobodyWritesAnyMore() {
    all.generations.put(BY_ORG.key(), BY_ORG.toStopped());
    all.cluster.delete(VIEW_TOPIC);
    all.advance(watch);

    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
    assertThat(all.findings).isEmpty();
  }

  @Test
  void waitsWithATopicUntilItsSourceTopicIsThere() {
    all.cluster.delete(VIEW_TOPIC);
    all.cluster.delete(BY_ORG.sourceTopic());
    all.advance(watch);

    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }
}
