package io.indexview.local.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.indexview.connect.common.index.FoldedIndex;
import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.index.SweptIndexState;
import io.indexview.local.simulation.SourceWorld.Shared;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Long histories of many keys: two writers whose events are lost, late or arrive twice, records
 * that move between shards and back, a source that dies anywhere, lags, or loses its index, its
 * offsets or both with a trimmed topic, an unreachable store or topic, a store that is restored
 * from a backup, tombstones that expire. The source holds a row or a few of its index at a time.
 * When writes stop and the source has scanned twice, the app's state and rows are exact.
 *
 * <p>The named histories went wrong once. Each is the smallest of its kind.
 */
class SourceSimulationTest {
  private static final int KEYS = 9;
  private static final int ACTIONS = 1_500;
  private static final int HISTORIES = Integer.getInteger("simulation.histories", 10);
  private static final long SEED = Long.getLong("simulation.seed", System.nanoTime());

  @TempDir private static Path directory;
  private static FoldedIndex<SweptIndexState> index;
  private static Shared shared;

  @BeforeAll
  static void open() {
    index = SweptIndexState.openIndex(directory);
    shared = Shared.of(index);
  }

  @AfterAll
  static void close() {
    index.close();
  }

  @Test
  void isExactAfterRandomHistories() {
    for (long seed = SEED; seed < SEED + HISTORIES; seed++) {
      SourceHistory history = SourceHistory.random(new Random(seed), KEYS, ACTIONS);
      if (history.problem(shared).isPresent()) {
        SourceHistory smallest = history.smallest(shared);
        fail(
            "seed %d goes wrong; make its smallest history a named case: \"%s\": %s"
                .formatted(seed, smallest, smallest.problem(shared).orElseThrow()));
      }
    }
  }

  @Test
  void tombstoneExpiresWhileTheSourceLagsBehindTheDelete() {
    isExactAfter(
        "1 5: PUT 0 0, DELETE 0 0, ARRIVE 0, PUT 0 0, LAG, POLL, ARRIVE 1, EXPIRE 1, POLL, POLL,"
            + " POLL");
  }

  @Test
  void tombstoneExpiresBeforeTheSnapshotReadOfItsRecordArrives() {
    isExactAfter("1 5: PUT 0 0, POLL, POLL, POLL, POLL, DELETE 0 0, ARRIVE 1, EXPIRE 1");
  }

  @Test
  void forcedScanWithoutAnIndexMissesARecordThatMovesToAnotherShard() {
    isExactAfter(
        "1 5: PUT 0 5, SCAN_TWICE, PUT 0 4, PUT 0 3, LOSE_INDEX_AND_TRIM, POLL, POLL, POLL, POLL,"
            + " MIGRATE 1 5");
  }

  @Test
  void eventThatTheAppRefusesAndANewIndexTakesComesDuringAForcedScan() {
    isExactAfter(
        "3 3: PUT 0 6, PUT 0 0, MIGRATE 6 6, ARRIVE 28, LOSE_INDEX_AND_TRIM, DELETE 0 6, PUT 0 5,"
            + " POLL, PUT 0 6, PUT 0 3, ARRIVE 18, DELETE 0 6, ARRIVE 40");
    isExactAfter(
        "3 3: PUT 0 5, BACK_UP, ARRIVE 44, LOSE_INDEX_AND_TRIM, DELETE 0 5, RESTORE, POLL, POLL,"
            + " POLL, POLL, SNAPSHOT_READ_ARRIVES, PUT 0 8, DELETE 0 5, ARRIVE 24");
  }

  @Test
  void deleteArrivesWhileTheForcedReadOfItsRecordIsOnItsWay() {
    isExactAfter(
        "2 4: PUT 0 3, BACK_UP, RESTORE, SCAN_TWICE, ARRIVE 50, LOSE_INDEX_AND_TRIM, POLL, POLL,"
            + " POLL, POLL, DELETE 0 3, ARRIVE 0");
  }

  @Test
  void forcedReadOfADeadTaskArrivesAfterTheDeleteOfItsRecord() {
    isExactAfter(
        "3 3: POLL, POLL, PUT 0 2, POLL, POLL, SNAPSHOT_READ_ARRIVES, LOSE_INDEX_AND_TRIM, POLL,"
            + " POLL, POLL, POLL, DIE, DELETE 0 2, POLL, POLL, POLL, POLL, POLL, POLL, ARRIVE 5,"
            + " LATE_SNAPSHOT_READ_ARRIVES 18");
  }

  @Test
  void storeThatGoesBackUnannouncedIsNoticedAndPublishedAgain() {
    SourceWorld world = new SourceWorld(shared, 2, 2, 3, 3);
    world.put(People.key(1));
    world.put(People.key(1));
    world.put(People.key(2));
    world.sweep();
    world.store.restore();
    world.put(People.key(2));
    world.put(People.key(1));

    world.sweep();

    assertThat(world.isSnapshotNeeded()).isTrue();
    assertThat(world.difference()).as("one version, two contents").isNotEmpty();
    world.sweep();
    assertThat(world.difference()).isEmpty();
    world.sweep();
    assertThat(world.isSnapshotNeeded()).isFalse();
  }

  private static void isExactAfter(String history) {
    Optional<String> problem = SourceHistory.parse(history).problem(shared);

    assertThat(problem).isEmpty();
  }
}
