package io.indexview.streams.task;

import static io.indexview.streams.People.person;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.control.EventsLost;
import io.indexview.streams.People;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An ad-hoc snapshot that finds older versions than the app has. */
class StoreWentBackTest {
  private static final String KEY = "/p/02";

  private final TaskWorld world = new TaskWorld();

  @BeforeEach
  void fill() {
    world.event(KEY, Op.UPDATE, 1, person("Ann", "org", 30));
    world.publish(world.people.published(People.generation(People.BY_ORG)));
    world.settle();
  }

  /** Publishes what the ad-hoc snapshot finds. */
  private void read(String key, int version) {
    world.event(
        key.getBytes(StandardCharsets.UTF_8),
        world.people.event(
            Op.READ,
            new Origin.SnapshotRead(
                "s1", People.version("s1", version).sequence(), Origin.Base.ABSENT, true),
            person("Ann", "read", 30)));
  }

  @Test
  void tellsThatTheStoreWentBackWhenNothingCameForWhatWasFoundOlder() {
    world.event(KEY, Op.UPDATE, 3, person("Ann", "newer", 30));
    world.settle();
    long begin = world.end();
    read(KEY, 1);
    world.processAll();
    world.commit();
    world.crash();
    final long startedAt = world.nowMs;
    world.adHocSnapshot("store", "0", 1, startedAt, begin, world.end());
    world.nowMs += 100_000;
    world.settle();

    assertThat(world.logged(EventsLost.class))
        .singleElement()
        .satisfies(
            lost -> {
              assertThat(lost.recordSet()).isEqualTo("people");
              assertThat(lost.foundAtMs())
                  .as("whenever it is noticed, a later snapshot makes up for it")
                  .isEqualTo(startedAt + 1);
              assertThat(lost.reason()).contains("older versions", "Raise kvstore.incarnation");
            });
    assertThat(world.entry(KEY).version()).isEqualTo(People.version("s1", 3));
    world.crash();
    world.settle();
    assertThat(world.logged(EventsLost.class)).hasSize(1);
  }

  @Test
  void doesNotTakeChangesDuringTheSnapshotForAStoreThatWentBack() {
    long begin = world.end();
    world.event(KEY, Op.UPDATE, 3, person("Ann", "newer", 30));
    read(KEY, 1);
    read(KEY, 1);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.settle();

    assertThat(world.logged(EventsLost.class)).isEmpty();
    assertThat(world.entry(KEY).version()).isEqualTo(People.version("s1", 3));
  }

  @Test
  void doesNotTakeAReadOfASnapshotThatWasCutShortForAStoreThatWentBack() {
    world.event(KEY, Op.UPDATE, 3, person("Ann", "newer", 30));
    world.settle();
    read(KEY, 1);
    long begin = world.end();
    read(KEY, 3);
    world.adHocSnapshot("store", "0", 1, world.nowMs, begin, world.end());
    world.settle();

    assertThat(world.logged(EventsLost.class)).isEmpty();
  }
}
