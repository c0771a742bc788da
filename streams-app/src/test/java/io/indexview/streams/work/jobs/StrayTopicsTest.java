package io.indexview.streams.work.jobs;

import static io.indexview.streams.work.Installation.BY_ORG;
import static io.indexview.streams.work.Installation.VIEW_TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.lifecycle.work.WorkResult;
import io.indexview.streams.work.Installation;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrayTopicsTest {
  private final Installation all = new Installation();
  private final StrayTopics job = new StrayTopics(all.surroundings());

  @Test
  void tellsOfAViewTopicThatIsStillNotPublishedAtTheNextLook() {
    all.look(job);
    assertThat(all.told).isEmpty();

    all.look(job);
    assertThat(all.told).containsExactly(new WorkResult.TopicFound("by-org", 1, VIEW_TOPIC));
  }

  @Test
  void tellsOfNoneThatIsPublishedMeanwhile() {
    all.look(job);
    all.generations.put(BY_ORG.key(), BY_ORG);
    all.look(job);

    assertThat(all.told).isEmpty();
  }

  @Test
  void leavesTopicsAloneThatAreNoneOfViews() {
    all.cluster.topics.clear();
    for (String topic :
        List.of(
            "indexview.changes.people",
            "indexview.view-states",
            "indexview.view.kv.by-org",
            "indexview.view.kv.by-org.01",
            "indexview.view.kv.by-org.99999999999",
            "indexview.view.jdbc.by-org.1",
            "indexview.view.kv.by-org.1.copy",
            "other.indexview.view.kv.by-org.1")) {
      all.cluster.add(topic, 1);
    }

    all.look(job);
    all.look(job);

    assertThat(all.told).isEmpty();
  }
}
