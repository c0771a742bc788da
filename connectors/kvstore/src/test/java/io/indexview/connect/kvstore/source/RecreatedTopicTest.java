package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

/** The change topic is made anew while changes stand for scans for hours. */
class RecreatedTopicTest extends ChangeCaptureScenario {
  private String topicId() {
    return harness.topic.bounds().topicId();
  }

  /** No position is one that the new topic does not hold. */
  @Test
  void scansForAnEmptyTopicThatWasCreatedAgain() {
    harness.scan();
    eventsOf(Duration.ofSeconds(1));
    harness.topic.recreate();

    eventsOf(Duration.ofSeconds(20));

    assertThat(harness.lastState().getString("topicId")).isEqualTo(topicId());
    assertThat(harness.lastAdHocSnapshot()).isNotNull();
  }

  @Test
  void publishesEverythingToATopicThatWasFilledAgainAtOnce() {
    harness.put(1, "Ada");
    harness.scan();
    eventsOf(Duration.ofSeconds(1));
    harness.topic.recreate();
    harness.tell(People.key(1).toString(), harness.version(harness.put(1, "Ada of now")), "Ada");
    harness.put(2, "Bob");

    assertThat(ops(eventsOf(Duration.ofSeconds(20)))).contains("r 1", "r 2");
    harness.assertConverged();
  }

  /** The ends of the topic before are none that the new one reaches. */
  @Test
  void scansForATopicThatWasCreatedAgainWhileTheOneBeforeWasRead() {
    harness.put(1, "Ada");
    harness.scan();
    harness.topic.hold();
    harness.tell(People.key(1).toString(), harness.version(harness.put(1, "Ada of now")), "Ada");
    harness.changes.lose();
    eventsOf(SourceHarness.INTERVAL.plusSeconds(1));
    harness.topic.recreate();
    harness.topic.release();

    assertThat(ops(eventsOf(Duration.ofSeconds(20)))).contains("r 1");
    assertThat(harness.lastState().getString("topicId")).isEqualTo(topicId());
    harness.assertConverged();
  }

  @Test
  void goesOnWhileNobodyTellsWhichTopicThereIs() {
    harness.scan();
    eventsOf(Duration.ofSeconds(1));
    harness.topic.setQuestionsAnswered(false);
    int before = harness.states().size();
    harness.put(1, "Ada");

    assertThat(ops(eventsOf(Duration.ofSeconds(20)))).containsExactly("c 1");
    assertThat(harness.states().size() - before).isGreaterThanOrEqualTo(19);
  }

  /** What a scan has sent is on its way still when the topic is another one. */
  @Test
  void claimsNoScanOfTheTopicBefore() {
    String before = topicId();
    harness.scan();
    harness.put(1, "Ada");
    harness.changes.lose();
    harness.pass(SourceHarness.SCAN_INTERVAL);
    List<SourceRecord> events = new ArrayList<>();
    while (ops(events).isEmpty()) {
      harness.pass(Duration.ofMillis(10));
      events.addAll(harness.pollAndLose());
    }
    harness.topic.recreate();

    for (int seconds = 0; seconds < 20; seconds++) {
      harness.pass(Duration.ofSeconds(1));
      harness.poll();
    }

    assertThat(harness.lastScan()).isNotNull();
    assertThat(harness.lastState().getString("topicId")).isEqualTo(before);
    assertThat(harness.lastState().getStruct("snapshotNeeded")).isNotNull();
  }
}
