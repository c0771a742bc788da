package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.TaskProgress;
import io.indexview.schemas.fixtures.LogLines;
import io.indexview.streams.People;
import io.indexview.streams.error.FailedEvents.EventFailedException;
import io.indexview.streams.state.InMemoryEntries;
import java.nio.charset.StandardCharsets;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;

/** What a replay does when something comes between. */
class ReplayRecoveryTest extends ReplayScenario {
  @Test
  void beginsAnewWhenItIsKilled() {
    serve();
    phantom(2, Op.UPDATE, 70, WRONG);
    replay(2);
    for (int chunks = 1; chunks < 12; chunks++) {
      world.poll();
      for (int i = 0; i < chunks; i++) {
        world.work(2);
      }
      world.commit();
      world.crash();
    }
    world.settle();

    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void beginsAnewAlsoAfterItWasStoppedInOrder() {
    serve();
    replay(2);
    world.poll();
    world.work(4);
    world.commit();
    world.restart(world.copy());
    world.poll();
    world.nowMs += 600;
    world.poll();
    world.commit();

    assertThat(world.report("by-org", 2).reason()).contains("0 of 10 events");
    world.settle();
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void putsNothingInPlaceThatAnEventHasChangedBeforeItWasKilled() {
    serve();
    replay(2);
    swapUpTo(3);
    InMemoryEntries flushed = new InMemoryEntries(world.copy());
    world.restart(new InMemoryEntries(flushed));
    upsert(8, 5, person("Ann", "newer", 30));
    world.commit();
    // A store on disk may fall back to what it had flushed last.
    world.restart(flushed);
    world.settle();

    assertThat(world.entry(key(8)).version()).isEqualTo(People.version("s1", 5));
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void failsWhenAnEventCannotBeReadAnyMore() {
    serve();
    world.event("/p/50".getBytes(StandardCharsets.UTF_8), new byte[] {0, 0, 0, 3, (byte) 0xe7, 2});
    world.processAll();
    // As if it could be read when it came.
    world.corrupt("/p/50", world.entry("/p/50").readable());
    replay(2);
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("by-org", 2).reason())
        .contains(
            "event at offset 10 cannot be read now", "999", "rebuild with an ad-hoc snapshot");
    assertNothingIsLeft();
  }

  @Test
  void meetsAnEventAgainThatCouldNotBeReadWhenItCame() {
    serve();
    world.event("/p/50".getBytes(StandardCharsets.UTF_8), new byte[] {0, 0, 0, 3, (byte) 0xe7, 2});
    world.processAll();
    replay(2);
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.BUILT);
    assertThat(world.report("by-org", 2).failedRecords()).isEqualTo(1);
    assertThat(world.entry("/p/50").unreadable()).isTrue();
  }

  @Test
  void failsWhereAnEventMakesTheTaskFail() {
    serve();
    world.event("/p/50".getBytes(StandardCharsets.UTF_8), new byte[] {0, 0, 0, 3, (byte) 0xe7, 2});
    world.processAll();
    replay(2);
    world.poll();
    world.registry.broken.set(true);
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("by-org", 2).reason())
        .contains("event at offset 10 fails", "IllegalStateException at ", "ad-hoc snapshot");
    assertNothingIsLeft();
  }

  @Test
  void failsWhereTheRowsOfARecordMakeTheTaskFailAgain() {
    serve();
    phantom(9, Op.UPDATE, 70, WRONG);
    replay(2);
    world.poisoned = true;
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(world::settle).isInstanceOf(EventFailedException.class);
      world.crash();
    }
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("by-org", 2).reason())
        .contains("event at offset ", "IllegalStateException at ", "ad-hoc snapshot");
    assertThat(world.entry(key(9)).version()).isEqualTo(People.version("s1", 70));
    assertNothingIsLeft();
  }

  @Test
  void doesNotTrustTheCopyOfAnotherAttempt() {
    serve();
    phantom(9, Op.UPDATE, 70, WRONG);
    replay(2);
    swapUpTo(3);
    InMemoryEntries old = new InMemoryEntries(world.copy());
    // Elsewhere it begins anew, and events pass the copy by.
    world.restart(new InMemoryEntries());
    upsert(8, 5, person("Ann", "newer", 30));
    world.commit();
    world.restart(old);
    world.settle();

    assertThat(world.entry(key(8)).version()).isEqualTo(People.version("s1", 5));
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
    assertNothingIsLeft();
  }

  @Test
  void failsWhenTheTopicDoesNotHoldEverything() {
    serve();
    phantom(9, Op.UPDATE, 70, WRONG);
    world.topic.begin = 3;
    replay(2);
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);
    assertThat(world.report("by-org", 2).reason())
        .contains("partition 3 of topic " + People.TOPIC)
        .contains("before offset 3 are deleted")
        .contains("rebuild with an ad-hoc snapshot");
    assertThat(world.entry(key(9)).version()).isEqualTo(People.version("s1", 70));
    assertNothingIsLeft();
    world.crash();
    world.settle();
    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.FAILED);

    world.topic.begin = 0;
    replay(3);
    world.settle();
    assertExact(People.BY_ORG, 3);
  }

  @Test
  void endsWhenItsGenerationIsStopped() {
    serve();
    PublishedGeneration generation = replay(2);
    swapUpTo(3);
    world.publish(generation.toStopped());
    world.settle();

    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.STOPPED);
    assertThat(rowsOf(2)).isEmpty();
    assertNothingIsLeft();
    assertExact(People.BY_ORG, 1);
  }

  @Test
  void isCaughtUpBehindTransactionMarkersAfterARestart() {
    world.topic.offsetStep = 3;
    serve();
    world.restart(world.copy());
    replay(2);
    world.settle();

    assertExact(People.BY_ORG, 2);
  }

  @Test
  void comparesNothingWhileItDoesNotKnowTheLatestEvents() {
    serve();
    phantom(8, Op.UPDATE, 70, WRONG);
    replay(2);
    swapUpTo(3);
    world.topic.isDown = true;
    upsert(8, 2, person("Ann", "newer", 30));
    upsert(9, 2, person("Ann", "newer", 30));
    world.settle();
    assertThat(world.entry(key(8)).version()).isEqualTo(People.version("s1", 70));
    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.BUILDING);

    world.topic.isDown = false;
    world.settle();
    world.settle();
    assertThat(world.entry(key(8)).version()).isEqualTo(People.version("s1", 2));
    assertExact(People.BY_ORG, 1);
    assertExact(People.BY_ORG, 2);
    assertNothingIsLeft();
  }

  @Test
  void saysOncePerOutageThatTheTopicCannotBeRead() {
    serve();
    world.topic.isDown = true;
    replay(2);
    try (LogLines log = LogLines.of(TopicReplay.class)) {
      for (int poll = 0; poll < 10; poll++) {
        world.nowMs += 10_000;
        world.poll();
      }

      assertThat(log.get())
          .singleElement(InstanceOfAssertFactories.STRING)
          .endsWith("the topic cannot be read now, and the replay waits for it");
    }
  }

  @Test
  void saysOncePerOutageThatItCannotReadOnAndThatItGoesOn() {
    serve();
    replay(2);
    try (LogLines log = LogLines.of(TopicReplay.class)) {
      for (int outage = 0; outage < 2; outage++) {
        world.topic.isReadDenied = outage == 0;
        world.topic.isDown = outage == 1;
        for (int poll = 0; poll < 10; poll++) {
          world.nowMs += 10_000;
          world.poll();
          world.work(3);
          world.work(3);
        }
        world.topic.isReadDenied = false;
        world.topic.isDown = false;
        world.nowMs += 10_000;
        world.poll();
        world.work(2);
        world.work(2);
      }

      assertThat(log.get())
          .satisfiesExactly(
              line -> assertThat(line).contains("cannot be read now"),
              line -> assertThat(line).contains("can be read again"),
              line -> assertThat(line).contains("cannot be read now"),
              line -> assertThat(line).contains("can be read again"));
    }
    world.settle();
    assertExact(People.BY_ORG, 2);
  }

  @Test
  void waitsWhileTheClusterDoesNotAnswer() {
    serve();
    world.topic.isDown = true;
    replay(2);
    world.settle();
    assertThat(world.report("by-org", 2).phase()).isEqualTo(TaskProgress.Phase.BUILDING);
    assertThat(world.report("by-org", 2).reason()).contains("cannot be read now: nobody answers");

    world.topic.isDown = false;
    world.nowMs += 10_000;
    world.poll();
    world.work(4);
    world.topic.isDown = true;
    world.work(4);
    world.topic.isDown = false;
    world.settle();
    world.settle();
    assertExact(People.BY_ORG, 2);
    assertNothingIsLeft();
  }
}
