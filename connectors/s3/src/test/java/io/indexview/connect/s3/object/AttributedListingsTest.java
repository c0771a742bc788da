package io.indexview.connect.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Test;

class AttributedListingsTest {
  private static final Duration LONGER_THAN_IT_TRIES = Duration.ofMinutes(1);

  private final FakeObjectStore store = new FakeObjectStore();
  private final ManualClock clock = new ManualClock();
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  private AttributedListings listings(Executor threads) {
    for (String key : new String[] {"a", "b"}) {
      store.put("files", key, 1);
    }
    return new AttributedListings(
        store,
        new ObjectLooks(store, threads, () -> {}),
        () -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(2)),
        clock);
  }

  @Test
  void looksNoMoreWhenTheStoreIsAway() {
    store.failHeads("a", Integer.MAX_VALUE);
    store.failHeads("b", Integer.MAX_VALUE);
    store.onHead(() -> clock.pass(LONGER_THAN_IT_TRIES));
    // The first look is made at once, the others wait for a thread.
    AttributedListings listings = listings(this::runFirst);

    assertThatThrownBy(() -> listings.listAfter("files", null))
        .isInstanceOf(ObjectStoreException.Unavailable.class);

    int heads = store.heads();
    assertThat(waiting).isNotEmpty();
    waiting.forEach(Runnable::run);
    assertThat(store.heads()).isEqualTo(heads);
  }

  private void runFirst(Runnable task) {
    if (store.heads() == 0) {
      task.run();
    } else {
      waiting.add(task);
    }
  }

  @Test
  void looksAgainAtTheOneObjectThatTheStoreDidNotAnswerFor() {
    AttributedListings listings = listings(Runnable::run);
    store.failHeads("b", 3);

    ObjectStore.Page page = listings.listAfter("files", null);

    assertThat(page.objects()).extracting(ObjectInfo::key).containsExactly("a", "b");
    assertThat(page.objects()).extracting(ObjectInfo::attributes).doesNotContainNull();
    assertThat(store.heads()).as("one of a, four of b").isEqualTo(5);
  }

  @Test
  void goesOnWithAPageThatTheStoreDidNotAnswerForInTime() {
    AttributedListings listings = listings(Runnable::run);
    store.failHeads("b", 1);
    store.onHead(() -> clock.pass(LONGER_THAN_IT_TRIES));
    assertThatThrownBy(() -> listings.listAfter("files", null))
        .isInstanceOf(ObjectStoreException.Unavailable.class);

    assertThat(listings.listAfter("files", null).objects()).hasSize(2);
    assertThat(store.heads()).as("one of a, two of b").isEqualTo(3);
    assertThat(store.listings()).isOne();

    assertThat(listings.listAfter("files", null).objects()).hasSize(2);
    assertThat(store.heads()).as("a page that was complete is looked at anew").isEqualTo(5);
  }

  @Test
  void namesWhatNobodyMayLookAtAndLeavesOutWhatIsGone() {
    AttributedListings listings = listings(Runnable::run);
    store.refuse("b");
    store.onHead(() -> store.remove("files", "a"));

    ObjectStore.Page page = listings.listAfter("files", null);

    assertThat(page.objects()).isEmpty();
    assertThat(page.refused()).containsOnlyKeys("b");
    assertThat(page.end()).isEqualTo("b");
  }
}
