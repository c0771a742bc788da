package io.indexview.connect.s3.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.Tries;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Every history of one object of a few steps, whatever was lost, late, repeated or seen: none lets
 * a snapshot read undo a later event, and each ends as the bucket does once nothing changes any
 * more and the source has looked again.
 */
class ShortHistoriesIT {
  private static final int STEPS = Tries.steps(3);

  /**
   * What there is before: nothing; what an event named; one that a listing found; one that a
   * listing is just publishing; one that an event named, is gone, and is just read; one whose
   * notifications are all on their way, and that is just read.
   */
  private static final List<List<Step>> BEGINNINGS =
      List.of(
          List.of(),
          List.of(Step.PUT, Step.OLDEST_ARRIVES),
          List.of(Step.PUT_LOST, Step.LIST, Step.TIME, Step.LIST, Step.LISTED_ARRIVES, Step.LIST),
          List.of(Step.PUT, Step.LIST, Step.TIME, Step.LIST),
          List.of(Step.PUT, Step.OLDEST_ARRIVES, Step.EXPIRE, Step.OBSERVE),
          List.of(Step.PUT, Step.EXPIRE, Step.PUT, Step.OBSERVE));

  @TempDir private Path directory;
  private long histories;

  @ParameterizedTest
  @CsvSource({
    "false, 0, TIME",
    "true, 0, TIME",
    "false, 7, TIME",
    "false, 0, PUBLISHED_ARRIVES",
    "false, 7, PUBLISHED_ARRIVES"
  })
  void endAsTheBucketDoes(boolean looksAtAll, long topicBegin, Step last) {
    Step[] possible = EnumSet.range(Step.PUT, last).toArray(Step[]::new);
    try (BucketWorld world = new BucketWorld(directory, looksAtAll, topicBegin)) {
      for (List<Step> beginning : BEGINNINGS) {
        int[] steps = new int[STEPS];
        int position = 0;
        while (position >= 0) {
          position = next(steps, play(world, beginning, possible, steps), possible.length);
        }
      }
    }

    System.getLogger(ShortHistoriesIT.class.getName())
        .log(System.Logger.Level.INFO, "{0} histories of {1} steps", histories, STEPS);
    assertThat(histories).isGreaterThan(2_000);
  }

  @Test
  void repairsWhatAnAdHocSnapshotLaidOverALaterRemoval() {
    List<Step> history =
        List.of(
            Step.PUT_LOST,
            Step.LIST,
            Step.TIME,
            Step.LIST,
            Step.REMOVE,
            Step.OLDEST_ARRIVES,
            Step.LISTED_ARRIVES);
    try (BucketWorld world = new BucketWorld(directory, false, 7)) {
      world.begin();
      history.forEach(step -> world.take(step, "a_1"));
      assertThat(world.isAlive("a_1")).isTrue();

      world.endsAsTheBucketDoes();
      assertThat(world.isAlive("a_1")).isFalse();
    }
  }

  /** The page of the object is done, and nobody tells that it is there again. */
  @Test
  void publishesWhatItObservesInAnAdHocSnapshotThoughTheStateIsWrong() {
    try (BucketWorld world = new BucketWorld(directory, false, 0)) {
      world.begin();
      for (String key : List.of("a_1", "b_2", "c_3", "d_4")) {
        take(world, key, Step.PUT, Step.OLDEST_ARRIVES);
      }
      take(world, "a_1", Step.REMOVE, Step.OLDEST_ARRIVES, Step.PUT_LOST, Step.EXPIRE);
      take(world, "a_1", Step.PUBLISH_AGAIN, Step.PUBLISHED_ARRIVES, Step.PUBLISHED_ARRIVES);
      for (int i = 0; i < 5; i++) {
        take(world, "a_1", Step.PUBLISH_AGAIN);
      }
      take(world, "a_1", Step.PUT_LOST, Step.OBSERVE, Step.OBSERVE, Step.OBSERVED_ARRIVES);

      world.endsAsTheBucketDoes();
      assertThat(world.isAlive("a_1")).isTrue();
    }
  }

  private static void take(BucketWorld world, String key, Step... steps) {
    for (Step step : steps) {
      assertThat(world.take(step, key)).as(step.toString()).isTrue();
    }
  }

  /**
   * Returns the step that is to be changed next: histories in which a step does nothing are others.
   */
  private int play(BucketWorld world, List<Step> beginning, Step[] possible, int[] steps) {
    List<Step> history = new ArrayList<>(beginning);
    world.begin();
    beginning.forEach(step -> world.take(step, "a_1"));
    try {
      for (int i = 0; i < STEPS; i++) {
        history.add(possible[steps[i]]);
        if (!world.take(possible[steps[i]], "a_1")) {
          return i;
        }
      }
      histories++;
      world.endsAsTheBucketDoes();
    } catch (AssertionError e) {
      throw new AssertionError(history + ": " + e.getMessage(), e);
    }
    return STEPS - 1;
  }

  /** Moves on; -1 when there are no more. */
  private static int next(int[] steps, int changed, int possible) {
    for (int i = changed + 1; i < STEPS; i++) {
      steps[i] = 0;
    }
    for (int i = changed; i >= 0; i--) {
      if (++steps[i] < possible) {
        return i;
      }
      steps[i] = 0;
    }
    return -1;
  }
}
