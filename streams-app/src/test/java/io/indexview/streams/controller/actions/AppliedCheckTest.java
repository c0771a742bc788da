package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.SINK;
import static io.indexview.streams.controller.actions.Installation.STATES;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.controller.actions.Actions.AppliedCheck;
import io.indexview.streams.controller.actions.Actions.DeleteTopic;
import io.indexview.streams.controller.actions.Actions.DeletionTimes;
import io.indexview.streams.controller.rules.Action;
import io.indexview.streams.controller.rules.Finding;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.junit.jupiter.api.Test;

/** What the sink has taken: states, topics. */
class AppliedCheckTest {
  private static final Action.CheckStateApplied STATE =
      new Action.CheckStateApplied("by-org", "kv", 3, Action.StateRecord.STATE);
  private static final Action.CheckStateApplied GONE =
      new Action.CheckStateApplied("by-org", "kv", 4, Action.StateRecord.TOMBSTONE);
  private static final Action.CheckTopicApplied TOPIC =
      new Action.CheckTopicApplied("by-org", 1, "kv", VIEW_TOPIC);

  private final Installation all = new Installation();

  @Test
  void waitsForTheSinkToTakeTheStatesUpToTheEndThatTheyHaveNow() {
    Activity job = AppliedCheck.of(STATE, all.context());
    all.log.add(STATES, 0, "by-org", "3");
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.log.add(STATES, 0, "other", "1");
    all.log.commit(SINK, STATES, 0, 1);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(STATE)));
  }

  @Test
  void waitsForNothingOfATopicThatIsDeleted() {
    all.log.add(VIEW_TOPIC, 0, "row", "v");
    Activity job = AppliedCheck.of(TOPIC, all.context());
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.cluster.delete(VIEW_TOPIC);
    all.log.remove(VIEW_TOPIC);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(TOPIC)));
  }

  @Test
  void waitsForTheTombstoneToBeTaken() {
    Activity job = AppliedCheck.of(GONE, all.context());
    all.log.add(STATES, 0, "by-org", null);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.log.commitAll(SINK, STATES);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(GONE)));
  }

  @Test
  void asksNoSinkThatDoesNotReadStates() {
    all.set("target.kv.removal", "tombstones");
    all.log.add(STATES, 0, "by-org", "3");

    assertThat(all.advance(AppliedCheck.of(STATE, all.context())))
        .isEqualTo(Activity.answered(Finding.Done.of(STATE)));
  }

  @Test
  void waitsForTheSinkToReachTheEndOfATopic() {
    Activity job = AppliedCheck.of(TOPIC, all.context());
    all.log.add(VIEW_TOPIC, 1, "row", "v");
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(TOPIC)));
  }

  @Test
  void hasNothingToWaitForWithoutTheTopic() {
    Action.CheckTopicApplied gone =
        new Action.CheckTopicApplied("by-org", 1, "kv", "no-such-topic");

    assertThat(all.advance(AppliedCheck.of(gone, all.context())))
        .isEqualTo(Activity.answered(Finding.Done.of(gone)));
  }

  @Test
  void deletesATopicTwiceAsOnce() {
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job =
        new DeleteTopic(deletion, all.context(), new DeletionTimes(all.context().time()));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }

  @Test
  void deletesNoTopicThatTasksMayWrite() {
    all.generations.put(Installation.BY_ORG.key(), Installation.BY_ORG);
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job =
        new DeleteTopic(deletion, all.context(), new DeletionTimes(all.context().time()));

    for (int i = 1; i < DeleteTopic.ATTEMPTS; i++) {
      assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    }
    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
    assertThat(all.cluster.topics).containsKey(VIEW_TOPIC);
  }

  @Test
  void deletesATopicWhenTheEndOfItsGenerationIsSeen() {
    all.generations.put(Installation.BY_ORG.key(), Installation.BY_ORG);
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job =
        new DeleteTopic(deletion, all.context(), new DeletionTimes(all.context().time()));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.generations.clear();
    all.advance(job);

    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }

  /** A task that is given a partition of a topic that is gone ends. */
  @Test
  void deletesATopicWhileTheTasksOfItsSinkKeepTheirPartitions() {
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job =
        new DeleteTopic(deletion, all.context(), new DeletionTimes(all.context().time()));
    TopicPartition partition = new TopicPartition(VIEW_TOPIC, 0);
    all.cluster.assignment = Optional.of(Map.of("task-0", Set.of(partition)));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);

    all.cluster.assignment = Optional.of(Map.of("task-1", Set.of(partition)));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    all.cluster.assignment = Optional.empty();
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    all.cluster.assignment = Optional.of(Map.of("task-1", Set.of(partition)));
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.cluster.topics).containsKey(VIEW_TOPIC);

    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }

  /** Nobody who defines the view again would learn why it is not built. */
  @Test
  void deletesATopicThoughTheGroupOfItsSinkMayNotBeSeen() {
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job =
        new DeleteTopic(deletion, all.context(), new DeletionTimes(all.context().time()));
    all.cluster.assignmentRefusal = new GroupAuthorizationException(SINK);
    assertThatThrownBy(() -> all.advance(job)).isInstanceOf(GroupAuthorizationException.class);
    all.passes(DeleteTopic.REFUSED.minusMillis(1));
    assertThatThrownBy(() -> all.advance(job)).isInstanceOf(GroupAuthorizationException.class);
    assertThat(all.cluster.topics).containsKey(VIEW_TOPIC);

    all.passes(Duration.ofMillis(1));

    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }

  @Test
  void deletesOneTopicAtOnceAndTogetherWhatCanGoSoonAfter() {
    DeletionTimes times = new DeletionTimes(all.context().time());

    assertThat(untilDeleted("one", times)).isZero();
    assertThat(all.cluster.topics).doesNotContainKey("one");
    all.passes(Duration.ofMillis(600));
    assertThat(untilDeleted("two", times)).hasMillis(9_400);
    all.passes(Duration.ofMillis(9_399));
    assertThat(untilDeleted("three", times)).hasMillis(1);
    assertThat(all.cluster.topics).containsKeys("two", "three");
    all.passes(Duration.ofMillis(1));
    assertThat(untilDeleted("four", times)).hasSeconds(10);
    all.passes(Duration.ofSeconds(20));
    assertThat(untilDeleted("five", times)).isZero();
  }

  @Test
  void deletesATopicWhenItsTimeHasCome() {
    DeletionTimes times = new DeletionTimes(all.context().time());
    untilDeleted("one", times);
    all.createTopic(VIEW_TOPIC, 2);
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job = new DeleteTopic(deletion, all.context(), times);
    assertThat(all.advance(job)).isInstanceOf(Activity.Again.class);
    assertThat(all.cluster.topics).containsKey(VIEW_TOPIC);

    all.passes(DeletionTimes.INTERVAL);
    all.advance(job);

    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }

  @Test
  void waitsNoLongerWhenTheClockIsSetBack() {
    DeletionTimes times = new DeletionTimes(all.context().time());
    untilDeleted("one", times);
    all.createTopic(VIEW_TOPIC, 2);
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job = new DeleteTopic(deletion, all.context(), times);
    all.advance(job);

    all.setBack(Duration.ofHours(1));
    assertThat(untilDeleted("two", times)).hasSeconds(9);
    all.passes(Duration.ofSeconds(9));
    all.advance(job);
    all.advance(job);

    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }

  @Test
  void waitsNoLongerForARightWhenTheClockIsSetBack() {
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopic job =
        new DeleteTopic(deletion, all.context(), new DeletionTimes(all.context().time()));
    all.cluster.assignmentRefusal = new GroupAuthorizationException(SINK);
    assertThatThrownBy(() -> all.advance(job)).isInstanceOf(GroupAuthorizationException.class);

    all.setBack(Duration.ofHours(1));
    all.passes(DeleteTopic.REFUSED);

    assertThat(all.advance(job)).isEqualTo(Activity.answered(Finding.Done.of(deletion)));
  }

  /** How long a topic that no sink reads stays when it can go now. */
  private Duration untilDeleted(String topic, DeletionTimes times) {
    all.createTopic(topic, 2);
    Action.DeleteTopic deletion = new Action.DeleteTopic("by-org", 1, topic, 5);
    return new DeleteTopic(deletion, all.context(), times).advance(finding -> {})
            instanceof Activity.Again again
        ? again.pause()
        : Duration.ZERO;
  }
}
