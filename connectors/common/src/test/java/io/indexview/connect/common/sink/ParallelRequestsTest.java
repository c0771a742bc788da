package io.indexview.connect.common.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.connect.errors.ConnectException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ParallelRequestsTest {

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void keepsTheOrderOfResults(int concurrency) {
    try (ParallelRequests requests = new ParallelRequests("test", concurrency)) {
      List<Callable<Integer>> calls =
          IntStream.range(0, 50).mapToObj(i -> (Callable<Integer>) () -> i).toList();
      assertThat(requests.run(calls))
          .containsExactlyElementsOf(IntStream.range(0, 50).boxed().toList());
    }
  }

  @Test
  void runsAsManyAtOnceAsThereAreWorkers() {
    CyclicBarrier all = new CyclicBarrier(3);
    try (ParallelRequests requests = new ParallelRequests("test", 3)) {
      Callable<Integer> meets = () -> all.await(1, TimeUnit.MINUTES);
      assertThat(requests.run(List.of(meets, meets, meets))).containsExactlyInAnyOrder(0, 1, 2);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 4})
  void finishesTheOthersWhenOneFails(int concurrency) {
    AtomicInteger finished = new AtomicInteger();
    try (ParallelRequests requests = new ParallelRequests("test", concurrency)) {
      Callable<Integer> fails =
          () -> {
            throw new IllegalStateException("broken");
          };
      List<Callable<Integer>> calls =
          List.of(fails, finished::incrementAndGet, finished::incrementAndGet);
      assertThatThrownBy(() -> requests.run(calls))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("broken");
      assertThat(finished).hasValue(2);
    }
  }

  @Test
  void goesOnWithTheCallersThreadWhenNoneCanBeStarted() {
    ParallelRequests requests = new ParallelRequests("test", 4);
    // As a machine without threads does.
    requests.close();
    List<Callable<Integer>> calls =
        IntStream.range(0, 9).mapToObj(i -> (Callable<Integer>) () -> i).toList();
    assertThat(requests.run(calls)).containsExactly(0, 1, 2, 3, 4, 5, 6, 7, 8);
  }

  @Test
  void startsRequestsWithoutTheCallersThread() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    try (ParallelRequests requests = new ParallelRequests("test", 2)) {
      Callable<Boolean> held = () -> answers.await(1, TimeUnit.MINUTES);
      List<? extends Future<Boolean>> results = requests.start(List.of(held, () -> true, held));

      assertThat(results.get(1).get(1, TimeUnit.MINUTES)).isTrue();
      assertThat(results.get(0).isDone()).isFalse();

      answers.countDown();
      assertThat(ParallelRequests.results(results)).containsExactly(true, true, true);
    }
  }

  @Test
  void startsRequestsInTheCallersThreadWhenNoneCanBeStarted() {
    ParallelRequests requests = new ParallelRequests("test", 4);
    requests.close();
    List<? extends Future<Integer>> results = requests.start(List.of(() -> 0, () -> 1));
    assertThat(results).allMatch(Future::isDone);
  }

  @Test
  void keepsTheInterruptOfARequestOnTheCallersThread() {
    Callable<Void> interrupted =
        () -> {
          throw new InterruptedException("by a client");
        };
    try (ParallelRequests requests = new ParallelRequests("test", 1)) {
      assertThatThrownBy(() -> requests.run(List.of(interrupted)))
          .isInstanceOf(ConnectException.class);
      assertThat(Thread.interrupted()).isTrue();
    }
  }

  @Test
  void endsItsRequestsWhenItIsInterrupted() {
    Thread caller = Thread.currentThread();
    CyclicBarrier both = new CyclicBarrier(2);
    CountDownLatch never = new CountDownLatch(1);
    AtomicInteger ended = new AtomicInteger();
    Callable<Void> request =
        () -> {
          both.await(1, TimeUnit.MINUTES);
          if (Thread.currentThread() == caller) {
            caller.interrupt();
            return null;
          }
          try {
            never.await();
          } finally {
            ended.incrementAndGet();
          }
          return null;
        };
    try (ParallelRequests requests = new ParallelRequests("test", 2)) {
      assertThatThrownBy(() -> requests.run(List.of(request, request)))
          .isInstanceOf(ConnectException.class)
          .hasMessageContaining("interrupted");
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(ended).hasValue(1);
  }
}
