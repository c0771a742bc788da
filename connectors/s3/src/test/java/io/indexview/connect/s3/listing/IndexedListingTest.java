package io.indexview.connect.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.FakeChangeTopic;
import io.indexview.connect.s3.FakeLog;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.index.Known;
import io.indexview.connect.s3.index.KnownObjects;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.notification.ObjectEvent;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectInfo;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.schemas.registry.SchemaRegistries;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Listings that compare a bucket with what was published of it. */
class IndexedListingTest {
  private static final Position NOWHERE = new Position(Map.of(), Map.of());
  private static final int OBJECTS = 2_500;
  private static final int MAX_AT_ONCE = 1_000;
  private static final int ROUNDS = 500;

  @TempDir private Path directory;
  private final ManualClock clock = new ManualClock();
  private final Backoff backoff = new Backoff(Duration.ofMillis(1), Duration.ofMillis(1));
  private final FakeLog log = new FakeLog();
  private final FakeChangeTopic topic = new FakeChangeTopic(clock);
  private final FileEvents events =
      new FileEvents(
          "files", new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN), Set.of(), "s3", clock);

  /** Somebody has asked which topic there is, so that the index follows it at once. */
  private KnownObjects known() {
    topic.idSince(clock.nanoTime());
    return new KnownObjects(
        new KnownObjects.Settings(directory, Duration.ofDays(15)),
        topic,
        SchemaRegistries.create(Map.of("schema.registry.url", FakeLog.REGISTRY)),
        backoff,
        clock);
  }

  private BucketListing listing(KnownObjects known, FakeObjectStore store) {
    return listing(ListingMode.periodic(2, Duration.ofMinutes(1)), known, store);
  }

  private BucketListing listing(ListingMode mode, KnownObjects known, FakeObjectStore store) {
    return new BucketListing(
        "documents",
        mode,
        NOWHERE,
        store,
        new ObjectReads(store, Runnable::run, () -> {}),
        topic,
        Optional.of(known),
        events,
        backoff,
        clock);
  }

  @Test
  void isGivenUpInTheEndWhenNobodyMayReadADifference() {
    topic.holds(log);
    FakeObjectStore store = new FakeObjectStore();
    for (String key : List.of("a", "b", "c")) {
      store.put("documents", key, 5);
    }
    store.refuse("a");
    try (KnownObjects known = known()) {
      known.materialize();
      BucketListing listing = listing(known, store);
      Set<Object> published = new HashSet<>();
      for (int i = 0; i < ROUNDS && !listing.isGivenUp(); i++) {
        assertThat(listing.completed()).isEmpty();
        clock.pass(Duration.ofMinutes(1));
        listing
            .next()
            .forEach(
                record -> {
                  published.add(record.key());
                  log.deliver(record);
                });
      }

      assertThat(published).containsExactlyInAnyOrder("documents/b", "documents/c");
      assertThat(listing.isGivenUp()).isTrue();
      assertThat(listing.completed()).isEmpty();
      assertThat(listing.problem().orElseThrow()).contains("1 objects of bucket documents");
    }
  }

  @Test
  void tellsWhatItWaitsForWhileItsIndexCannotBeUsed() {
    topic.holds(log);
    KnownObjects holder = known();
    try (KnownObjects known = known()) {
      holder.materialize();
      BucketListing listing = listing(known, new FakeObjectStore());
      assertThat(listing.next()).isEmpty();
      assertThat(listing.outage()).isEmpty();
      clock.pass(Duration.ofMinutes(5));
      assertThat(listing.next()).isEmpty();

      assertThat(listing.outage().orElseThrow()).contains("bucket documents", directory.toString());
      holder.close();
      clock.pass(Duration.ofMinutes(1));
      listing.next();
      listing.next();
      assertThat(listing.outage()).isEmpty();
    }
  }

  @Test
  void tellsThatS3DoesNotAnswer() {
    topic.holds(log);
    FakeObjectStore store = new FakeObjectStore();
    store.fail(new AwsRequestException.Unavailable("no network", null));
    try (KnownObjects known = known()) {
      BucketListing listing = listing(known, store);
      for (int minute = 0; minute < 6; minute++) {
        listing.next();
        clock.pass(Duration.ofMinutes(1));
      }

      assertThat(listing.outage().orElseThrow()).contains("no network");
    }
  }

  /** A rule expired them, and no notification came. */
  @Test
  void findsManyRemovalsALittleAtATime() {
    topic.holds(log);
    for (int i = 0; i < OBJECTS; i++) {
      ObjectInfo object = new ObjectInfo("key-" + i, 1, "etag", null, clock.instant());
      log.append(
          events.snapshotRead(
              "documents",
              object.key(),
              Known.NONE,
              Optional.of(object),
              true,
              NOWHERE,
              done -> {}));
    }
    try (KnownObjects known = known()) {
      BucketListing listing = listing(known, new FakeObjectStore());
      known.materialize();

      assertThat(listing.next()).isEmpty();
      assertThat(listing.differences()).isEqualTo(MAX_AT_ONCE);
      Set<Object> gone = new HashSet<>();
      for (int i = 0; i < ROUNDS && listing.completed().isEmpty(); i++) {
        clock.pass(Duration.ofMinutes(1));
        listing
            .next()
            .forEach(
                record -> {
                  gone.add(record.key());
                  log.deliver(record);
                });
      }
      assertThat(gone).hasSize(OBJECTS);
      assertThat(listing.completed()).isPresent();
    }
  }

  @Test
  void readsNoDifferenceThatSomebodySentMeanwhile() {
    topic.holds(log);
    FakeObjectStore store = new FakeObjectStore();
    store.put("documents", "a", 5);
    store.put("documents", "b", 5);
    try (KnownObjects known = known()) {
      known.materialize();
      BucketListing listing = listing(known, store);
      assertThat(listing.next()).isEmpty();
      clock.setBack(Duration.ofHours(1));
      ObjectInfo notified = new ObjectInfo("a", 4, "etag-4", null, clock.instant());
      log.append(
          events.snapshotRead(
              "documents", "a", Known.NONE, Optional.of(notified), false, NOWHERE, done -> {}));
      clock.pass(Duration.ofMinutes(1));
      known.materialize();

      assertThat(listing.next()).extracting(SourceRecord::key).containsExactly("documents/b");
      assertThat(store.heads()).isOne();
    }
  }

  @Test
  void namesInAnAdHocSnapshotWhatItKnowsToBeDeleted() {
    topic.holds(log);
    FakeObjectStore store = new FakeObjectStore();
    store.put("documents", "b", 5);
    try (KnownObjects known = known()) {
      for (String key : List.of("a", "b", "c")) {
        log.append(
            events.snapshotRead(
                "documents", key, Known.NONE, Optional.empty(), false, NOWHERE, done -> {}));
      }
      BucketListing listing = listing(ListingMode.adHoc(2, 1), known, store);

      assertThat(finish(listing))
          .extracting(SourceRecord::key)
          .containsExactlyInAnyOrder("documents/a", "documents/b", "documents/c");
      assertThat(listing.completed()).isPresent();
    }
  }

  /** What asks for it compares both times, and would list again. */
  @Test
  void beginsNoAdHocSnapshotBeforeTheIndexLostTheStartOfTheTopic() {
    FakeLog trimmed = new FakeLog(1);
    topic.holds(trimmed);
    FakeObjectStore store = new FakeObjectStore();
    store.put("documents", "a", 5);
    try (KnownObjects known = known()) {
      known.materialize();
      clock.setBack(Duration.ofHours(1));
      BucketListing listing = listing(ListingMode.adHoc(2, 1), known, store);
      for (int i = 0; i < ROUNDS && listing.completed().isEmpty(); i++) {
        listing.next().forEach(trimmed::deliver);
      }

      assertThat(listing.completed().orElseThrow().startedAtMs()).isEqualTo(known.gapSince());
    }
  }

  /** A base that was superseded before the listing began would let no later listing find a way. */
  @Test
  void knowsWhatWasSentBeforeItBegan() {
    topic.holds(log);
    FakeObjectStore store = new FakeObjectStore();
    store.put("documents", "a", 5);
    try (KnownObjects known = known()) {
      known.materialize();
      ObjectEvent notified =
          new ObjectEvent(
              ObjectEvent.Kind.CREATED,
              "ObjectCreated:Put",
              "documents",
              "a",
              4L,
              "etag-4",
              null,
              "02",
              clock.instant());
      log.append(events.changeEvent(notified, NOWHERE, done -> {}));
      BucketListing listing = listing(ListingMode.adHoc(2, 1), known, store);
      List<SourceRecord> published = new ArrayList<>();
      for (int i = 0; i < ROUNDS && published.isEmpty(); i++) {
        published.addAll(listing.next());
      }

      Struct source = ((Struct) published.get(0).value()).getStruct("source");
      assertThat(source.getStruct("order").getStruct("base").get("sequence")).isNotNull();
    }
  }

  /** Nobody asked for hours which topic there is. */
  @Test
  void goesByTheTopicThatThereIsWhenItBegins() {
    topic.holds(log);
    FakeObjectStore store = new FakeObjectStore();
    store.put("documents", "b", 5);
    try (KnownObjects known = known()) {
      log.append(
          events.snapshotRead(
              "documents", "a", Known.NONE, Optional.empty(), false, NOWHERE, done -> {}));
      known.materialize();
      log.recreate();
      topic.become("topic-2");
      log.append(
          events.snapshotRead(
              "documents", "c", Known.NONE, Optional.empty(), false, NOWHERE, done -> {}));
      BucketListing listing = listing(ListingMode.adHoc(2, 1), known, store);

      assertThat(finish(listing))
          .extracting(SourceRecord::key)
          .containsExactlyInAnyOrder("documents/b", "documents/c");
      assertThat(listing.completed().orElseThrow().begins()).isEqualTo(Map.of(0, 1L));
    }
  }

  /** What Kafka has of a listing until it is complete. */
  private List<SourceRecord> finish(BucketListing listing) {
    List<SourceRecord> published = new ArrayList<>();
    for (int i = 0; i < ROUNDS && listing.completed().isEmpty(); i++) {
      for (SourceRecord record : listing.next()) {
        published.add(record);
        log.deliver(record);
      }
    }
    return published;
  }
}
