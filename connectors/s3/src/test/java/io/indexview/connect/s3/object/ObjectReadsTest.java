package io.indexview.connect.s3.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.s3.client.AwsRequestException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;

class ObjectReadsTest {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);

  private final FakeObjectStore store = new FakeObjectStore();

  private static void assertTooLate(CompletableFuture<Optional<ObjectInfo>> read) {
    assertThat(read)
        .failsWithin(TIMEOUT)
        .withThrowableOfType(ExecutionException.class)
        .havingCause()
        .isInstanceOf(AwsRequestException.Unavailable.class)
        .withMessageContaining("closed");
  }

  @Test
  void answersAReadWhoseThreadsEnded() {
    ExecutorService threads = Executors.newSingleThreadExecutor();
    ObjectReads reads = new ObjectReads(store, threads, () -> {});

    threads.shutdownNow();

    assertTooLate(reads.head("files", "a"));
  }

  @Test
  void doesNotAskForWhatNobodyWaitsForAnyMore() {
    Queue<Runnable> waiting = new ArrayDeque<>();
    ObjectReads reads = new ObjectReads(store, waiting::add, () -> {});
    CompletableFuture<Optional<ObjectInfo>> unwanted = reads.headOrGone("files", "a");
    CompletableFuture<Optional<ObjectInfo>> wanted = reads.headOrGone("files", "b");

    unwanted.cancel(false);
    waiting.forEach(Runnable::run);

    assertThat(ObjectReads.answer(wanted)).isEmpty();
    assertThat(store.heads()).isOne();
  }

  @Test
  void answersReadsThatNoThreadBegan() {
    ObjectReads reads = new ObjectReads(store, task -> {}, () -> {});
    CompletableFuture<Optional<ObjectInfo>> read = reads.head("files", "a");
    assertThat(read).isNotDone();

    reads.close();

    assertTooLate(read);
    assertTooLate(reads.head("files", "a"));
  }
}
