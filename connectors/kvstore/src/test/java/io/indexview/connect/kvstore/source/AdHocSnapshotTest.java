package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.SourceVersion;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When the source publishes every record again, and when it need not. */
class AdHocSnapshotTest {
  private static final SourceVersion ELSEWHERE = new SourceVersion("x", new byte[] {1});

  @TempDir private Path directory;
  private SourceHarness harness;

  @BeforeEach
  void start() {
    harness = new SourceHarness(directory);
  }

  @AfterEach
  void stop() {
    harness.close();
  }

  @Test
  void readsItsIndexFromTheTopicAgainWhenItIsLost() {
    harness.put(1, "Ada");
    harness.put(2, "Bob");
    harness.scan();
    harness.delete(1);
    harness.restartWithoutIndex();

    assertThat(ops(harness.scan())).containsExactly("d 1");
    assertThat(harness.lastScan().getBoolean("adHoc")).isFalse();
    harness.assertConverged();
  }

  @Test
  void publishesEverythingAgainWhenTheIndexIsLostAndTheTopicTrimmed() {
    harness.put(1, "Ada");
    harness.put(2, "Bob");
    harness.scan();
    harness.topic.trim();
    harness.restartWithoutIndex();

    assertThat(ops(harness.scan())).containsExactly("r 1", "r 2");
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
    assertThat(harness.scan()).isEmpty();
    assertThat(harness.lastScan().getBoolean("adHoc")).isFalse();
    harness.assertConverged();
  }

  @Test
  void saysThatASnapshotIsNeededUntilItIsComplete() {
    harness.put(1, "Ada");
    harness.scan();
    assertThat(harness.lastState().getStruct("snapshotNeeded")).isNull();
    harness.topic.trim();
    harness.restartWithoutIndex();

    harness.poll();

    Struct needed = harness.lastState().getStruct("snapshotNeeded");
    assertThat(needed.getString("reason")).contains("lost its index", "index.dir");
    harness.scan();
    assertThat(harness.lastAdHocSnapshot().getInt64("startedAt"))
        .isGreaterThanOrEqualTo(needed.getInt64("since"));
    harness.pass(SourceHarness.HEARTBEAT);
    harness.poll();
    assertThat(harness.lastState().getStruct("snapshotNeeded")).isNull();

    harness.restart();
    harness.scan();
    Struct last = harness.lastState().getStruct("lastSnapshotNeeded");
    assertThat(last).as("who did not look meanwhile").isEqualTo(needed);
  }

  @Test
  void makesTheSnapshotThatIsNeededWhereTheIndexDoesNotKnowOfIt() {
    harness.put(1, "Ada");
    harness.scan();
    harness.topic.trim();
    harness.restartWithoutIndex();
    Struct needed = pollUntilNeeded();

    harness.restartWithIndexBefore();

    assertThat(pollUntilNeeded()).isEqualTo(needed);
    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastAdHocSnapshot().getInt64("startedAt"))
        .isGreaterThanOrEqualTo(needed.getInt64("since"));
    assertThat(harness.scan()).as("once").isEmpty();
  }

  @Test
  void makesTheSnapshotThatIsNeededSinceTheTopicWasCreatedAgainAlsoWithAnotherIndex() {
    harness.put(1, "Ada");
    harness.scan();
    harness.topic.recreate();
    harness.restartWithoutIndex();
    Struct needed = pollUntilNeeded();

    harness.restartWithoutIndex();

    assertThat(pollUntilNeeded()).isEqualTo(needed);
    harness.scan();
    assertThat(harness.lastAdHocSnapshot().getInt64("startedAt"))
        .isGreaterThanOrEqualTo(needed.getInt64("since"));
  }

  /** What the source says next that it needs a snapshot for. */
  private Struct pollUntilNeeded() {
    int from = harness.states().size();
    for (int polls = 0; harness.states().size() == from; polls++) {
      assertThat(polls).isLessThan(10);
      harness.poll();
    }
    return harness.lastState().getStruct("snapshotNeeded");
  }

  @Test
  void saysNothingIsWrongWhenItStartsForTheFirstTimeOnATrimmedTopic() {
    harness.tell(People.key(9).toString(), ELSEWHERE, "Eve");
    harness.topic.trim();
    harness.restart();
    harness.put(1, "Ada");

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastAdHocSnapshot()).isNotNull();
    assertThat(harness.states()).allMatch(state -> state.getStruct("snapshotNeeded") == null);
  }

  @Test
  void publishesEverythingAgainWhenTheIndexIsLostAndTheTopicCreatedAnew() {
    harness.put(1, "Ada");
    harness.scan();
    harness.topic.recreate();
    harness.restartWithoutIndex();

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
    assertThat(harness.states()).anyMatch(state -> state.getStruct("snapshotNeeded") != null);
  }

  @Test
  void endsAnAdHocSnapshotWhileRecordsAreAddedAndOneIsChangedAllTheTime() {
    for (int i = 0; i < 20; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    harness.request(1);

    int polls = 0;
    while (harness.lastAdHocSnapshot() == null) {
      assertThat(++polls).isLessThan(200);
      putAndTell(1_000 + polls);
      putAndTell(1);
      harness.pass(Duration.ofMillis(1));
      harness.poll();
    }
    harness.scan();
    harness.assertConverged();
  }

  private void putAndTell(int key) {
    KvVersion version = harness.store.put(People.key(key), People.bytes("Zoe"));
    harness.tell(People.key(key).toString(), harness.version(version), "Zoe");
  }

  @Test
  void goesOnWithAnAdHocSnapshotThatWasNotCompleteWhenItEnded() {
    for (int i = 0; i < 20; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    harness.topic.trim();
    harness.restartWithoutIndex();
    for (int i = 0; i < 4; i++) {
      harness.pass(SourceHarness.INTERVAL);
      harness.poll();
    }
    harness.restart();

    assertThat(ops(harness.scan())).hasSize(20);
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
  }

  @Test
  void goesOnFromItsChunkAfterAnOutageInTheMiddleOfAnAdHocSnapshot() {
    harness.setRate(0, 2);
    harness.restart();
    for (int i = 0; i < 12; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    harness.request(1);
    int from = harness.sent.size();
    while (ops(harness.sent.subList(from, harness.sent.size())).size() < 8) {
      harness.pass(Duration.ofMillis(1));
      harness.poll();
    }
    harness.topic.setAvailable(false);
    harness.tell(People.key(13).toString(), ELSEWHERE, "Eve");
    harness.poll();
    harness.topic.setAvailable(true);
    harness.scan();

    assertThat(harness.lastAdHocSnapshot().getInt64("request")).isEqualTo(1);
    assertThat(ops(harness.sent.subList(from, harness.sent.size())))
        .as("no more than a chunk of two once more, and the key that nobody had met")
        .contains("d 13")
        .hasSizeBetween(13, 15);
    harness.assertConverged();
  }

  @Test
  void publishesEverythingAgainWhenTheTopicWasCreatedAgain() {
    harness.put(1, "Ada");
    harness.scan();
    harness.topic.recreate();

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
    assertThat(harness.lastScan().getInt64("number")).isEqualTo(1);
    harness.assertConverged();
  }

  @Test
  void publishesEverythingAgainWhenTheTopicWasTrimmedBeyondTheIndex() {
    harness.put(1, "Ada");
    harness.scan();
    harness.tell(People.key(2).toString(), ELSEWHERE, "Eve");
    harness.topic.trim();
    harness.restart();

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
  }

  @Test
  void publishesEverythingAgainWhenTheOffsetsWereReset() {
    harness.put(1, "Ada");
    harness.scan();
    harness.forgetOffsets();

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
  }

  @Test
  void publishesEverythingAgainWhenItIsAsked() {
    harness.put(1, "Ada");
    harness.put(2, "Bob");
    harness.scan();
    harness.request(5);

    assertThat(ops(harness.scan())).containsExactly("r 1", "r 2");
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
    assertThat(harness.lastScan().getInt64("request")).isEqualTo(5);
    harness.assertConverged();
  }

  @Test
  void answersARequestOnceAndKeepsSayingSo() {
    harness.put(1, "Ada");
    harness.scan();
    harness.request(5);
    harness.scan();

    harness.restart();
    assertThat(harness.scan()).isEmpty();

    assertThat(harness.lastScan().getBoolean("adHoc")).isFalse();
    assertThat(harness.lastScan().getInt64("request")).isZero();
    assertThat(harness.lastAdHocSnapshot().getInt64("request")).isEqualTo(5);
    assertThat(harness.lastAdHocSnapshot().getInt64("number")).isEqualTo(2);
    harness.request(6);
    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastAdHocSnapshot().getInt64("request")).isEqualTo(6);
  }

  @Test
  void doesNotWaitForTheNextScanWhenItIsAsked() {
    harness.put(1, "Ada");
    harness.scan();
    harness.request(1);

    long asked = harness.now();
    while (harness.lastAdHocSnapshot() == null) {
      harness.pass(Duration.ofMillis(1));
      harness.poll();
      assertThat(harness.now()).isLessThan(asked + SourceHarness.INTERVAL.toMillis());
    }
  }

  @Test
  void restsAfterAnAdHocSnapshotWhoseEventsWereDropped() {
    harness.put(1, "Ada");
    harness.scan();
    harness.request(1);
    List<SourceRecord> dropped = new ArrayList<>();
    for (int i = 0; i < 200; i++) {
      harness.pass(Duration.ofMillis(1));
      dropped.addAll(harness.pollAndDrop());
    }
    assertThat(ops(dropped)).containsExactly("r 1");

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastAdHocSnapshot().getInt64("request")).isEqualTo(1);
  }

  @Test
  void heartbeatsAgainWheneverTheOutageInAnAdHocSnapshotWas() {
    harness.put(1, "Ada");
    harness.scan();
    int polls = 0;
    while (!isAnsweredAfter(polls)) {
      harness.topic.setAvailable(false);
      harness.poll();
      harness.topic.setAvailable(true);
      harness.pass(Duration.ofSeconds(2));
      while (!isAnswered(polls + 1)) {
        harness.pass(Duration.ofMillis(1));
        harness.poll();
      }
      harness.poll();
      harness.pass(SourceHarness.HEARTBEAT);

      assertThat(harness.poll()).as("%d polls before the outage", polls).hasSize(1);
      polls++;
    }
    assertThat(polls).isGreaterThan(4);
  }

  private boolean isAnsweredAfter(int polls) {
    harness.request(polls + 1);
    for (int i = 0; i < polls; i++) {
      harness.poll();
    }
    return isAnswered(polls + 1);
  }

  private boolean isAnswered(long request) {
    return harness.lastAdHocSnapshot() != null
        && harness.lastAdHocSnapshot().getInt64("request") == request;
  }

  @Test
  void answersARequestAgainWhenItEndsBeforeItIsDone() {
    for (int i = 0; i < 20; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    harness.request(1);
    for (int i = 0; i < 4; i++) {
      harness.poll();
    }
    harness.restart();

    assertThat(ops(harness.scan())).hasSize(20);
    assertThat(harness.lastAdHocSnapshot().getInt64("request")).isEqualTo(1);
  }

  @Test
  void answersARequestWithAnAdHocSnapshotThatItMakesByItself() {
    harness.put(1, "Ada");
    harness.scan();
    harness.topic.trim();
    harness.request(3);
    harness.restartWithoutIndex();

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastAdHocSnapshot().getInt64("request")).isEqualTo(3);
    assertThat(harness.scan()).isEmpty();
  }

  @Test
  void publishesEverythingOnceMoreWhenTheIndexBeganAnewBeforeTheAdHocSnapshotWasConfirmed() {
    harness.put(1, "Ada");
    harness.scan();
    harness.request(1);
    SourceRecord scan = harness.pollUntilAdHocSnapshot();
    harness.topic.recreate();
    harness.topic.setAvailable(false);
    harness.poll();
    harness.topic.setAvailable(true);
    harness.pass(Duration.ofSeconds(2));
    harness.poll();
    harness.produce(scan);

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
  }
}
