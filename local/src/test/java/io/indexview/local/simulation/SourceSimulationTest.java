package io.indexview.local.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.index.FoldedIndex;
import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.SteppedSource;
import io.indexview.connect.kvstore.source.index.SweptIndexState;
import io.indexview.kvstore.KvKey;
import io.indexview.local.simulation.SourceWorld.Shared;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Long random histories of many keys: two writers whose events are lost, late or arrive twice,
 * records that move between shards and back, a source that dies anywhere, lags, or loses its index,
 * its offsets or both with a trimmed topic, an unreachable store or topic, a store that is restored
 * from a backup, markers that expire. It holds a row or a few of its index at a time. When writes
 * stop and the source has looked twice, the app's state and rows are exact.
 */
class SourceSimulationTest {
  private static final int KEYS = 9;
  private static final int STEPS = 1_500;

  private static Path directory;
  private static FoldedIndex<SweptIndexState> index;
  private static Shared shared;

  private enum Step {
    PUT(10),
    DELETE(6),
    ARRIVE(14),
    LOSE(3),
    POLL(50),
    OBSERVATION_ARRIVES(25),
    LATE_OBSERVATION_ARRIVES(2),
    MIGRATE(2),
    MIGRATE_ANEW(2),
    LAG(4),
    CATCH_UP(6),
    PASS(8),
    STORE_FAILS(1),
    TOPIC_FAILS(1),
    RECOVER(3),
    DIE(1),
    LOSE_INDEX(1),
    LOSE_INDEX_AND_TRIM(1),
    LOSE_OFFSETS(1),
    REQUEST(1),
    EXPIRE(1),
    RESTORE(1),
    LOOK_TWICE(1);

    private final int weight;

    Step(int weight) {
      this.weight = weight;
    }
  }

  private static final List<Step> WEIGHTED =
      Stream.of(Step.values())
          .flatMap(step -> Stream.generate(() -> step).limit(step.weight))
          .toList();

  @BeforeContainer
  static void open() throws IOException {
    directory = Files.createTempDirectory("source-simulation");
    index = SweptIndexState.openIndex(directory);
    shared = Shared.of(index);
  }

  @AfterContainer
  static void close() throws IOException {
    index.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 10, shrinking = ShrinkingMode.OFF)
  void isExactWhenTheSourceHasLookedTwice(@ForAll Random random) {
    live(random);
  }

  static void live(Random random) {
    SourceWorld world = new SourceWorld(shared, 2, 2, 1 + random.nextInt(3), 1 + random.nextInt(5));
    for (int i = 0; i < STEPS; i++) {
      take(WEIGHTED.get(random.nextInt(WEIGHTED.size())), world, random);
    }
    rest(world);
  }

  private static void rest(SourceWorld world) {
    while (!world.observed.isEmpty()) {
      world.observationArrives();
    }
    world.sweep();
    world.sweep();
    assertThat(world.difference()).isEmpty();
  }

  private static void take(Step step, SourceWorld world, Random random) {
    KvKey key = People.key(random.nextInt(KEYS));
    switch (step) {
      case PUT -> world.put(key);
      case DELETE -> world.delete(key);
      case POLL -> world.poll();
      case MIGRATE -> world.store.migrate(key, false, random.nextBoolean());
      case MIGRATE_ANEW -> world.store.migrate(key, true, random.nextBoolean());
      case LAG -> world.topic.hold();
      case CATCH_UP -> world.topic.release();
      case PASS -> world.pass(SteppedSource.INTERVAL.dividedBy(1 + random.nextInt(20)));
      case STORE_FAILS -> world.store.setAvailable(false);
      case TOPIC_FAILS -> world.topic.setAvailable(false);
      case RECOVER -> {
        world.store.setAvailable(true);
        world.topic.setAvailable(true);
        world.pass(Duration.ofMillis(2));
      }
      case REQUEST -> world.request();
      case EXPIRE -> world.expire();
      case RESTORE -> world.restore();
      case LOOK_TWICE -> rest(world);
      default -> disturb(step, world, random);
    }
  }

  private static void disturb(Step step, SourceWorld world, Random random) {
    switch (step) {
      case ARRIVE -> {
        if (!world.told.isEmpty()) {
          world.arrive(random.nextInt(world.told.size()));
        }
      }
      case LOSE -> {
        if (!world.told.isEmpty()) {
          world.lose(random.nextInt(world.told.size()));
        }
      }
      case OBSERVATION_ARRIVES -> {
        if (!world.observed.isEmpty()) {
          world.observationArrives();
        }
      }
      case LATE_OBSERVATION_ARRIVES -> {
        if (!world.late.isEmpty()) {
          world.lateObservationArrives(random.nextInt(world.late.size()));
        }
      }
      case DIE -> world.die();
      case LOSE_INDEX -> world.dieWithIndex();
      case LOSE_INDEX_AND_TRIM -> {
        world.topic.trim();
        world.dieWithIndex();
      }
      case LOSE_OFFSETS -> world.dieAndForgetOffsets();
      default -> throw new AssertionError(step);
    }
  }
}
