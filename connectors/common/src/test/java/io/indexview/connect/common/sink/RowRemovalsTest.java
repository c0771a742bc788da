package io.indexview.connect.common.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.connect.common.errors.Backoff;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.schemas.fixtures.LogLines;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.connect.errors.RetriableException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class RowRemovalsTest {
  private final CommittableOffsets offsets = new CommittableOffsets();
  private final RowRemovals removals =
      new RowRemovals(
          "test", offsets, () -> new Backoff(Duration.ofMillis(1), Duration.ofMillis(2)));

  @AfterEach
  void close() {
    removals.close();
  }

  @Test
  void waitsForWhatCameBeforeInTheSamePartition() {
    SinkRecord row = record("a", 3);
    SinkRecord later = record("a", 9);
    SinkRecord elsewhere = record("b", 1);
    SinkRecord removal = record("a", 4);
    List.of(row, later, elsewhere, removal).forEach(offsets::received);
    AtomicInteger runs = new AtomicInteger();
    removals.add(removal, (stop, removed) -> runs.incrementAndGet());

    assertThat(removals.settle()).isEmpty();
    assertThat(runs).hasValue(0);

    offsets.done(row);
    assertThat(completed(1)).containsExactly(removal);
    assertThat(runs).hasValue(1);
    assertThat(removals.pending()).isZero();
  }

  @Test
  void triesAgainWhileTheStoreIsNotAvailable() {
    AtomicInteger runs = new AtomicInteger();
    try (LogLines log = LogLines.of(RowRemovals.class)) {
      removals.add(
          record("a", 1),
          (stop, removed) -> {
            if (runs.incrementAndGet() < 4) {
              throw new RetriableException("no quorum");
            }
          });

      assertThat(completed(1)).hasSize(1);
      assertThat(log.get())
          .extracting(line -> line.substring(line.indexOf(": ") + 2))
          .containsExactly(
              "rows cannot be removed now, which is tried again until it works: no quorum",
              "rows can be removed again");
    }
    assertThat(runs).hasValue(4);
  }

  @Test
  void saysOncePerOutageOfARemovalAndCauseThatItIsTriedAgain() {
    RetriableException noQuorum = new RetriableException("no quorum");
    RetriableException throttled =
        new RetriableException("throttled", new IllegalStateException("request 4711"));
    Iterator<RetriableException> failures =
        List.of(noQuorum, throttled, noQuorum, throttled, noQuorum, noQuorum).iterator();
    AtomicInteger runs = new AtomicInteger();
    try (LogLines log = LogLines.warnings(RowRemovals.class)) {
      removals.add(
          record("a", 1),
          (stop, removed) -> {
            if (runs.incrementAndGet() == 5) {
              removed.run();
            }
            if (failures.hasNext()) {
              throw failures.next();
            }
          });

      assertThat(completed(1)).hasSize(1);
      assertThat(log.get())
          .extracting(line -> line.substring(line.lastIndexOf(' ') + 1))
          .containsExactly("quorum", "throttled", "quorum");
    }
  }

  @Test
  void failureIsThrownAtEveryCall() {
    removals.add(
        record("a", 1),
        (stop, removed) -> {
          throw new IllegalStateException("no permission");
        });

    await().untilAsserted(() -> assertThatThrownBy(removals::settle).hasMessage("no permission"));
    assertThatThrownBy(removals::settle).isInstanceOf(IllegalStateException.class);
    assertThat(removals.pending()).isEqualTo(1);
  }

  @Test
  void givesUpWhatAnotherTaskHasNow() {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch given = new CountDownLatch(1);
    removals.add(record("a", 1), (stop, removed) -> untilStopped(stop, begun, given));
    SinkRecord kept = record("b", 1);
    removals.add(kept, (stop, removed) -> {});
    removals.settle();
    await().until(() -> begun.getCount() == 0);

    removals.giveUp(List.of(new TopicPartition("a", 0)));

    assertThat(completed(1)).containsExactly(kept);
    assertThat(given.getCount()).isZero();
  }

  @Test
  void endsWhatRunsWhenItIsClosed() {
    CountDownLatch given = new CountDownLatch(1);
    CountDownLatch begun = new CountDownLatch(1);
    removals.add(record("a", 1), (stop, removed) -> untilStopped(stop, begun, given));
    removals.settle();
    await().until(() -> begun.getCount() == 0);

    removals.close();

    assertThat(given.getCount()).isZero();
  }

  private static void untilStopped(StopLatch stop, CountDownLatch begun, CountDownLatch given) {
    begun.countDown();
    try {
      stop.await(Duration.ofMinutes(1));
      given.countDown();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private List<SinkRecord> completed(int count) {
    List<SinkRecord> complete = new ArrayList<>();
    await()
        .until(
            () -> {
              complete.addAll(removals.settle());
              return complete.size() >= count;
            });
    return complete;
  }

  private static SinkRecord record(String topic, long offset) {
    return new SinkRecord(topic, 0, null, null, null, null, offset);
  }
}
