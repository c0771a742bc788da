package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.source.SourceDeadLetters;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.KeyScope;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordSetSourceTest {
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
  void publishesWhatIsThereAsReadsInTheFirstScan() {
    for (int i = 0; i < 23; i++) {
      harness.put(i, "Ada");
    }
    List<SourceRecord> events = harness.scan();

    assertThat(ops(events)).hasSize(23).allMatch(op -> op.startsWith("r "));
    assertThat(harness.lastScan().getInt64("records")).isEqualTo(23);
    assertThat(harness.lastScan().getInt64("number")).isEqualTo(1);
    harness.assertConverged();
  }

  @Test
  void tellsForWhichKeysAScanAnswers() {
    harness.put(1, "Ada");
    String key = (String) harness.scan().get(0).key();

    Struct scope = harness.lastScan().getStruct("scope");

    KeyScope reported = new KeyScope(scope.getString("prefix"), scope.getString("exceptEnding"));
    assertThat(reported.contains(key.getBytes(StandardCharsets.UTF_8))).isTrue();
    assertThat(reported.contains((key + ".lob").getBytes(StandardCharsets.UTF_8))).isFalse();
    assertThat(reported.contains("/elsewhere/1".getBytes(StandardCharsets.UTF_8))).isFalse();
  }

  @Test
  void publishesNothingWhenNothingChanged() {
    harness.put(1, "Ada");
    harness.scan();

    assertThat(harness.scan()).isEmpty();
    assertThat(harness.lastScan().getInt64("number")).isEqualTo(2);
  }

  @Test
  void publishesCreatesUpdatesAndDeletesOfTheTimeBetween() {
    harness.put(1, "Ada");
    harness.put(2, "Bob");
    harness.put(3, "Cy");
    harness.scan();
    harness.put(2, "Bobby");
    harness.delete(3);
    harness.put(4, "Di");

    assertThat(ops(harness.scan())).containsExactly("c 4", "d 3", "u 2");
    harness.assertConverged();
  }

  @Test
  void findsWhatChangedWhileItWasDown() {
    harness.put(1, "Ada");
    harness.put(2, "Bob");
    harness.scan();
    harness.delete(1);
    harness.put(2, "Bobby");
    harness.restart();

    assertThat(ops(harness.scan())).containsExactly("d 1", "u 2");
    harness.assertConverged();
  }

  @Test
  void publishesARecordThatWasRemovedAndCreatedAgainAsAnUpdate() {
    harness.put(1, "Ada");
    harness.scan();
    harness.delete(1);
    harness.put(1, "Ada again");

    assertThat(ops(harness.scan())).containsExactly("u 1");
    harness.assertConverged();
  }

  @Test
  void carriesTheRemovedVersionInADelete() {
    KvVersion version = harness.put(1, "Ada");
    harness.scan();
    harness.delete(1);
    Struct order = ((Struct) harness.scan().get(0).value()).getStruct("source").getStruct("order");

    assertThat(order.getString("epoch")).isEqualTo("1/" + version.shard());
    assertThat(order.getBytes("sequence")).isEqualTo(version.vlsnBytes());
    assertThat(order.getStruct("base").getBoolean("present")).isTrue();
    assertThat(order.getStruct("base").getBytes("sequence")).isEqualTo(version.vlsnBytes());
  }

  @Test
  void publishesNothingWhenAWriterSentTheChangeBefore() {
    KvVersion version = harness.put(1, "Ada");
    harness.tell(People.key(1).toString(), harness.version(version), "Ada");

    assertThat(harness.scan()).isEmpty();
    harness.assertConverged();
  }

  @Test
  void skipsAKeyThatTheIndexLearntOfWhileTheScanRan() {
    for (int i = 0; i < 30; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    harness.pass(SourceHarness.INTERVAL);
    harness.poll();
    harness.poll();
    KvVersion version = harness.put(29, "Zoe");
    harness.tell(People.key(29).toString(), harness.version(version), "Zoe");

    assertThat(ops(harness.scan())).isEmpty();
    harness.assertConverged();
  }

  @Test
  void doesNotDeleteWhatWasCreatedAgainBehindTheScan() {
    for (int i = 0; i < 30; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    harness.delete(7);
    harness.pass(SourceHarness.INTERVAL);
    for (int i = 0; i < 4; i++) {
      harness.poll();
    }
    harness.put(7, "Ada again");

    assertThat(ops(harness.scan())).containsExactly("u 7");
    harness.assertConverged();
  }

  @Test
  void leavesKeysOfOtherProducersAlone() {
    harness.tell("no key path", ELSEWHERE, "Eve");
    harness.tell("/Elsewhere/people/1", ELSEWHERE, "Eve");

    assertThat(harness.scan()).isEmpty();
    assertThat(harness.alive()).containsOnlyKeys("no key path", "/Elsewhere/people/1");
  }

  @Test
  void skipsLargeObjectsAndOtherPrefixes() {
    harness.store.put(KvKey.ofMajor("Corporate", "peoples", "1"), new byte[0]);
    harness.store.put(
        KvKey.ofMajor("Corporate", "people", "1").child("contact"), People.bytes("A"));

    assertThat(harness.scan()).hasSize(1);
    assertThat(harness.lastScan().getInt64("records")).isEqualTo(1);
  }

  @Test
  void deadLettersAValueOnceAndTakesTheRecordOutOfTheViews() {
    harness.put(1, "Ada");
    harness.scan();
    harness.store.put(People.key(1), People.UNREADABLE);
    List<SourceRecord> events = harness.scan();

    assertThat(events)
        .extracting(SourceRecord::topic)
        .containsExactly(SourceHarness.DEAD_LETTERS, People.TOPIC);
    Struct deadLetter = (Struct) events.get(0).value();
    assertThat(deadLetter.getString("recordSet")).isEqualTo("people");
    assertThat(deadLetter.getBytes("value")).isEqualTo(People.UNREADABLE);
    assertThat(deadLetter.getBytes("key"))
        .isEqualTo("/Corporate/people/1".getBytes(StandardCharsets.UTF_8));
    assertThat(isUnreadable(events.get(1))).isTrue();
    assertThat(harness.alive()).isEmpty();

    assertThat(harness.scan()).isEmpty();
    harness.restartWithoutIndex();
    assertThat(harness.scan()).isEmpty();

    harness.put(1, "Ada, readable");
    assertThat(ops(harness.scan())).containsExactly("c 1");
    harness.assertConverged();
  }

  @Test
  void deadLettersANewRecordThatCannotBeRead() {
    harness.store.put(People.key(1), People.UNREADABLE);
    assertThat(harness.scan()).hasSize(2);
    assertThat(harness.scan()).isEmpty();
    assertThat(harness.alive()).isEmpty();
  }

  @Test
  void tellsWhenARecordThatCannotBeReadIsReallyGone() {
    harness.store.put(People.key(1), People.UNREADABLE);
    harness.scan();
    harness.delete(1);

    List<SourceRecord> events = harness.scan();
    assertThat(ops(events)).containsExactly("d 1");
    assertThat(isUnreadable(events.get(0))).isFalse();
    assertThat(harness.scan()).isEmpty();
  }

  @Test
  void namesARecordThatCannotBeReadInAnAdHocSnapshotWithoutAnotherDeadLetter() {
    harness.store.put(People.key(1), People.UNREADABLE);
    harness.scan();
    harness.request(1);

    List<SourceRecord> events = harness.scan();
    assertThat(ops(events)).containsExactly("d 1");
    assertThat(isUnreadable(events.get(0))).isTrue();
  }

  private static boolean isUnreadable(SourceRecord event) {
    Struct source = ((Struct) event.value()).getStruct("source");
    return source.getStruct("order").getBoolean("unreadable");
  }

  @Test
  void takesARecordThatIsTooLargeForAnEventOutOfTheViews() {
    harness.put(1, "Ada");
    harness.scan();
    harness.put(1, "x".repeat(SourceDeadLetters.MAX_VALUE_BYTES));
    List<SourceRecord> events = harness.scan();

    assertThat(events)
        .extracting(SourceRecord::topic)
        .containsExactly(SourceHarness.DEAD_LETTERS, People.TOPIC);
    Struct deadLetter = (Struct) events.get(0).value();
    assertThat(deadLetter.getBytes("value")).isNull();
    assertThat(deadLetter.getString("reason"))
        .contains(Integer.toString(SourceDeadLetters.MAX_VALUE_BYTES), "left out");
    assertThat(harness.alive()).isEmpty();
    assertThat(harness.scan()).isEmpty();

    harness.put(1, "Ada");
    assertThat(ops(harness.scan())).containsExactly("c 1");
    harness.assertConverged();
  }

  @Test
  void publishesTheLargestRecordWithinWhatAProducerSends() {
    int others = People.bytes("x".repeat(10_000)).length - 10_000 + 1;
    harness.put(1, "x".repeat(SourceDeadLetters.MAX_VALUE_BYTES - others));

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.topic.all())
        .singleElement()
        .satisfies(
            event ->
                assertThat(event.value().length)
                    .isBetween(
                        SourceDeadLetters.MAX_VALUE_BYTES,
                        (1 << 20) - 2 * KvKey.MAX_SERIALIZED_BYTES));
  }

  @Test
  void sendsAgainWhatWasLostWithTheProducer() {
    for (int i = 0; i < 12; i++) {
      harness.put(i, "Ada");
    }
    for (int i = 0; i < 4; i++) {
      harness.pollAndLose();
    }
    harness.restart();

    assertThat(ops(harness.scan())).hasSize(12);
    harness.assertConverged();
  }

  @Test
  void doesNotCallAScanCompleteWhenEventsWereDropped() {
    harness.put(1, "Ada");
    for (int i = 0; i < 10; i++) {
      harness.pollAndDrop();
    }
    assertThat(harness.states()).isEmpty();

    assertThat(ops(harness.scan())).containsExactly("r 1");
    assertThat(harness.lastScan().getInt64("number")).isEqualTo(1);
  }

  @Test
  void saysThatItsEventsAreDroppedUntilAScanIsComplete() {
    harness.put(1, "Ada");
    harness.scan();
    harness.put(1, "Ada 2");
    harness.pass(SourceHarness.INTERVAL);
    for (int i = 0; i < 10; i++) {
      harness.pollAndDrop();
    }
    harness.pass(SourceHarness.HEARTBEAT);
    harness.poll();
    assertThat(harness.lastState().getString("problem"))
        .startsWith("1 of 1 events of the last scan")
        .contains("transformation", "take it away");

    harness.restart();
    harness.pass(SourceHarness.HEARTBEAT);
    harness.poll();
    assertThat(harness.lastState().getString("problem")).startsWith("1 of 1 events");

    assertThat(ops(harness.scan())).containsExactly("u 1");
    assertThat(harness.lastState().getString("problem")).isNull();
    harness.assertConverged();
  }

  @Test
  void saysThatTheEventsOfItsFirstScanAreDroppedAlsoWhileItScansAgain() {
    harness.put(1, "Ada");
    for (int i = 0; i < 10; i++) {
      harness.pollAndDrop();
    }
    harness.pass(SourceHarness.INTERVAL);
    harness.poll();

    assertThat(harness.lastState().getString("problem")).startsWith("1 of 1 events");
    harness.scan();
    assertThat(harness.lastState().getString("problem")).isNull();
  }

  @Test
  void saysForHowLongItsTombstonesCount() {
    harness.scan();

    assertThat(harness.lastState().getInt64("tombstoneRetentionMs"))
        .isEqualTo(SourceHarness.RETENTION.toMillis());
  }

  @Test
  void saysWhereEachScanBeganAndEnded() {
    harness.put(1, "Ada");
    harness.scan();
    long begin = harness.topic.bounds().ends().values().stream().mapToLong(l -> l).sum();
    harness.put(1, "Ada 2");
    harness.put(2, "Bob");
    harness.scan();

    List<Struct> offsets = harness.lastScan().getArray("offsets");
    assertThat(offsets.stream().mapToLong(o -> o.getInt64("begin")).sum()).isEqualTo(begin);
    assertThat(offsets.stream().mapToLong(o -> o.getInt64("end")).sum()).isEqualTo(begin + 2);
  }

  @Test
  void sendsHeartbeatsWithTheLastScanWhileItRests() {
    harness.put(1, "Ada");
    harness.scan();
    int states = harness.states().size();
    harness.pass(Duration.ofSeconds(1));
    harness.poll();
    harness.poll();

    assertThat(harness.states()).hasSize(states + 1);
    assertThat(harness.states().get(states).getInt64("heartbeatAt")).isEqualTo(harness.now());
    assertThat(harness.states().get(states).getString("valueFormat")).isEqualTo("avro");
    assertThat(harness.states().get(states).getString("valueSchema"))
        .isEqualTo(People.SCHEMA.toString());
    assertThat(harness.lastScan().getInt64("number")).isEqualTo(1);
  }

  @Test
  void sendsNoHeartbeatWhileTheTopicCannotBeRead() {
    harness.scan();
    int states = harness.states().size();
    harness.topic.setAvailable(false);
    for (int i = 0; i < 20; i++) {
      harness.pass(Duration.ofSeconds(1));
      assertThat(harness.poll()).isEmpty();
    }
    harness.topic.setAvailable(true);
    harness.put(1, "Ada");

    assertThat(ops(harness.scan())).containsExactly("c 1");
    assertThat(harness.states().size()).isGreaterThan(states);
  }

  @Test
  void sendsNoHeartbeatUntilTheStoreWasReadAgain() {
    harness.put(1, "Ada");
    harness.scan();
    harness.setStoreAvailable(false);
    harness.pass(SourceHarness.INTERVAL);
    for (int i = 0; i < 5; i++) {
      harness.poll();
    }
    int states = harness.states().size();
    for (int i = 0; i < 50; i++) {
      harness.pass(Duration.ofSeconds(1));
      harness.poll();
    }
    assertThat(harness.states()).hasSize(states);

    harness.setStoreAvailable(true);
    harness.put(2, "Bob");
    assertThat(ops(harness.scan())).containsExactly("c 2");
    assertThat(harness.states().size()).isGreaterThan(states);
  }

  /** A client's handle stays open when its store goes away: only a read fails then. */
  @Test
  void sendsNoHeartbeatWhileAnOpenStoreDoesNotAnswer() {
    harness.put(1, "Ada");
    harness.scan();
    harness.setStoreAnswers(false);
    harness.pass(SourceHarness.INTERVAL);
    for (int i = 0; i < 5; i++) {
      harness.poll();
    }
    int states = harness.states().size();
    for (int i = 0; i < 50; i++) {
      harness.pass(Duration.ofSeconds(1));
      harness.poll();
    }
    assertThat(harness.states()).hasSize(states);
    assertThat(harness.progress.outages()).isEqualTo(1);

    harness.setStoreAnswers(true);
    harness.put(2, "Bob");
    assertThat(ops(harness.scan())).containsExactly("c 2");
    assertThat(harness.states().size()).isGreaterThan(states);
  }

  @Test
  void remembersItsScansOverARestart() {
    harness.scan();
    harness.scan();
    harness.restart();
    harness.scan();

    assertThat(harness.lastScan().getInt64("number")).isEqualTo(3);
  }

  @Test
  void movesToTheEpochOfARestoredStore() {
    harness.put(1, "Ada");
    harness.scan();
    harness.restartAs("2");

    assertThat(ops(harness.scan())).containsExactly("u 1");
    harness.assertConverged();
  }

  @Test
  void forgetsTombstonesOnlyAfterTheirRetention() {
    harness.put(1, "Ada");
    harness.scan();
    harness.delete(1);
    harness.scan();
    harness.pass(SourceHarness.RETENTION.plusHours(25));
    harness.scan();
    harness.put(1, "Ada");

    List<SourceRecord> events = harness.scan();
    Struct order = ((Struct) events.get(0).value()).getStruct("source").getStruct("order");
    assertThat(order.getStruct("base").getBoolean("present")).isFalse();
    harness.assertConverged();
  }
}
