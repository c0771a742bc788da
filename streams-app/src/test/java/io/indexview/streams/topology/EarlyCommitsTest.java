package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class EarlyCommitsTest {
  private static final long MS = TimeUnit.MILLISECONDS.toNanos(1);
  private static final int FEW_PARTITIONS = 6;

  private final EarlyCommits commits =
      new EarlyCommits(Duration.ofMillis(20), Duration.ofMillis(100));
  private final List<Long> due = new ArrayList<>();
  private long now = 1_000;

  private void event(Object writer, int partitions, double tookMs) {
    long began = now;
    now += (long) (tookMs * MS);
    commits.eventTook(writer, partitions, began, now);
    ask();
  }

  private void ask() {
    if (commits.isDue(now)) {
      due.add((now - 1_000) / MS);
    }
  }

  /** An event each so many ms. */
  private void events(int count, long everyMs, double tookMs) {
    for (int i = 0; i < count; i++) {
      long next = now + everyMs * MS;
      event("task", FEW_PARTITIONS, tookMs);
      now = next;
    }
  }

  @Test
  void areDueAWhileAfterTheFirstEventSince() {
    events(60, 1, 0.1);
    assertThat(due).containsExactly(20L, 41L);
  }

  @Test
  void areDueThoughNoOtherEventComes() {
    assertThat(commits.eventTook("task", FEW_PARTITIONS, now, now)).isTrue();
    now += 19 * MS;
    ask();
    assertThat(due).isEmpty();
    now += MS;
    ask();
    assertThat(due).containsExactly(20L);
  }

  @Test
  void areNeverDueWithoutAnEvent() {
    now += 1_000 * MS;
    ask();
    events(1, 30, 0.1);
    ask();
    now += 1_000 * MS;
    ask();
    assertThat(due).containsExactly(1_030L);
  }

  @Test
  void areLeftToTheIntervalWhileEventsTakeMoreThanAnEighthOfTheTime() {
    events(100, 1, 0.2);
    assertThat(due).isEmpty();
    assertThat(commits.isLittle()).isFalse();

    events(100, 1, 0.1);
    assertThat(due).isNotEmpty();
    assertThat(commits.isLittle()).isTrue();
  }

  @Test
  void areLeftToTheIntervalWhileOtherWorkIsDone() {
    for (int i = 0; i < 10; i++) {
      events(1, 10, 0.1);
      commits.workTook(5 * MS);
    }
    assertThat(due).isEmpty();
  }

  @Test
  void waitLongerTheMorePartitionsAreWritten() {
    event("one", 30, 0);
    event("other", 15, 0);
    event("one", 30, 0);
    now += 44 * MS;
    ask();
    assertThat(due).isEmpty();
    now += MS;
    ask();
    assertThat(due).containsExactly(45L);
  }

  @Test
  void areLeftToTheIntervalWhereThatIsNoLonger() {
    event("task", 100, 0);
    now += 1_000 * MS;
    ask();
    assertThat(due).isEmpty();
    assertThat(commits.isLittle()).isFalse();
  }

  @Test
  void areNoneWhereTheLeastIsTheInterval() {
    EarlyCommits none = new EarlyCommits(Duration.ofMillis(100), Duration.ofMillis(100));
    none.eventTook("task", FEW_PARTITIONS, now, now);
    assertThat(none.isDue(now + 1_000 * MS)).isFalse();
  }

  @Test
  void countAnewWhenATaskThatWroteIsClosed() {
    event("one", 30, 5);
    event("other", 30, 0);
    now += 19 * MS;
    commits.forget("one");
    assertThat(commits.isOpen()).isFalse();
    now += 1_000 * MS;
    ask();
    assertThat(due).isEmpty();

    assertThat(commits.eventTook("other", 15, now, now)).isTrue();
    now += 20 * MS;
    ask();
    assertThat(due).containsExactly(1_044L);
  }

  @Test
  void goOnWhenATaskIsClosedThatWroteNothing() {
    event("one", FEW_PARTITIONS, 0);
    now += 19 * MS;
    commits.forget("other");
    now += MS;
    ask();
    assertThat(due).containsExactly(20L);
  }
}
