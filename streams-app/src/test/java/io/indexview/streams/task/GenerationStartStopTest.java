package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.streams.People;
import io.indexview.streams.task.TaskWorld.Row;
import java.util.Map;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.junit.jupiter.api.Test;

/** How a task takes generations on, and gives them up. */
class GenerationStartStopTest extends RecordSetTaskScenario {
  @Test
  void stoppedGenerationGetsNoMoreRows() {
    fill();
    PublishedGeneration generation = publish(People.BY_ORG, 1);
    world.settle();
    int rows = world.logged(Row.class).size();
    world.publish(generation.toStopped());
    world.settle();

    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
    assertThat(world.metrics.view("by-org", 1).figures().rows()).isZero();

    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();
    assertThat(world.logged(Row.class)).hasSize(rows);
  }

  @Test
  void saysAgainAfterARestartThatItHasStopped() {
    world.publish(publish(People.BY_ORG, 1).toStopped());
    world.settle();
    world.log.clear();
    world.crash();
    world.settle();

    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
  }

  @Test
  void saysOnceThatItWaitsForTheRegistryWithANewGeneration() {
    fill();
    publish(People.BY_ORG, 1);
    world.registry.down.set(true);
    try (LogLines log = LogLines.of(RegistryRetry.class)) {
      for (int poll = 0; poll < 100; poll++) {
        world.poll();
      }
      assertThat(world.registry.refused).as("questions within 10 s").hasValueBetween(2, 10);
      world.registry.down.set(false);
      for (int poll = 0; poll < 30; poll++) {
        world.poll();
      }

      assertThat(log.get())
          .satisfiesExactly(
              line ->
                  assertThat(line).contains("waits for the schema registry to take generations"),
              line -> assertThat(line).contains("can take generations again"));
    }
    world.settle();
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.BUILT);
  }

  @Test
  void neverWritesAGenerationThatWasStoppedWhileItsRecordSetWasSetAside() {
    fill();
    PublishedGeneration first = publish(People.BY_ORG, 1);
    publish(People.BY_TAG_AND_AGE, 1);
    world.settle();
    world.publish(first.toStopped());
    world.setAside();
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
    assertThat(world.report("by-tag-and-age", 1).phase()).isEqualTo(TaskProgress.Phase.BUILT);

    world.generations.remove(first.key());
    world.log.clear();
    world.crash();
    upsert(1, 2, person("Ann", "moved", 30, "green"));
    world.settle();
    assertThat(world.logged(Row.class))
        .isNotEmpty()
        .allMatch(row -> row.generation().view().equals("by-tag-and-age"));
  }

  @Test
  void leavesOutTheViewWhoseTopicRefusesRowsAndGoesOnWithTheOthers() {
    fill();
    publish(People.BY_ORG, 1);
    publish(People.BY_TAG_AND_AGE, 1);
    world.settle();
    refuse("indexview.view.kv.by-org.1");
    world.crash();
    world.log.clear();
    upsert(1, 2, person("Ann", "moved", 30, "green"));
    world.settle();

    assertThat(world.logged(Row.class))
        .isNotEmpty()
        .allMatch(row -> row.generation().view().equals("by-tag-and-age"));
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("by-org", 1).reason()).contains("refuses rows", "too large");
    assertThat(world.report("by-tag-and-age", 1).phase()).isEqualTo(TaskProgress.Phase.BUILT);

    refuse("indexview.view.kv.by-tag-and-age.1");
    world.poll();
    world.commit();
    assertThat(world.report("by-tag-and-age", 1).phase()).isEqualTo(TaskProgress.Phase.FAILED);
  }

  private void refuse(String topic) {
    world.refusing.note(topic, new RecordTooLargeException("too large"));
    world.nowMs += 10_000;
    world.refusing.note(topic, new RecordTooLargeException("too large"));
  }

  @Test
  void neverWritesAStoppedGenerationOnAnInstanceThatLearnsOfTheStopLater() {
    fill();
    PublishedGeneration first = publish(People.BY_ORG, 1);
    world.settle();
    Map<String, byte[]> early = Map.copyOf(world.generations);
    PublishedGeneration second = publish(People.BY_ORG, 2);
    world.settle();
    world.publish(first.toStopped());
    world.publish(second.toStopped());
    world.settle();
    world.generations.remove(first.key());
    world.settle();
    world.generations.remove(second.key());
    world.settle();
    int rows = world.logged(Row.class).size();

    world.generations.putAll(early);
    world.crash();
    world.settle();

    assertThat(world.logged(Row.class)).hasSize(rows);
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
  }

  @Test
  void keepsRowsUpToDateOnAnInstanceThatLearnsOfTheGenerationLater() {
    fill();
    publish(People.BY_ORG, 1);
    world.settle();
    world.generations.clear();
    world.crash();
    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();

    assertExact(People.BY_ORG, 1);
  }

  @Test
  void forgetsAGenerationThatIsGone() {
    fill();
    PublishedGeneration generation = publish(People.BY_ORG, 1);
    world.settle();
    world.log.clear();
    world.generations.remove(generation.key());
    world.settle();
    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();

    assertThat(world.log).isEmpty();
  }

  @Test
  void reportsWhatItCannotReadAndGoesOnWithTheOthers() {
    fill();
    world.generations.put("broken|3", new byte[] {0, 0, 0, 0, 99, 1});
    world.generations.put("no generation", new byte[0]);
    PublishedGeneration fine = world.people.published(People.generation(People.BY_TAG_AND_AGE));
    world.publish(
        new PublishedGeneration(
            "lost",
            7,
            fine.definition(),
            fine.recordSet(),
            fine.sourceTopic(),
            fine.viewTopic(),
            fine.viewTopicId(),
            new PublishedGeneration.SchemaIds(1, 4711, 1),
            1,
            1,
            fine.build(),
            false));
    publish(People.BY_ORG, 1);
    world.settle();

    assertExact(People.BY_ORG, 1);
    TaskProgress broken = world.report("broken", 3);
    assertThat(broken.phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(broken.reason()).contains("99");
    assertThat(world.report("lost", 7).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("lost", 7).reason()).contains("4711");

    world.generations.put("broken|3", world.generations.get("by-org|1"));
    world.settle();
    assertThat(world.report("broken", 3).reason()).contains("under another name");
  }

  @Test
  void ignoresGenerationsOfOtherRecordSets() {
    PublishedGeneration other = world.people.published(People.generation(People.BY_ORG));
    world.publish(
        new PublishedGeneration(
            other.view(),
            other.generation(),
            other.definition(),
            "files",
            other.sourceTopic(),
            other.viewTopic(),
            other.viewTopicId(),
            other.schemas(),
            1,
            1,
            other.build(),
            false));
    fill();
    world.settle();

    assertThat(world.log).isEmpty();
  }

  @Test
  void goesOnWithEventsWhileTheRegistryIsAway() {
    fill();
    publish(People.BY_ORG, 1);
    world.settle();
    publish(People.BY_TAG_AND_AGE, 1);
    world.registry.down.set(true);
    world.poll();
    int asked = world.registry.refused.get();
    assertThat(asked).isPositive();
    upsert(1, 2, person("Ann", "moved", 30, "red"));
    world.poll();
    assertThat(world.registry.refused).hasValue(asked);
    world.commit();
    assertThat(world.logged(Row.class)).hasSize(RECORDS + 2);

    world.registry.down.set(false);
    world.settle();
    world.settle();
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_TAG_AND_AGE, 1);
  }

  @Test
  void cannotGoOnWithAGenerationWhoseSchemaIsLostWhileItWasAway() {
    fill();
    publish(People.BY_ORG, 1);
    world.settle();
    world.registry.lost.set(true);
    world.crash();
    upsert(1, 2, person("Ann", "moved", 30));
    world.settle();
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    int rows = world.logged(Row.class).size();

    // It has missed a change.
    world.registry.lost.set(false);
    world.crash();
    upsert(2, 2, person("Ann", "moved", 30));
    world.settle();
    assertThat(world.report("by-org", 1).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.logged(Row.class)).hasSize(rows);
  }

  @Test
  void failsWhenWhatItRemembersWasWrittenByANewerRelease() {
    world.remember("scan|build|by-org|1", new byte[] {9});

    assertThatThrownBy(world::crash).hasMessageContaining("format 9");
  }
}
