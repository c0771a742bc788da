package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.EventsLost;
import org.junit.jupiter.api.Test;

/** The changelog that a task is restored from may be another topic than the one it wrote. */
class StateLostTest {
  private final TaskWorld world = new TaskWorld();

  @Test
  void tellsOnceThatItsChangelogIsAnotherTopic() {
    world.settle();
    world.crash();
    world.settle();
    assertThat(world.logged(EventsLost.class)).isEmpty();

    world.crash();
    world.changelogId = "changelog-2";
    world.settle();
    world.crash();
    world.settle();

    assertThat(world.logged(EventsLost.class))
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.recordSet()).isEqualTo("people");
              assertThat(lost.ofState()).isTrue();
              assertThat(lost.reason()).contains(TaskWorld.CHANGELOG, "--from snapshot");
            });
  }

  @Test
  void saysNothingWhileNobodyKnowsWhichTopicItIs() {
    world.settle();
    world.crash();
    world.changelogId = null;
    world.settle();

    assertThat(world.logged(EventsLost.class)).isEmpty();
  }

  @Test
  void remembersSomethingFromItsFirstTransactionOn() {
    world.changelogId = null;
    world.topicId = null;
    world.settle();

    assertThat(world.memory()).isNotEmpty();
  }
}
