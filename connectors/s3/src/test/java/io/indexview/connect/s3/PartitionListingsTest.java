package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.Scans;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.queue.FakeEventQueue;
import io.indexview.schemas.control.SourceState.Scan;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** When a bucket that was listed is listed again. */
class PartitionListingsTest {
  private static final Duration INTERVAL = Duration.ofHours(6);
  private static final Duration PAUSE = Duration.ofMillis(1);

  @TempDir private Path directory;
  private final ManualClock clock = new ManualClock();
  private final FakeObjectStore objects = new FakeObjectStore();
  private final FakeChangeTopic topic = new FakeChangeTopic(clock);
  private KnownObjects known;
  private PartitionListing bucket;
  private boolean eventsWait = true;

  @BeforeEach
  void isListedJustNow() {
    topic.holds(new FakeLog());
    open(INTERVAL);
  }

  private void open(Duration interval) {
    SchemaRegistry registry =
        SchemaRegistries.create(Map.of("schema.registry.url", FakeLog.REGISTRY));
    Map<String, String> properties =
        new HashMap<>(
            Map.of(
                "source.name", "files",
                "s3.topic", "files",
                "aws.region", "eu-central-1",
                "sqs.queue.url", "http://localhost:9324/queue/events",
                "s3.buckets", "documents",
                "s3.listing.interval.ms", Long.toString(interval.toMillis()),
                "index.dir", directory.toString(),
                "kafka.bootstrap.servers", "127.0.0.1:1",
                "schema.registry.url", FakeLog.REGISTRY));
    S3SourceTaskConfig config =
        new S3SourceTaskConfig(
            S3SourceTaskConfig.taskProperties(properties, List.of("documents"), 0, 1));
    known =
        new KnownObjects(
            config.index().orElseThrow(), topic, registry, new Backoff(PAUSE, PAUSE), clock);
    long now = clock.millis();
    Scan scan = new Scan(1, now, now, 1, false, 0, Optional.empty(), Map.of(), Map.of());
    bucket =
        new PartitionListings(
                config,
                new SourceClients(
                    new FakeEventQueue(clock), objects, topic, registry, Optional.of(known)),
                new ObjectReads(objects, Runnable::run, () -> {}),
                Map.of("documents", new ListingOffset("topic-1", Scans.NONE.and(scan))),
                () -> eventsWait,
                clock)
            .sourcePartitions()
            .get(0);
  }

  @AfterEach
  void closeIndex() {
    known.close();
  }

  /** For so much less than the interval that no other listing is due. */
  private void listForAnHour() {
    for (int minute = 0; minute < 60; minute++) {
      // The first call asks which topic there is.
      bucket.list(clock.instant());
      bucket.list(clock.instant());
      clock.pass(Duration.ofMinutes(1));
    }
  }

  @Test
  void isListedAgainAfterTheInterval() {
    listForAnHour();
    assertThat(objects.listings()).isZero();

    clock.pass(INTERVAL);
    listForAnHour();

    assertThat(objects.listings()).isPositive();
  }

  /** Nobody knows how long ago the last one was. */
  @Test
  void isListedWhenTheLastListingIsToCome() {
    clock.setBack(INTERVAL);
    listForAnHour();

    assertThat(objects.listings()).isPositive();
  }

  /** What is known of the topic before says nothing about this one, which may look complete. */
  @Test
  void isListedFromItsStartForATopicThatCameInTheMiddleOfAListing() {
    objects.put("documents", "a", 5);
    clock.pass(INTERVAL);
    list();
    assertThat(objects.listings()).as("a listing that waits for its grace").isOne();
    topic.holds(new FakeLog());
    topic.become("topic-2");
    clock.pass(Duration.ofSeconds(11));

    assertThat(list())
        .extracting(SourceRecord::key, record -> ((Struct) record.value()).getString("op"))
        .containsExactly(tuple("documents/a", "r"));
  }

  private List<SourceRecord> list() {
    return Stream.generate(() -> bucket.list(clock.instant()))
        .limit(5)
        .flatMap(List::stream)
        .toList();
  }

  @Test
  void isListedOnlyOnceThoughThatCannotBeCompleted() {
    objects.put("documents", "a", 5);
    objects.refuse("a");
    clock.setBack(INTERVAL.multipliedBy(2));
    listForAnHour();
    assertThat(bucket.isHindered()).isTrue();
    int listings = objects.listings();

    listForAnHour();

    assertThat(objects.listings()).isEqualTo(listings);
  }

  /** Only events without a sequencer need it then. */
  @Test
  void saysThatTheIndexCannotBeUsedAlsoWhenNothingIsListedAgain() {
    KnownObjects holder = known;
    materializeUntil(Duration.ZERO);
    open(Duration.ZERO);
    materializeUntil(Duration.ofMinutes(4));
    assertThat(problem(report())).isNull();
    materializeUntil(Duration.ofMinutes(2));

    SourceRecord state = report();

    assertThat(problem(state)).contains("index.dir", directory.toString(), "sequencer");
    assertThat(ListingOffset.fromMap(state.sourceOffset()).problem()).isNull();
    holder.close();
    materializeUntil(Duration.ofMinutes(1));
    assertThat(problem(report())).isNull();
  }

  /** The session materializes then whether or not an event waits. */
  @Test
  void doesNotSayThatEventsWaitForTheIndexWhenNoneDoes() {
    KnownObjects holder = known;
    materializeUntil(Duration.ZERO);
    open(INTERVAL);
    eventsWait = false;
    materializeUntil(Duration.ofMinutes(6));
    assertThat(problem(report())).isNull();

    eventsWait = true;
    materializeUntil(Duration.ZERO);

    assertThat(problem(report())).contains("index.dir", "sequencer");
    holder.close();
  }

  /** As the session does while an event waits. */
  private void materializeUntil(Duration passed) {
    for (long minute = 0; minute <= passed.toMinutes(); minute++) {
      clock.pass(Duration.ofMinutes(1));
      // The first call asks which topic there is.
      known.materialize();
      known.materialize();
      list();
    }
  }

  private SourceRecord report() {
    return bucket.report(clock.instant(), true, Optional::empty).orElseThrow();
  }

  private static String problem(SourceRecord state) {
    return ((Struct) state.value()).getString("problem");
  }
}
