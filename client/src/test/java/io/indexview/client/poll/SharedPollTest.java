package io.indexview.client.poll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SharedPollTest {
  private static final int WAITING = 4;

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Thread> callers = new ArrayList<>();
  private final CountDownLatch answered = new CountDownLatch(1);
  private final AtomicInteger polls = new AtomicInteger();
  private RuntimeException firstFailure = new TimeoutException("no answer");
  private final SharedPoll<Integer> poll = new SharedPoll<>(this::poll);

  @AfterEach
  void stop() {
    threads.shutdownNow();
  }

  private int poll() {
    int number = polls.incrementAndGet();
    try {
      answered.await();
    } catch (InterruptedException e) {
      throw new InterruptException(e);
    }
    if (number == 1) {
      throw firstFailure;
    }
    return number;
  }

  private CompletableFuture<Integer> call() {
    return CompletableFuture.supplyAsync(
        () -> {
          synchronized (callers) {
            callers.add(Thread.currentThread());
          }
          return poll.now();
        },
        threads);
  }

  /** The first scans, the others wait for its lock. */
  private List<CompletableFuture<Integer>> callsWhileTheFirstPolls() {
    List<CompletableFuture<Integer>> calls = new ArrayList<>(List.of(call()));
    await().until(() -> polls.get() == 1);
    for (int i = 0; i < WAITING; i++) {
      calls.add(call());
    }
    await().until(() -> waiting() == 1 + WAITING);
    answered.countDown();
    return calls;
  }

  private long waiting() {
    synchronized (callers) {
      return callers.stream().filter(caller -> caller.getState() == Thread.State.WAITING).count();
    }
  }

  @Test
  void sharesAFailureWithThoseWhoWaitedForIt() {
    callsWhileTheFirstPolls()
        .forEach(call -> assertThatThrownBy(call::join).hasCause(firstFailure));

    assertThat(polls).hasValue(1);
    assertThat(poll.now()).isEqualTo(2);
  }

  @Test
  void keepsAnInterruptToTheThreadThatItWasMeantFor() {
    firstFailure = new InterruptException("stop");
    // It has interrupted whoever made it.
    assertThat(Thread.interrupted()).isTrue();
    List<CompletableFuture<Integer>> calls = callsWhileTheFirstPolls();

    assertThatThrownBy(calls.get(0)::join).hasCause(firstFailure);
    assertThat(calls.subList(1, calls.size())).allMatch(call -> call.join() == 2);
  }
}
