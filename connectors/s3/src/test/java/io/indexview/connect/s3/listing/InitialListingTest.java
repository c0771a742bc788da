package io.indexview.connect.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.control.SourceState.Scan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class InitialListingTest extends ListingScenario {
  private static final int PAGE = 1_000;

  private final BucketListing listing = listing();

  InitialListingTest() {
    super(
        ListingMode.initial(),
        new Position(Map.of("bucket", "documents"), Map.of("complete", false)),
        new Backoff(Duration.ofMillis(1), Duration.ofMillis(2)));
  }

  @Test
  void isNotCompleteBeforeSomebodyMayReadEveryObject() {
    for (String key : List.of("a_1", "b_2", "c_3")) {
      store.put("documents", key, 5);
    }
    store.refuse("a_1");
    BucketListing listing = reading(store);

    List<SourceRecord> records = all(listing);
    assertThat(records)
        .extracting(SourceRecord::key)
        .containsExactly("documents/b_2", "documents/c_3");
    records.forEach(record -> acknowledge(record, 0));
    assertThat(all(listing)).isEmpty();
    assertThat(listing.completed()).isEmpty();
    assertThat(listing.problem().orElseThrow())
        .contains("1 objects of bucket documents", "a_1", "s3:GetObject");

    clock.pass(Duration.ofMinutes(1));
    assertThat(all(listing)).as("still refused").isEmpty();
    store.allow("a_1");
    assertThat(all(listing)).as("in the pause").isEmpty();
    clock.pass(Duration.ofMinutes(1));
    store.failHeads("a_1", 1);
    assertThat(all(listing)).as("not answered").isEmpty();
    clock.pass(Duration.ofMinutes(1));
    List<SourceRecord> late = all(listing);
    assertThat(late).extracting(SourceRecord::key).containsExactly("documents/a_1");
    assertThat(all(listing)).isEmpty();
    assertThat(listing.completed()).isEmpty();
    acknowledge(late.get(0), 4);

    assertThat(all(listing)).isEmpty();
    assertThat(listing.completed().orElseThrow().records()).isEqualTo(3);
    assertThat(listing.problem()).isEmpty();
  }

  @Test
  void isCompleteWhenWhatNobodyMayReadIsGone() {
    store.put("documents", "a_1", 5);
    store.refuse("a_1");
    BucketListing listing = reading(store);
    assertThat(all(listing)).isEmpty();
    assertThat(listing.completed()).isEmpty();

    store.allow("a_1");
    store.remove("documents", "a_1");
    clock.pass(Duration.ofMinutes(1));
    assertThat(all(listing)).isEmpty();

    assertThat(listing.completed()).isPresent();
  }

  /** More than it remembers, before another object. */
  @Test
  void goesOnBehindAnyNumberOfObjectsThatNobodyMayRead() {
    FakeObjectStore store = new FakeObjectStore(PAGE);
    int refused = 10_005;
    for (int i = 0; i < refused; i++) {
      String key = "denied/%06d".formatted(i);
      store.put("documents", key, 5);
      store.refuse(key);
    }
    store.put("documents", "open/a_1", 5);
    BucketListing listing = reading(store);

    assertThat(step(listing, 20)).containsExactly("documents/open/a_1");
    assertThat(listing.completed()).isEmpty();
    assertThat(listing.problem().orElseThrow()).contains(refused + " objects of bucket documents");

    for (int i = 0; i < refused; i++) {
      store.allow("denied/%06d".formatted(i));
    }
    assertThat(step(listing, 300)).hasSizeGreaterThanOrEqualTo(refused);
    assertThat(listing.completed()).isPresent();
    assertThat(listing.problem()).isEmpty();
  }

  /** The keys that it finds, and that Kafka has. */
  private Set<Object> step(BucketListing listing, int steps) {
    Set<Object> found = new HashSet<>();
    for (int i = 0; i < steps; i++) {
      for (SourceRecord record : listing.next()) {
        found.add(record.key());
        acknowledge(record, 0);
      }
      clock.pass(Duration.ofMinutes(1));
    }
    return found;
  }

  private List<SourceRecord> all() {
    return all(listing);
  }

  private static List<SourceRecord> all(BucketListing listing) {
    List<SourceRecord> all = new ArrayList<>();
    for (List<SourceRecord> page = listing.next(); !page.isEmpty(); page = listing.next()) {
      all.addAll(page);
    }
    return all;
  }

  @Test
  void beginsAnewWhenARecordDidNotReachKafka() {
    for (String key : List.of("a_1", "b_2", "c_3")) {
      store.put("documents", key, 5);
    }
    List<SourceRecord> records = all();
    acknowledge(records.get(0), 0);
    ((TrackedRecord) records.get(1)).acknowledged(null);
    acknowledge(records.get(2), 1);

    assertThat(listing.problem()).isEmpty();
    assertThat(all()).isEmpty();
    assertThat(listing.completed()).isEmpty();
    assertThat(listing.problem().orElseThrow())
        .startsWith("1 of 3 records of the listing of bucket documents did not reach Kafka")
        .contains("transformation", "take it away");
    assertThat(all()).as("in the pause").isEmpty();
    clock.pass(Duration.ofMinutes(1));
    long again = clock.millis();
    List<SourceRecord> repeated = all();
    assertThat(repeated)
        .extracting(SourceRecord::key)
        .containsExactly("documents/a_1", "documents/b_2", "documents/c_3");
    for (int i = 0; i < repeated.size(); i++) {
      assertThat(all()).isEmpty();
      assertThat(listing.completed()).isEmpty();
      acknowledge(repeated.get(i), 2 + i);
    }

    assertThat(all()).isEmpty();
    Scan scan = listing.completed().orElseThrow();
    assertThat(scan.records()).isEqualTo(3);
    assertThat(scan.startedAtMs()).isEqualTo(again);
    assertThat(scan.ends()).isEqualTo(Map.of(0, 5L));
  }
}
