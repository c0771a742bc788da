package io.indexview.streams.work.jobs;

import static io.indexview.streams.work.Installation.SINK;
import static io.indexview.streams.work.Installation.STATES;
import static io.indexview.streams.work.Installation.VIEW_TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.lifecycle.work.Work;
import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Installation;
import io.indexview.streams.work.Look;
import org.junit.jupiter.api.Test;

/** What the sink has taken: states, topics. */
class ChecksTest {
  private static final Work.CheckStateApplied STATE =
      new Work.CheckStateApplied("by-org", "kv", 3, Work.StateRecord.STATE);
  private static final Work.CheckStateApplied GONE =
      new Work.CheckStateApplied("by-org", "kv", 4, Work.StateRecord.TOMBSTONE);
  private static final Work.CheckTopicApplied TOPIC =
      new Work.CheckTopicApplied("by-org", 1, "kv", VIEW_TOPIC);

  private final Installation all = new Installation();

  @Test
  void doesNotTakeAnOlderStateForTheWantedOne() {
    StateAppliedJob job = new StateAppliedJob(STATE, all.surroundings());
    all.state("by-org", 2);
    assertThat(all.look(job)).isEqualTo(Look.waiting("the state of the view to be committed"));

    all.state("by-org", 3);
    all.log.add(STATES, 0, "by-org", "3");
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.log.commitAll(SINK, STATES);
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(STATE)));
  }

  @Test
  void waitsForTheTombstoneToBeCommittedAndTaken() {
    StateAppliedJob job = new StateAppliedJob(GONE, all.surroundings());
    all.state("by-org", 3);
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.states.remove("by-org");
    all.log.add(STATES, 0, "by-org", null);
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.log.commitAll(SINK, STATES);
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(GONE)));
  }

  @Test
  void asksNoSinkThatDoesNotReadStates() {
    all.set("target.kv.removal", "tombstones");
    StateAppliedJob job = new StateAppliedJob(STATE, all.surroundings());
    all.log.add(STATES, 0, "by-org", "3");
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.state("by-org", 3);
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(STATE)));
  }

  @Test
  void waitsForTheSinkToReachTheEndOfATopic() {
    TopicAppliedJob job = new TopicAppliedJob(TOPIC, all.surroundings());
    all.log.add(VIEW_TOPIC, 1, "row", "v");
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.log.commitAll(SINK, VIEW_TOPIC);
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(TOPIC)));
  }

  @Test
  void hasNothingToWaitForWithoutTheTopic() {
    Work.CheckTopicApplied gone = new Work.CheckTopicApplied("by-org", 1, "kv", "no-such-topic");

    assertThat(all.look(new TopicAppliedJob(gone, all.surroundings())))
        .isEqualTo(Look.answered(WorkResult.Done.of(gone)));
  }

  @Test
  void deletesATopicTwiceAsOnce() {
    Work.DeleteTopic deletion = new Work.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopicJob job = new DeleteTopicJob(deletion, all.surroundings());

    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(deletion)));
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(deletion)));
    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }

  @Test
  void deletesNoTopicThatTasksMayWrite() {
    all.generations.put(Installation.BY_ORG.key(), Installation.BY_ORG);
    Work.DeleteTopic deletion = new Work.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopicJob job = new DeleteTopicJob(deletion, all.surroundings());

    for (int i = 1; i < DeleteTopicJob.LOOKS; i++) {
      assertThat(all.look(job)).isInstanceOf(Look.Again.class);
    }
    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(deletion)));
    assertThat(all.cluster.topics).containsKey(VIEW_TOPIC);
  }

  @Test
  void deletesATopicWhenTheEndOfItsGenerationIsSeen() {
    all.generations.put(Installation.BY_ORG.key(), Installation.BY_ORG);
    Work.DeleteTopic deletion = new Work.DeleteTopic("by-org", 1, VIEW_TOPIC, 5);
    DeleteTopicJob job = new DeleteTopicJob(deletion, all.surroundings());
    assertThat(all.look(job)).isInstanceOf(Look.Again.class);

    all.generations.clear();

    assertThat(all.look(job)).isEqualTo(Look.answered(WorkResult.Done.of(deletion)));
    assertThat(all.cluster.topics).doesNotContainKey(VIEW_TOPIC);
  }
}
