package io.indexview.connect.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class ObjectLooksTest {
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final FakeObjectStore store = new FakeObjectStore();

  private static void assertTooLate(CompletableFuture<Optional<ObjectInfo>> look) {
    assertThat(look)
        .failsWithin(PATIENCE)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOf(ObjectStoreException.Unavailable.class)
        .withMessageContaining("closed");
  }

  @Test
  void answersALookWhoseThreadsEndedDuringItsDelay() {
    ExecutorService threads = Executors.newSingleThreadExecutor();
    ObjectLooks looks = new ObjectLooks(store, threads, () -> {});
    CompletableFuture<Optional<ObjectInfo>> look =
        looks.headAfter(Duration.ofMillis(10), "files", "a", () -> true);

    threads.shutdownNow();

    assertTooLate(look);
    assertTooLate(looks.head("files", "a"));
  }

  @Test
  void answersLooksThatNoThreadBegan() {
    ObjectLooks looks = new ObjectLooks(store, task -> {}, () -> {});
    CompletableFuture<Optional<ObjectInfo>> look = looks.head("files", "a");
    assertThat(look).isNotDone();

    looks.close();

    assertTooLate(look);
    assertTooLate(looks.head("files", "a"));
  }
}
