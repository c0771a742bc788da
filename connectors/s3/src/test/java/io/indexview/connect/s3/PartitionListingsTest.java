package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.Scan;
import io.indexview.connect.common.source.Scans;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.queue.FakeEventQueue;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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

  @BeforeEach
  void isListedJustNow() {
    topic.holds(new FakeLog());
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
                "s3.listing.interval.ms", Long.toString(INTERVAL.toMillis()),
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
    Scan scan = new Scan(1, now, now, 1, false, 0, null, Map.of(), Map.of());
    bucket =
        new PartitionListings(
                config,
                new SourceClients(
                    new FakeEventQueue(clock), objects, topic, registry, Optional.of(known)),
                new ObjectReads(objects, Runnable::run, () -> {}),
                Map.of("documents", new ListingOffset("topic-1", Scans.NONE.and(scan))),
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
}
