package io.indexview.streams.controller.actions;

import static io.indexview.streams.controller.actions.Installation.BY_ORG;
import static io.indexview.streams.controller.actions.Installation.VIEW_TOPIC;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.controller.rules.Finding;
import java.util.List;
import org.junit.jupiter.api.Test;

class StrayTopicsTest {
  private final Installation all = new Installation();
  private final StrayTopics job = new StrayTopics(all.context());

  @Test
  void tellsOfAViewTopicThatIsStillNotPublishedAtTheNextScan() {
    all.advance(job);
    assertThat(all.findings).isEmpty();

    all.advance(job);
    assertThat(all.findings).containsExactly(new Finding.TopicFound("by-org", 1, VIEW_TOPIC));
  }

  @Test
  void tellsOfNoneThatIsPublishedMeanwhile() {
    all.advance(job);
    all.generations.put(BY_ORG.key(), BY_ORG);
    all.advance(job);

    assertThat(all.findings).isEmpty();
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

    all.advance(job);
    all.advance(job);

    assertThat(all.findings).isEmpty();
  }
}
