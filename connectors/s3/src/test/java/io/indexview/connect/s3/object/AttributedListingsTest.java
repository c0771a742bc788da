package io.indexview.connect.s3.object;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class AttributedListingsTest {
  private final FakeObjectStore store = new FakeObjectStore();
  private final Queue<Runnable> waiting = new ArrayDeque<>();

  @Test
  void looksNoMoreWhenTheStoreIsAway() {
    store.fail(new ObjectStoreException.Unavailable("slow down", null));
    // The first look is made at once, the others wait for a thread.
    ObjectLooks looks = new ObjectLooks(store, this::runFirst, () -> {});
    AttributedListings listings = new AttributedListings(listable(), looks);

    assertThatThrownBy(() -> listings.list("files", null))
        .isInstanceOf(ObjectStoreException.Unavailable.class);

    int heads = store.heads();
    waiting.forEach(Runnable::run);
    assertThat(waiting).isNotEmpty();
    assertThat(store.heads()).isEqualTo(heads);
  }

  private void runFirst(Runnable task) {
    if (store.heads() == 0) {
      task.run();
    } else {
      waiting.add(task);
    }
  }

  private ObjectStore listable() {
    FakeObjectStore listed = new FakeObjectStore();
    listed.put("files", "a", 1);
    listed.put("files", "b", 1);
    return listed;
  }
}
