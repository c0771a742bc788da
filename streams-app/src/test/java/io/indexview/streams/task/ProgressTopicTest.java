package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.TaskProgress;
import io.indexview.streams.People;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a task reported is lost with the topic that it reports to. */
class ProgressTopicTest {
  private final TaskWorld world = new TaskWorld();

  private void poll() {
    world.poll();
    world.commit();
  }

  @Test
  void reportsEverythingAgainWhenTheTopicIsAnother() {
    world.publish(world.people.published(People.generation(People.BY_ORG)));
    world.settle();
    List<TaskProgress> before = world.logged(TaskProgress.class);
    poll();
    assertThat(world.logged(TaskProgress.class)).hasSameSizeAs(before);

    world.progressId = null;
    poll();
    assertThat(world.logged(TaskProgress.class)).hasSameSizeAs(before);
    world.progressId = "progress-2";
    poll();
    poll();
    assertThat(world.logged(TaskProgress.class)).hasSize(before.size() + 1);
  }
}
