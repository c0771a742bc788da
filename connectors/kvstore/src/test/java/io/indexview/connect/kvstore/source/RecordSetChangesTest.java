package io.indexview.connect.kvstore.source;

import static io.indexview.connect.kvstore.source.People.ops;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import io.indexview.connect.kvstore.config.KvRecordSet;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.fixtures.LogLines;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class RecordSetChangesTest extends ChangeCaptureScenario {
  private List<SourceRecord> soon() {
    return eventsOf(SourceHarness.DELAY.plusMillis(5));
  }

  private static KvRecordSet of(ValueFormat format, Schema schema) {
    return new KvRecordSet(
        "people", People.RECORD_SET.keys(), People.TOPIC, ValueConfig.of(format, schema));
  }

  private long scans() {
    return harness.lastScan().getInt64("number");
  }

  private Struct feed() {
    return harness.lastState().getStruct("changeFeed");
  }

  @Test
  void publishesWhatChangesWithoutAScan() {
    harness.put(1, "Ada");
    harness.put(2, "Bob");
    harness.scan();

    harness.put(1, "Ada Lovelace");
    harness.delete(2);
    harness.put(3, "Cy");

    assertThat(ops(soon())).containsExactly("c 3", "d 2", "u 1");
    assertThat(scans()).isEqualTo(1);
    harness.assertConverged();
  }

  @Test
  void readsAKeyOnceThatChangesAgainAndAgain() {
    harness.scan();
    for (int i = 0; i < 10; i++) {
      harness.put(1, "Ada " + i);
    }

    assertThat(ops(soon())).containsExactly("c 1");
    harness.assertConverged();
  }

  @Test
  void publishesNothingForAChangeThatWasUndoneOrThatAWriterPublished() {
    harness.put(1, "Ada");
    harness.scan();
    harness.changes.changed(People.key(1));
    KvVersion version = harness.put(2, "Bob");
    harness.tell(People.key(2).toString(), harness.version(version), "Bob");

    assertThat(soon()).isEmpty();
    harness.assertConverged();
  }

  @Test
  void findsAWriteThatCameBeforeALateEventOfAnotherShard() {
    harness.put(1, "Ada");
    harness.scan();
    harness.tell(
        People.key(1).toString(), new SourceVersion("1/gone", new byte[] {9}), "Of long ago");

    assertThat(ops(soon())).containsExactly("u 1");
    harness.assertConverged();
  }

  @Test
  void readsAgainWhatTheIndexDidNotTakeFromARead() {
    harness.put(1, "Ada");
    harness.scan();
    harness.put(1, "Ada Lovelace");
    harness.pass(SourceHarness.DELAY);
    List<SourceRecord> read = new ArrayList<>();
    while (ops(read).isEmpty()) {
      read.addAll(harness.pollAndLose());
      harness.pass(Duration.ofMillis(1));
    }
    harness.tell(
        People.key(1).toString(), new SourceVersion("1/gone", new byte[] {9}), "Of long ago");
    read.forEach(harness::produce);

    assertThat(ops(soon())).containsExactly("u 1");
    harness.assertConverged();
  }

  @Test
  void scansForHoursOnlyWhileTheStoreProvesThatEveryChangeWasNamed() {
    harness.scan();
    assertThat(eventsOf(SourceHarness.MAX_INTERVAL.multipliedBy(2))).isEmpty();
    assertThat(scans()).isEqualTo(1);

    harness.pass(SourceHarness.SCAN_INTERVAL);
    eventsOf(Duration.ofSeconds(1));

    assertThat(scans()).isEqualTo(2);
  }

  @Test
  void provesThatEveryChangeBeforeATimeIsOnTheTopic() {
    harness.scan();
    assertThat(eventsOf(Duration.ofSeconds(2))).isEmpty();
    long quiet = feed().getInt64("provenUntil");
    harness.put(1, "Ada");
    long written = harness.now();
    harness.pass(Duration.ofMillis(1));
    List<SourceRecord> read = new ArrayList<>();
    while (ops(read).isEmpty()) {
      read.addAll(harness.pollAndLose());
      harness.pass(Duration.ofMillis(1));
    }
    assertThat(quiet).isPositive();
    assertThat(eventsOf(Duration.ofSeconds(2))).isEmpty();
    assertThat(feed().getInt64("provenUntil"))
        .as("its event is on its way")
        .isLessThanOrEqualTo(written);

    read.forEach(harness::produce);
    eventsOf(Duration.ofSeconds(2));

    assertThat(feed().getInt64("provenUntil")).isGreaterThan(written);
    assertThat(harness.lastState().getStruct("changeFeed").<Struct>getArray("ends"))
        .extracting(end -> end.getInt64("end"))
        .containsExactlyInAnyOrderElementsOf(harness.topic.bounds().ends().values());
  }

  @Test
  void scansAfterAGap() {
    harness.put(1, "Ada");
    harness.scan();
    harness.put(1, "Ada Lovelace");
    harness.delete(1);
    harness.put(2, "Bob");
    harness.changes.lose();

    assertThat(ops(eventsOf(SourceHarness.INTERVAL.plusSeconds(2)))).containsExactly("c 2", "d 1");
    assertThat(scans()).isEqualTo(2);
    harness.assertConverged();
  }

  @Test
  void claimsNothingBetweenAGapAndTheEndOfTheScanAfterIt() {
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    long before = feed().getInt64("provenUntil");
    harness.put(1, "Ada");
    harness.changes.lose();
    harness.setStoreAvailable(false);
    eventsOf(Duration.ofSeconds(5));
    assertThat(feed().getInt64("provenUntil")).isLessThanOrEqualTo(before);

    harness.setStoreAvailable(true);
    eventsOf(SourceHarness.INTERVAL);
    assertThat(feed().getInt64("provenUntil")).isGreaterThan(before);
    harness.assertConverged();
  }

  @Test
  void scansAsBeforeWhileChangesCannotBeFollowedAndSaysWhy() {
    harness.scan();
    harness.changes.setAvailable(false);
    harness.put(1, "Ada");

    assertThat(ops(eventsOf(SourceHarness.MAX_INTERVAL))).containsExactly("c 1");
    assertThat(scans()).isGreaterThan(1);
    assertThat(feed().getString("problem")).contains("no changes now");

    harness.changes.setAvailable(true);
    eventsOf(Duration.ofSeconds(2));
    harness.put(2, "Bob");
    assertThat(ops(soon())).containsExactly("c 2");
    eventsOf(Duration.ofSeconds(2));
    assertThat(feed().getString("problem")).isNull();
    harness.assertConverged();
  }

  /** A shard gets another master, and nothing is missed. */
  @Test
  void makesNoScanForAFailover() {
    harness.put(1, "Ada");
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    harness.changes.setAvailable(false);
    harness.put(2, "Bob");
    assertThat(eventsOf(Duration.ofSeconds(12))).isEmpty();

    harness.changes.setAvailable(true);
    assertThat(ops(eventsOf(SourceHarness.INTERVAL))).containsExactly("c 2");
    assertThat(scans()).isEqualTo(1);
    harness.assertConverged();
  }

  /** Values that carry the id of a schema cannot be decoded meanwhile. */
  @Test
  void readsWhatChangesNamedAgainWhenTheRegistryAnswersAgain() {
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    harness.setRegistryAnswers(false);
    harness.put(1, "Ada");
    harness.put(2, "Bob");
    long written = harness.now();
    assertThat(eventsOf(Duration.ofSeconds(2))).isEmpty();

    harness.setRegistryAnswers(true);
    assertThat(ops(eventsOf(SourceHarness.INTERVAL))).containsExactly("c 1", "c 2");
    assertThat(scans()).isEqualTo(1);
    assertThat(feed().getInt64("provenUntil")).isGreaterThan(written);
    harness.assertConverged();
  }

  /** It is the changes that show it: no scan comes for hours. */
  @Test
  void knowsThatAnOutageIsOverAndTheNextOneIsAnother() {
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    for (int outage = 1; outage <= 2; outage++) {
      harness.put(outage, "Ada");
      harness.setStoreAvailable(false);
      eventsOf(Duration.ofSeconds(2));
      assertThat(harness.progress.outages()).isEqualTo(outage);

      harness.setStoreAvailable(true);
      assertThat(ops(eventsOf(SourceHarness.INTERVAL))).containsExactly("c " + outage);
    }
    assertThat(scans()).isEqualTo(1);
  }

  @Test
  void scansWhereTheStoreCannotTellChangesAndFollowsThemOnceItCan() {
    harness.changes.setUnsupported("it is too old; use a newer one");
    harness.restart();
    harness.put(1, "Ada");

    try (LogLines warnings = LogLines.warnings(FollowedChanges.class)) {
      assertThat(ops(harness.scan())).containsExactly("r 1");
      assertThat(feed().getString("problem")).contains("too old");
      assertThat(harness.scan()).isEmpty();
      assertThat(warnings.get()).singleElement().asString().contains("not followed", "too old");
    }

    harness.changes.setUnsupported(null);
    harness.scan();
    eventsOf(SourceHarness.INTERVAL);
    assertThat(feed().getString("problem")).isNull();
    harness.put(2, "Bob");
    assertThat(ops(soon())).containsExactly("c 2");
  }

  @Test
  void failsWhereOnlyChangesAreWantedAndTheStoreCannotTellThem() {
    harness.changes.setUnsupported("it is too old; use a newer one");
    harness.setMode(CaptureMode.SUBSCRIPTION);
    harness.restart();

    assertThatThrownBy(() -> eventsOf(Duration.ofSeconds(1)))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("capture.mode=subscription")
        .hasMessageContaining("too old");
  }

  @Test
  void goesOnAfterARestartWhereItWasWithoutAScan() {
    harness.put(1, "Ada");
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    harness.restart();
    harness.put(1, "Ada Lovelace");
    harness.restart();
    harness.put(2, "Bob");
    long scans = scans();

    assertThat(ops(eventsOf(Duration.ofSeconds(2)))).containsExactly("c 2", "u 1");
    assertThat(scans()).isEqualTo(scans);
    harness.assertConverged();
  }

  @Test
  void scansAfterARestartIfItsOffsetOrItsKeysAreOthers() {
    harness.put(1, "Ada");
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    harness.restartAs("2");
    eventsOf(Duration.ofSeconds(2));
    assertThat(scans()).isEqualTo(2);

    harness.forgetOffsets();
    eventsOf(Duration.ofSeconds(2));
    assertThat(scans()).isEqualTo(1);
    assertThat(harness.lastScan().getBoolean("adHoc")).isTrue();
  }

  /**
   * What could not be read may be readable now; no change names it, and no scan comes for hours.
   */
  @Test
  void scansAfterARestartIfItReadsValuesOtherwise() {
    harness.close();
    harness = new SourceHarness(directory, of(ValueFormat.JSON, People.SCHEMA));
    harness.setMode(CaptureMode.AUTO);
    harness.restart();
    harness.store.put(
        People.key(1),
        "{\"name\": \"Ada\", \"org\": \"Support\", \"age\": 36}".getBytes(StandardCharsets.UTF_8));
    assertThat(ops(harness.scan())).containsExactly("d 1");
    eventsOf(Duration.ofSeconds(2));
    harness.restart();
    assertThat(eventsOf(Duration.ofSeconds(2))).isEmpty();

    harness.restartWith(
        of(
            ValueFormat.JSON,
            SchemaBuilder.record("Person")
                .namespace("test")
                .fields()
                .requiredString("name")
                .requiredString("org")
                .optionalInt("age")
                .endRecord()));
    assertThat(ops(eventsOf(Duration.ofSeconds(2)))).containsExactly("c 1");
    harness.assertConverged();
  }

  /** Each heartbeat has another position in the changes by then. */
  @Test
  void knowsOfItsScanWhereKafkaIsSlowerThanHeartbeats() {
    Queue<SourceRecord> states = new ArrayDeque<>();
    boolean isPublishedAgain = false;
    for (int beats = 0; beats < 100 && !isPublishedAgain; beats++) {
      harness.put(beats, "Ada");
      for (int polls = 0; polls < 20; polls++) {
        harness.pass(SourceHarness.HEARTBEAT.dividedBy(20));
        for (SourceRecord record : harness.pollAndLose()) {
          if (record.topic().equals(SourceHarness.STATES)) {
            states.add(record);
          } else {
            harness.produce(record);
          }
        }
      }
      if (states.size() > 1) {
        harness.produce(states.remove());
        harness.request(1);
        isPublishedAgain = harness.lastAdHocSnapshot() != null;
      }
    }
    assertThat(isPublishedAgain).isTrue();
  }

  private void scanThatTakesSecondsFromNowOn() {
    for (int i = 0; i < 40; i++) {
      harness.put(i, "Ada");
    }
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    harness.setRate(20, 10);
    harness.restart();
    eventsOf(Duration.ofSeconds(1));
  }

  /** What was changed meanwhile does not wait for the scan, which takes seconds. */
  @Test
  void goesOnInTheChangesWhileItScansAsItReadsValuesOtherwise() {
    scanThatTakesSecondsFromNowOn();
    harness.put(9, "Ada of now");
    Schema documented = new Schema.Parser().parse(People.SCHEMA.toString());
    documented.addProp("owner", "somebody");
    harness.restartWith(of(ValueFormat.AVRO, documented));

    assertThat(ops(eventsOf(Duration.ofMillis(500)))).containsExactly("u 9");
    assertThat(harness.lastScan().getInt64("number")).isEqualTo(1);
    eventsOf(Duration.ofSeconds(10));
    assertThat(harness.lastScan().getInt64("number")).isEqualTo(2);
    harness.assertConverged();
  }

  @Test
  void readsByChangesGoOnWhileAScanIsSlow() {
    scanThatTakesSecondsFromNowOn();
    harness.pass(SourceHarness.SCAN_INTERVAL);
    harness.changes.lose();
    harness.put(7, "Ada of now");
    List<SourceRecord> events = eventsOf(Duration.ofMillis(500));

    assertThat(ops(events)).containsExactly("u 7");
    assertThat(harness.lastScan().getInt64("number")).as("it takes seconds").isEqualTo(1);
    harness.assertConverged();
  }

  @Test
  void obeysTheRateOfReads() {
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    harness.setRate(10, 10);
    harness.restart();
    eventsOf(Duration.ofSeconds(1));
    for (int i = 0; i < 50; i++) {
      harness.put(i, "Ada");
    }

    assertThat(eventsOf(Duration.ofSeconds(2)).size()).isBetween(15, 31);
    assertThat(eventsOf(Duration.ofSeconds(4)).size()).isBetween(15, 36);
    harness.assertConverged();
  }

  @Test
  void makesNoScanWhereItIsBehindWithWhatChangesName() {
    harness.scan();
    eventsOf(Duration.ofSeconds(2));
    harness.setRate(10, 10);
    harness.restart();
    eventsOf(Duration.ofSeconds(1));
    for (int i = 0; i < 800; i++) {
      harness.put(i, "Ada");
    }

    assertThat(eventsOf(SourceHarness.MAX_INTERVAL.multipliedBy(2))).hasSize(800);
    assertThat(eventsOf(SourceHarness.MAX_INTERVAL.multipliedBy(4))).isEmpty();
    assertThat(scans()).isEqualTo(1);
    harness.assertConverged();
  }

  @Test
  void waitsWithReadsUntilAnAdHocSnapshotHasPutAppAndIndexInStep() {
    harness.put(1, "Ada");
    harness.scan();
    harness.request(1);
    SourceRecord complete = harness.pollUntilAdHocSnapshot();
    harness.put(2, "Bob");
    for (int i = 0; i < 40; i++) {
      harness.pass(Duration.ofMillis(1));
      assertThat(harness.poll()).noneMatch(record -> record.topic().equals(People.TOPIC));
    }
    harness.produce(complete);

    assertThat(ops(soon())).containsExactly("c 2");
    harness.assertConverged();
  }
}
