package io.indexview.local.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.indexview.connect.common.index.MaterializedIndex;
import io.indexview.connect.kvstore.source.People;
import io.indexview.connect.kvstore.source.index.ScannedIndexState;
import io.indexview.local.simulation.SourceWorld.Shared;
import io.indexview.schemas.fixtures.Tries.Seeds;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Long histories of many keys: two writers whose events are lost, late or arrive twice, records
 * that move between shards and back, a source that dies anywhere, lags, or loses its index, its
 * offsets or both with a trimmed topic, an unreachable store or topic, a store that is restored
 * from a backup, tombstones that expire. The app cleans up any time after a snapshot. The source
 * holds a row or a few of its index at a time. When writes stop and the source has scanned twice,
 * the app's state and rows are exact.
 *
 * <p>A source that follows changes has these named late, again, for nothing, or they are lost and
 * it hears of a gap. Whenever it says that every change is on the topic, the app's state and rows
 * are exact, without a further scan.
 *
 * <p>The named histories went wrong once. Each is the smallest of its kind.
 */
class SourceSimulationTest {
  private static final int KEYS = 9;
  private static final int ACTIONS = 1_500;
  private static final int FEW_ACTIONS = 100;

  private static Path directory;
  private static MaterializedIndex<ScannedIndexState> index;
  private static Shared shared;

  @BeforeContainer
  static void open() throws IOException {
    directory = Files.createTempDirectory("source-simulation");
    index = ScannedIndexState.openIndex(directory);
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

  @Property(tries = 10)
  void isExactWhenTheSourceHasScannedTwice(@ForAll(supplier = Seeds.class) long seed) {
    assertExact(SourceHistory.random(new Random(seed), Capture.SCANS, KEYS, ACTIONS));
  }

  @Property(tries = 10)
  void isExactWheneverTheSourceProvesItByChanges(@ForAll(supplier = Seeds.class) long seed) {
    Random random = new Random(seed);
    assertExact(SourceHistory.random(random, Capture.CHANGES, KEYS, ACTIONS));
    for (int i = 0; i < ACTIONS / FEW_ACTIONS; i++) {
      assertExact(SourceHistory.random(random, Capture.CHANGES, KEYS, FEW_ACTIONS));
    }
  }

  @Example
  void goesWrongWithARuleBroken() {
    goesWrong(
        Capture.BASE_TAKEN_AFTER_THE_READ,
        "2 1: PUT 0 3, ARRIVE 7, POLL, POLL, SNAPSHOT_READ_ARRIVES, LOSE_INDEX_AND_TRIM");
    goesWrong(
        Capture.POSITION_AHEAD,
        "3 3: PROVE_BY_CHANGES, PUT 0 2, PUT 0 3, PUT 0 4, PUT 0 5, CHANGES_COME, POLL,"
            + " SNAPSHOT_READ_ARRIVES, SNAPSHOT_READ_ARRIVES, SNAPSHOT_READ_ARRIVES, PASS 3, POLL, DIE");
    goesWrong(
        Capture.ALWAYS_CAUGHT_UP,
        "2 3: POLL, CHANGES_COME, POLL, MIGRATE 2 6, POLL, CHANGE_IS_NAMED_AGAIN 0 4,"
            + " CHANGE_IS_NAMED_AGAIN 0 1, POLL, POLL, PUT 0 0, SCAN_TWICE");
    goesWrong(
        Capture.GAPS_IGNORED,
        "1 1: POLL, CHANGES_COME, POLL, POLL, POLL, PUT 0 0, CHANGES_ARE_LOST");
  }

  /** With this rule broken, and with no other. */
  private static void goesWrong(Capture broken, String history) {
    assertThat(SourceHistory.parse(broken + " " + history).problem(shared))
        .as(broken.toString())
        .isPresent();
    isExactAfter(Capture.CHANGES + " " + history);
  }

  private static void assertExact(SourceHistory history) {
    if (history.problem(shared).isPresent()) {
      SourceHistory smallest = history.smallest(shared);
      fail(
          "make the smallest history a named case: \"%s\": %s"
              .formatted(smallest, smallest.problem(shared).orElseThrow()));
    }
  }

  @Example
  void tombstoneExpiresWhileTheSourceLagsBehindTheDelete() {
    isExactAfter(
        "SCANS 1 5: PUT 0 0, DELETE 0 0, ARRIVE 0, PUT 0 0, LAG, POLL, ARRIVE 1, EXPIRE 1, POLL, POLL,"
            + " POLL");
  }

  @Example
  void tombstoneExpiresBeforeTheSnapshotReadOfItsRecordArrives() {
    isExactAfter("SCANS 1 5: PUT 0 0, POLL, POLL, POLL, POLL, DELETE 0 0, ARRIVE 1, EXPIRE 1");
  }

  @Example
  void adHocSnapshotWithoutAnIndexMissesARecordThatMovesToAnotherShard() {
    isExactAfter(
        "SCANS 1 5: PUT 0 5, SCAN_TWICE, PUT 0 4, PUT 0 3, LOSE_INDEX_AND_TRIM, POLL, POLL, POLL, POLL,"
            + " MIGRATE 1 5");
  }

  @Example
  void eventThatTheAppRefusesAndANewIndexTakesComesDuringAnAdHocSnapshot() {
    isExactAfter(
        "SCANS 3 3: PUT 0 6, PUT 0 0, MIGRATE 6 6, ARRIVE 28, LOSE_INDEX_AND_TRIM, DELETE 0 6, PUT 0 5,"
            + " POLL, PUT 0 6, PUT 0 3, ARRIVE 18, DELETE 0 6, ARRIVE 40");
    isExactAfter(
        "SCANS 3 3: PUT 0 5, BACK_UP, ARRIVE 44, LOSE_INDEX_AND_TRIM, DELETE 0 5, RESTORE, POLL, POLL,"
            + " POLL, POLL, SNAPSHOT_READ_ARRIVES, PUT 0 8, DELETE 0 5, ARRIVE 24");
  }

  @Example
  void deleteArrivesWhileTheAdHocReadOfItsRecordIsOnItsWay() {
    isExactAfter(
        "SCANS 2 4: PUT 0 3, BACK_UP, RESTORE, SCAN_TWICE, ARRIVE 50, LOSE_INDEX_AND_TRIM, POLL, POLL,"
            + " POLL, POLL, DELETE 0 3, ARRIVE 0");
  }

  @Example
  void adHocReadOfADeadTaskArrivesAfterTheDeleteOfItsRecord() {
    isExactAfter(
        "SCANS 3 3: POLL, POLL, PUT 0 2, POLL, POLL, SNAPSHOT_READ_ARRIVES, LOSE_INDEX_AND_TRIM, POLL,"
            + " POLL, POLL, POLL, DIE, DELETE 0 2, POLL, POLL, POLL, POLL, POLL, POLL, ARRIVE 5,"
            + " LATE_SNAPSHOT_READ_ARRIVES 18");
  }

  @Example
  void recordComesBackBeforeTheCleanUpOfTheSnapshotThatDidNotNameIt() {
    isExactAfter(
        "SCANS 2 4: PUT 0 1, RESTORE, ARRIVE 41, LOSE_INDEX_AND_TRIM, POLL, POLL, POLL, POLL, PUT 0 1");
    isExactAfter(
        "SCANS 2 1: PUT 0 0, MIGRATE 43 0, ARRIVE 47, DELETE 0 0, LOSE_INDEX_AND_TRIM, POLL, POLL, POLL,"
            + " POLL, PUT 0 0");
  }

  @Example
  void adHocReadOfADeadTaskIsNotTakenForAStoreThatWentBack() {
    isExactAfter(
        "SCANS 1 4: PUT 0 4, ARRIVE 9, LOSE_INDEX_AND_TRIM, PUT 0 2, POLL, POLL, POLL, POLL, DELETE 0 2,"
            + " ARRIVE 31, DIE, POLL, LATE_SNAPSHOT_READ_ARRIVES 22");
    isExactAfter(
        "SCANS 3 1: REQUEST, POLL, PUT 0 1, POLL, POLL, POLL, LOSE_INDEX, PUT 0 1, PUT 0 1, PUT 0 0,"
            + " LOSE 4, PUT 0 0, ARRIVE 8, POLL, POLL, LATE_SNAPSHOT_READ_ARRIVES 4, POLL,"
            + " DELETE 0 1, POLL, DELETE 0 0, POLL, POLL, DELETE 0 0, POLL, ARRIVE 19");
  }

  @Example
  void storeThatGoesBackUnannouncedIsNoticedAndPublishedAgain() {
    SourceWorld world = new SourceWorld(shared, Capture.SCANS, 2, 2, 3, 3);
    world.put(People.key(1));
    world.put(People.key(1));
    world.put(People.key(2));
    world.scan();
    world.store.restore();
    world.put(People.key(2));
    world.put(People.key(1));

    world.scan();

    assertThat(world.isSnapshotNeeded()).isTrue();
    assertThat(world.difference()).as("one version, two contents").isNotEmpty();
    world.scan();
    assertThat(world.difference()).isEmpty();
    world.scan();
    assertThat(world.isSnapshotNeeded()).isFalse();
  }

  @Example
  void storeThatGoesBackUnannouncedWhileTheIndexIsLostIsNoticedByTheApp() {
    SourceWorld world = new SourceWorld(shared, Capture.SCANS, 2, 2, 3, 3);
    world.put(People.key(1));
    world.store.backUp();
    world.put(People.key(1));
    world.put(People.key(1));
    world.scan();
    world.topic.trim();
    world.store.restore();
    world.dieWithIndex();

    world.scan();
    assertThat(world.difference()).as("the app keeps what is newer").isNotEmpty();
    assertThat(world.isSnapshotNeeded()).as("the source cannot know").isFalse();
    assertThat(world.app.noticedOlderStore()).isTrue();

    world.raiseIncarnation();
    world.request();
    world.scan();
    assertThat(world.difference()).isEmpty();
  }

  @Example
  void eventArrivesOfAValueBetweenThatOfTheIndexAndTheDeleteThatWasRead() {
    isExactAfter(
        "CHANGES 2 2: PUT 0 6, PUT 0 0, PUT 0 0, DELETE 0 6, PUT 0 4, PUT 0 6, RESTORE, POLL,"
            + " ARRIVE 19, CHANGES_COME, POLL, SNAPSHOT_READ_ARRIVES, POLL, ARRIVE 50");
    isExactAfter(
        "CHANGES 2 2: PROVE_BY_CHANGES, PUT 0 0, PUT 0 0, DELETE 0 0, ARRIVE 0, PROVE_BY_CHANGES,"
            + " ARRIVE 1");
  }

  @Example
  void storeIsRestoredToNothing() {
    isExactAfter("CHANGES 1 4: PUT 0 8, SCAN_TWICE, RESTORE");
  }

  @Example
  void lateEventArrivesAndTheTaskDiesBeforeItHasSeenIt() {
    isExactAfter("CHANGES 1 3: PUT 0 1, RESTORE, PROVE_BY_CHANGES, ARRIVE 41, DIE");
  }

  private static void isExactAfter(String history) {
    Optional<String> problem = SourceHistory.parse(history).problem(shared);

    assertThat(problem).isEmpty();
  }
}
