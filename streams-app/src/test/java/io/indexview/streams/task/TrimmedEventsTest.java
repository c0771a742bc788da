package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.EventsLost;
import io.indexview.streams.People;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.Test;

class TrimmedEventsTest {
  private static final TopicPartition CHANGES =
      new TopicPartition(People.TOPIC, TaskWorld.PARTITION);

  private final TaskWorld world = new TaskWorld();

  private void assertReportedOnce() {
    assertThat(world.logged(EventsLost.class))
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.recordSet()).isEqualTo("people");
              assertThat(lost.ofState()).isFalse();
              assertThat(lost.reason())
                  .contains("partition 3 of topic " + People.TOPIC, "offset 5 to 9");
            });
  }

  @Test
  void areReportedWithTheFirstEventBehindThem() {
    world.settle();
    world.trimmed.found(CHANGES, 5, 9);
    world.event("/p/1", Op.CREATE, 1, person("Ann", "Sales", 30));
    world.processNext();
    world.commit();

    assertReportedOnce();
  }

  @Test
  void areReportedAlsoWhereNoEventFollows() {
    world.settle();
    world.trimmed.found(CHANGES, 5, 9);
    world.trimmed.found(new TopicPartition(People.TOPIC, 0), 7, 8);
    world.settle();
    world.settle();

    assertReportedOnce();
  }
}
