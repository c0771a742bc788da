package io.indexview.connect.s3.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.FakeChangeTopic;
import io.indexview.connect.s3.FakeLog;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.SchemaRegistries;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KnownObjectsTest {
  private static final Position NOWHERE = new Position(Map.of(), Map.of());
  private static final Duration RETENTION = Duration.ofDays(15);

  @TempDir private Path directory;
  private final ManualClock clock = new ManualClock();
  private final FakeChangeTopic topic = new FakeChangeTopic(clock);
  private final FakeLog log = new FakeLog();
  private final FileEvents events =
      new FileEvents(
          "files", new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), Set.of(), "s3", clock);
  private KnownObjects known;

  @BeforeEach
  void open() {
    topic.holds(log);
    known =
        new KnownObjects(
            new KnownObjects.Settings(directory, RETENTION),
            topic,
            SchemaRegistries.create(Map.of("schema.registry.url", FakeLog.REGISTRY)),
            new Backoff(Duration.ofSeconds(1), Duration.ofSeconds(1)),
            clock);
    // It asks which topic there is, and goes on once that is answered.
    known.materialize();
  }

  @AfterEach
  void close() {
    known.close();
  }

  private SourceRecord created(String key, long size, String sequencer) {
    return events.changeEvent(
        new ObjectEvent(
            ObjectEvent.Kind.CREATED,
            "ObjectCreated:Put",
            "documents",
            key,
            size,
            "etag-" + size,
            null,
            sequencer,
            clock.instant()),
        NOWHERE,
        done -> {});
  }

  private SourceRecord removed(String key, String sequencer) {
    return events.changeEvent(
        new ObjectEvent(
            ObjectEvent.Kind.REMOVED,
            "ObjectRemoved:Delete",
            "documents",
            key,
            null,
            null,
            null,
            sequencer,
            clock.instant()),
        NOWHERE,
        done -> {});
  }

  private static ObjectInfo object(String key, long size, String modified) {
    return new ObjectInfo(key, size, "etag-" + size, null, Instant.parse(modified));
  }

  @Test
  void materializesTheTopicWithTheOrderGuard() {
    log.append(created("a", 2, "02"));
    log.append(created("a", 1, "01"));
    log.append(removed("b", "05"));
    log.append(created("b", 4, "04"));
    known.materialize();

    assertThat(known.isCaughtUp()).isTrue();
    Known a = known.of("documents/a");
    assertThat(a.agrees(Optional.of(object("a", 2, "2020-01-01T00:00:00Z")))).isTrue();
    assertThat(a.agrees(Optional.of(object("a", 1, "2020-01-01T00:00:00Z")))).isFalse();
    assertThat(a.agrees(Optional.empty())).isFalse();
    assertThat(known.of("documents/b").agrees(Optional.empty())).isTrue();
    assertThat(known.of("documents/b").base().deleted()).isTrue();
    assertThat(known.of("documents/c").base()).isEqualTo(Known.NOTHING_KNOWN);
  }

  @Test
  void remembersWhenAnObjectWasLastModifiedWhichANotificationDoesNotTell() {
    log.append(created("a", 2, "02"));
    known.materialize();

    known.learn("documents/a", known.of("documents/a"), object("a", 2, "2020-01-01T00:00:00.400Z"));

    Known a = known.of("documents/a");
    assertThat(a.agrees(Optional.of(object("a", 2, "2020-01-01T00:00:00Z")))).isTrue();
    assertThat(a.agrees(Optional.of(object("a", 2, "2020-01-01T00:00:01Z")))).isFalse();
  }

  @Test
  void goesOnWhereItWas() {
    log.append(created("a", 1, "01"));
    known.materialize();
    known.close();
    open();
    log.append(created("b", 1, "01"));
    known.materialize();

    assertThat(known.of("documents/a").isAlive()).isTrue();
    assertThat(known.of("documents/b").isAlive()).isTrue();
    assertThat(known.gapSince()).isZero();
  }

  @Test
  void beginsAnewOnAnotherTopic() {
    log.append(created("a", 1, "01"));
    known.materialize();
    topic.become("topic-2");
    topic.holds(new FakeLog());
    clock.pass(Duration.ofSeconds(11));
    known.materialize();
    known.materialize();

    assertThat(known.of("documents/a").isAlive()).isFalse();
    assertThat(known.gapSince()).isZero();
  }

  @Test
  void materializesPartitionsThatAreAddedOnceAScanNeedsThem() {
    known.materialize();
    log.addPartition();
    for (int i = 0; i < 10; i++) {
      log.append(created("key-" + i, 1, "01"));
    }
    assertThat(topic.ends().get(1)).isPositive();
    known.materialize();
    assertThat(known.hasReached(topic.ends())).isFalse();

    known.materialize();
    assertThat(known.hasReached(topic.ends())).isTrue();
    for (int i = 0; i < 10; i++) {
      assertThat(known.of("documents/key-" + i).isAlive()).isTrue();
    }
    assertThat(known.gapSince()).isZero();
  }

  @Test
  void saysThatItMissesTheStartOfATrimmedTopic() {
    log.append(created("a", 1, "01"));
    log.trim();
    known.materialize();

    assertThat(known.gapSince()).isEqualTo(clock.millis());
    assertThat(known.of("documents/a").hasGap()).isTrue();
  }

  @Test
  void tellsOfARecordTheSameEitherWayAfterAGap() {
    log.append(created("a", 1, "01"));
    log.trim();
    log.append(created("b", 1, "01"));
    known.materialize();

    assertThat(known.after("documents/", "documents/", null, 3).objects())
        .containsOnly(Map.entry("documents/b", known.of("documents/b")));
  }

  @Test
  void isNotCaughtUpWhileTheBrokersDoNotAnswer() {
    log.append(created("a", 1, "01"));
    topic.fail(new TimeoutException("no answer"));
    known.materialize();
    assertThat(known.isCaughtUp()).isFalse();
    topic.fail(null);
    known.materialize();
    assertThat(known.isCaughtUp()).as("in the pause").isFalse();

    clock.pass(Duration.ofSeconds(1));
    known.materialize();
    assertThat(known.isCaughtUp()).isTrue();
  }

  @Test
  void waitsForAnotherTaskToCloseTheIndex() {
    known.materialize();
    KnownObjects first = known;
    open();
    known.materialize();
    assertThat(known.isCaughtUp()).isFalse();
    first.close();
    clock.pass(Duration.ofSeconds(1));
    known.materialize();
    assertThat(known.isCaughtUp()).isTrue();
  }

  @Test
  void tellsTheObjectsOfOneBucketInOrder() {
    log.append(created("a", 1, "01"));
    log.append(removed("b", "01"));
    log.append(created("c/d", 1, "01"));
    log.append(created("é", 1, "01"));
    known.materialize();

    KnownObjects.Chunk some = known.after("documents/", "documents/", null, 3);
    assertThat(some.objects()).containsOnlyKeys("documents/a", "documents/b", "documents/c/d");
    assertThat(some.end()).isEqualTo("documents/c/d");
    assertThat(known.after(some.end(), "documents/", null, 3).objects())
        .containsOnlyKeys("documents/é");
    assertThat(known.after("documents/", "documents/", "documents/b", 3).objects())
        .containsOnlyKeys("documents/a", "documents/b");
    assertThat(known.after("document/", "document/", null, 3).objects()).isEmpty();
  }

  @Test
  void forgetsOldTombstonesOfAnyKey() {
    for (int i = 0; i < 150; i++) {
      log.append(removed("key-" + i, "01"));
    }
    log.append(created("a", 1, "01"));
    known.materialize();
    assertThat(known.of("documents/key-7").base()).isNotEqualTo(Known.NOTHING_KNOWN);

    clock.pass(RETENTION.multipliedBy(2).plusSeconds(1));
    known.materialize();
    known.materialize();
    for (int i = 0; i < 150; i++) {
      assertThat(known.of("documents/key-" + i).base()).isEqualTo(Known.NOTHING_KNOWN);
    }
    assertThat(known.of("documents/a").isAlive()).isTrue();
  }
}
