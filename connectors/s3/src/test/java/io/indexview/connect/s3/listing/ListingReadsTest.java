package io.indexview.connect.s3.listing;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.s3.FakeChangeTopic;
import io.indexview.connect.s3.listing.Listing.ListingMode;
import io.indexview.connect.s3.notification.ObjectKeyFields;
import io.indexview.connect.s3.object.FakeObjectStore;
import io.indexview.connect.s3.object.ObjectReads;
import io.indexview.connect.s3.record.FileEvents;
import io.indexview.connect.s3.record.FileEvents.Attribute;
import io.indexview.connect.s3.record.TrackedRecord.Position;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Executor;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;
import org.junit.jupiter.api.Test;

/** How a listing reads what differs. */
class ListingReadsTest {
  private static final Duration PAUSE = Duration.ofSeconds(1);
  private static final int MAX_READS = 100;

  private final FakeObjectStore store = new FakeObjectStore(1_000);
  private final ManualClock clock = new ManualClock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  private BucketListing listing(Executor threads, String... keys) {
    for (String key : keys) {
      store.put("files", key, 1);
    }
    return new BucketListing(
        "files",
        ListingMode.initial(),
        new Position(Map.of(), Map.of()),
        store,
        new ObjectReads(store, threads, () -> {}),
        new FakeChangeTopic(clock),
        Optional.empty(),
        new FileEvents(
            "files",
            new ObjectKeyFields(ObjectKeyFields.DEFAULT_PATTERN),
            Set.of(Attribute.CONTENT_TYPE),
            "s3",
            clock),
        new Backoff(PAUSE, PAUSE),
        clock);
  }

  private void runWaiting() {
    List<Runnable> tasks = List.copyOf(waiting);
    waiting.clear();
    tasks.forEach(Runnable::run);
  }

  private static List<Object> keys(List<SourceRecord> records) {
    return records.stream().<Object>map(SourceRecord::key).toList();
  }

  @Test
  void readsNoMoreWhileTheStoreIsAway() {
    store.failHeads("a", Integer.MAX_VALUE);
    store.failHeads("b", Integer.MAX_VALUE);
    BucketListing listing = listing(waiting::add, "a", "b");
    assertThat(listing.next()).isEmpty();
    waiting.remove().run();
    assertThat(listing.next()).isEmpty();

    int heads = store.heads();
    runWaiting();
    assertThat(listing.next()).as("in the pause").isEmpty();
    runWaiting();
    assertThat(store.heads()).isEqualTo(heads);

    clock.pass(PAUSE);
    assertThat(listing.next()).isEmpty();
    runWaiting();
    assertThat(store.heads()).as("both are asked for again").isEqualTo(heads + 2);
  }

  @Test
  void readsAgainTheOneObjectThatTheStoreDidNotAnswerFor() {
    BucketListing listing = listing(waiting::add, "a", "b", "c");
    store.failHeads("b", 3);
    listing.next();
    runWaiting();

    assertThat(keys(listing.next())).containsExactly("files/a");
    for (int failures = 1; failures < 3; failures++) {
      clock.pass(PAUSE);
      assertThat(listing.next()).isEmpty();
      runWaiting();
      assertThat(listing.next()).isEmpty();
    }
    clock.pass(PAUSE);
    assertThat(listing.next()).isEmpty();
    runWaiting();
    List<SourceRecord> rest = listing.next();

    assertThat(keys(rest)).containsExactly("files/b", "files/c");
    Struct file = ((Struct) rest.get(0).value()).getStruct("after");
    assertThat(file.getString("contentType")).isEqualTo("text/plain");
    assertThat(store.heads()).as("one of a, four of b, one of c").isEqualTo(6);
    assertThat(store.listings()).isOne();
  }

  @Test
  void asksForSomeAtATimeAndListsNoFurtherThanItRemembers() {
    String[] keys = new String[12_500];
    for (int i = 0; i < keys.length; i++) {
      keys[i] = "key-%05d".formatted(i);
    }
    BucketListing listing = listing(waiting::add, keys);
    for (int i = 0; i < keys.length; i++) {
      listing.next();
    }

    assertThat(waiting).hasSize(MAX_READS);
    assertThat(listing.differences()).isLessThanOrEqualTo(11_000);
    runWaiting();
    assertThat(listing.next()).hasSize(MAX_READS);
    assertThat(waiting).hasSize(MAX_READS);
  }

  @Test
  void namesWhatMayNotBeReadAndLeavesOutWhatIsGone() {
    BucketListing listing = listing(Runnable::run, "a", "b");
    store.refuse("b");
    store.onHead(() -> store.remove("files", "a"));

    assertThat(listing.next()).isEmpty();

    assertThat(listing.problem().orElseThrow()).contains("1 objects of bucket files", "object b");
    assertThat(listing.completed()).isEmpty();
  }
}
