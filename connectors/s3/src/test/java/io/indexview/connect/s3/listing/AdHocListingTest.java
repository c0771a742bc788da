package io.indexview.connect.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.client.AwsRequestException;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.record.TrackedRecord;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.control.SourceState.Scan;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

class AdHocListingTest extends ListingScenario {
  private static final int ROUNDS = 100;

  private final List<String> sent = new ArrayList<>();
  private BucketListing listing = listing();

  AdHocListingTest() {
    super(
        ListingMode.adHoc(2, 9),
        new Position(Map.of(), Map.of()),
        new Backoff(Duration.ofMillis(100), Duration.ofSeconds(10)));
  }

  private List<SourceRecord> next() {
    List<SourceRecord> records = listing.next();
    for (SourceRecord record : records) {
      Struct value = (Struct) record.value();
      Struct file = value.getStruct("after");
      sent.add(record.key() + " " + (file == null ? "gone" : file.getInt64("size").toString()));
    }
    return records;
  }

  private static void acknowledge(List<SourceRecord> records) {
    records.forEach(record -> acknowledge(record, 20));
  }

  private Scan finish() {
    goOn();
    return listing.completed().orElseThrow();
  }

  private void goOn() {
    for (int i = 0; i < ROUNDS && listing.completed().isEmpty(); i++) {
      clock.pass(Duration.ofSeconds(1));
      acknowledge(next());
    }
  }

  @Test
  void isCompleteThoughABrokerDoesNotKnowAPartitionYet() {
    store.put("documents", "a", 5);
    topic.setEnds(Map.of(0, 3L, 1, 7L));
    acknowledge(next());
    topic.setEnds(Map.of(0, 4L));

    Scan scan = finish();

    assertThat(scan.begins()).isEqualTo(Map.of(0, 3L, 1, 7L));
    assertThat(scan.ends()).containsEntry(1, 7L);
  }

  @Test
  void sendsEveryObjectOfEveryPage() {
    for (String key : List.of("a", "b", "c", "d", "e")) {
      store.put("documents", key, 5);
    }
    topic.setEnds(Map.of(0, 3L, 1, 0L));

    Scan scan = finish();

    assertThat(sent)
        .containsExactly(
            "documents/a 5", "documents/b 5", "documents/c 5", "documents/d 5", "documents/e 5");
    assertThat(scan.records()).isEqualTo(5);
    assertThat(scan.adHoc()).isTrue();
    assertThat(scan.request()).isEqualTo(9);
    assertThat(scan.begins()).isEqualTo(Map.of(0, 3L, 1, 0L));
    assertThat(scan.ends()).isEqualTo(Map.of(0, 21L, 1, 0L));
  }

  @Test
  void isCompleteForAnEmptyBucket() {
    store.put("documents", "a", 5);
    store.remove("documents", "a");
    topic.setEnds(Map.of(0, 3L));

    Scan scan = finish();

    assertThat(sent).isEmpty();
    assertThat(scan.ends()).isEqualTo(Map.of(0, 3L));
  }

  @Test
  void isNotCompleteWhileARecordIsOnItsWay() {
    store.put("documents", "a", 5);
    List<SourceRecord> page = next();

    assertThat(next()).isEmpty();
    assertThat(listing.completed()).isEmpty();
    acknowledge(page);
    assertThat(finish().records()).isEqualTo(1);
  }

  @Test
  void sendsWhatChangedBeforeItsRecordArrivedOnceMore() {
    store.put("documents", "a", 5);
    store.put("documents", "b", 5);
    store.put("documents", "c", 5);
    List<SourceRecord> page = next();
    store.put("documents", "a", 6);
    store.remove("documents", "b");
    acknowledge(page);
    finish();

    assertThat(sent)
        .containsExactly(
            "documents/a 5", "documents/b 5", "documents/a 6", "documents/b gone", "documents/c 5");
  }

  @Test
  void asksForWhatNewObjectsPushedOutOfThePage() {
    store.put("documents", "b", 5);
    store.put("documents", "c", 5);
    List<SourceRecord> page = next();
    store.put("documents", "a1", 7);
    store.put("documents", "a2", 7);
    acknowledge(page);
    finish();

    assertThat(sent).containsExactly("documents/b 5", "documents/c 5");
    assertThat(store.heads()).isEqualTo(2);
  }

  @Test
  void isNotCompleteWhileNobodyMaySeeWhetherAnObjectIsAsItWasSent() {
    store.put("documents", "b", 5);
    store.put("documents", "c", 5);
    List<SourceRecord> page = next();
    store.put("documents", "a1", 7);
    store.put("documents", "a2", 7);
    store.refuse("c");
    acknowledge(page);
    goOn();

    assertThat(sent).containsExactly("documents/b 5", "documents/c 5");
    assertThat(listing.completed()).isEmpty();
    assertThat(listing.problem().orElseThrow()).contains("object c");
    store.remove("documents", "c");
    store.allow("c");
    Scan scan = finish();

    assertThat(sent).containsExactly("documents/b 5", "documents/c 5", "documents/c gone");
    assertThat(scan.records()).isEqualTo(2);
  }

  @Test
  void sendsNoObjectWithoutWhatOnlyAScanTells() {
    for (String key : List.of("a", "b", "c", "d", "e")) {
      store.put("documents", key, 5);
    }
    topic.setEnds(Map.of(0, 3L));
    List.of("b", "e").forEach(store::refuse);
    listing = reading(store);
    goOn();

    assertThat(sent).containsExactly("documents/a 5", "documents/c 5", "documents/d 5");
    assertThat(listing.completed()).isEmpty();
    assertThat(listing.problem().orElseThrow()).contains("2 objects of bucket documents");
    store.allow("e");
    goOn();
    assertThat(listing.problem().orElseThrow()).contains("1 objects", "object b");
    store.put("documents", "b", 6);
    store.allow("b");
    Scan scan = finish();

    assertThat(sent.subList(3, 5)).containsExactly("documents/e 5", "documents/b 6");
    assertThat(sent).hasSize(5);
    assertThat(scan.records()).isEqualTo(5);
    assertThat(listing.problem()).isEmpty();
  }

  /** More than it remembers, before another object. */
  @Test
  void goesOnBehindAnyNumberOfObjectsThatNobodyMayRead() {
    FakeObjectStore store = new FakeObjectStore(1_000);
    List<String> refused =
        IntStream.range(0, 10_005).mapToObj(i -> "denied/%06d".formatted(i)).toList();
    refused.forEach(key -> store.put("documents", key, 5));
    refused.forEach(store::refuse);
    store.put("documents", "open", 5);
    listing = reading(store);
    step(50);
    assertThat(sent).containsExactly("documents/open 5");
    assertThat(listing.problem().orElseThrow()).contains(refused.size() + " objects");

    refused.forEach(store::allow);
    step(1_000);

    assertThat(Set.copyOf(sent)).hasSize(refused.size() + 1);
    assertThat(listing.completed()).isPresent();
    assertThat(listing.problem()).isEmpty();
  }

  private void step(int steps) {
    for (int i = 0; i < steps; i++) {
      clock.pass(Duration.ofMinutes(1));
      acknowledge(next());
    }
  }

  @Test
  void takesAnObjectForGoneThatNobodyMayReadAndNoListingShows() {
    store.put("documents", "a", 5);
    List<SourceRecord> page = next();
    store.remove("documents", "a");
    store.refuse("a");
    acknowledge(page);
    finish();

    assertThat(sent).containsExactly("documents/a 5", "documents/a gone");
  }

  @Test
  void forgetsNothingWhenTheBucketAnswersForSomeOnly() {
    List.of("a", "b", "c").forEach(key -> store.put("documents", key, 5));
    List.of("a", "b", "c").forEach(store::refuse);
    listing = reading(store);
    goOn();
    List.of("a", "b", "c").forEach(store::allow);
    store.failHeads("b", 1);
    Scan scan = finish();

    assertThat(sent).containsExactlyInAnyOrder("documents/a 5", "documents/b 5", "documents/c 5");
    assertThat(scan.records()).isEqualTo(3);
  }

  @Test
  void sendsWhatChangedAfterSomebodyMayReadOnceMore() {
    store.put("documents", "a", 5);
    store.refuse("a");
    listing = reading(store);
    goOn();
    store.allow("a");
    clock.pass(Duration.ofMinutes(1));
    List<SourceRecord> late = next();
    store.put("documents", "a", 6);
    acknowledge(late);
    finish();

    assertThat(sent).containsExactly("documents/a 5", "documents/a 6");
  }

  @Test
  void sendsAnObjectThatCameBackOnceMore() {
    store.put("documents", "a", 5);
    List<SourceRecord> page = next();
    store.remove("documents", "a");
    acknowledge(page);
    List<SourceRecord> gone = next();
    store.put("documents", "a", 6);
    acknowledge(gone);
    finish();

    assertThat(sent).containsExactly("documents/a 5", "documents/a gone", "documents/a 6");
  }

  @Test
  void waitsForTheBucketAndTheBrokers() {
    store.put("documents", "a", 5);
    topic.fail(new TimeoutException("no answer"));
    assertThat(next()).isEmpty();
    topic.fail(null);
    assertThat(next()).as("in the pause").isEmpty();
    clock.pass(Duration.ofSeconds(1));
    store.failNext(new AwsRequestException.Unavailable("no network", null));
    assertThat(next()).isEmpty();
    clock.pass(Duration.ofSeconds(1));
    acknowledge(next());
    topic.fail(new TimeoutException("no answer"));
    assertThat(next()).isEmpty();
    assertThat(listing.completed()).isEmpty();
    topic.fail(null);

    finish();
    assertThat(sent).containsExactly("documents/a 5");
  }

  @Test
  void beginsAnewWhenARecordDidNotReachKafka() {
    store.put("documents", "a", 5);
    topic.setEnds(Map.of(0, 3L));
    ((TrackedRecord) next().get(0)).acknowledged(null);
    assertThat(next()).isEmpty();
    topic.setEnds(Map.of(0, 4L));
    clock.pass(Duration.ofMinutes(1));

    Scan scan = finish();

    assertThat(sent).containsExactly("documents/a 5", "documents/a 5");
    assertThat(scan.begins()).isEqualTo(Map.of(0, 4L));
    assertThat(scan.records()).isEqualTo(1);
  }
}
