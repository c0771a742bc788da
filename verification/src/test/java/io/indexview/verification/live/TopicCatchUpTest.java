package io.indexview.verification.live;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class TopicCatchUpTest {
  private static final Duration MOMENT = Duration.ofNanos(1);
  private static final RowLog.Visitor NOBODY = (id, row) -> {};

  private final ManualClock clock = new ManualClock();
  private final Growing log = new Growing();

  /** A topic of one partition, which notes what is read of it. */
  private final class Growing implements RowLog {
    private final List<Long> readTo = new ArrayList<>();
    private long end = 10;
    private boolean answers = true;
    private Duration lasts = Duration.ZERO;

    @Override
    public Map<Integer, Long> ends() {
      return Map.of(0, end);
    }

    @Override
    public boolean isApplied(Map<Integer, Long> ends) {
      return true;
    }

    @Override
    public void read(Map<Integer, Long> from, Map<Integer, Long> to, Visitor visitor) {
      clock.pass(lasts);
      if (!answers) {
        throw new TimeoutException("no answer");
      }
      assertThat(from.get(0)).isEqualTo(readTo.isEmpty() ? 10 : readTo.get(readTo.size() - 1));
      readTo.add(to.get(0));
    }

    @Override
    public void close() {}
  }

  private TopicCatchUp topic(Duration endAge) {
    return new TopicCatchUp(log, log.ends(), endAge, TopicCatchUp.INTERVAL, clock);
  }

  /** It is due at this time from now, and not before. */
  private void assertDueAfter(TopicCatchUp topic, Duration time) {
    clock.pass(time.minus(MOMENT));
    assertThat(topic.isDue()).as("a moment before %s", time).isFalse();
    clock.pass(MOMENT);
    assertThat(topic.isDue()).as("after %s", time).isTrue();
  }

  @Test
  void isDueAnIntervalAfterTheEndWasNoted() {
    TopicCatchUp topic = topic(Duration.ZERO);
    assertDueAfter(topic, TopicCatchUp.INTERVAL);

    log.end = 25;
    log.lasts = Duration.ofHours(5);
    topic.tryToEnd(NOBODY);
    log.lasts = Duration.ZERO;
    assertThat(topic.end()).isEqualTo(Map.of(0, 25L));
    assertDueAfter(topic, TopicCatchUp.INTERVAL.minusHours(5));

    log.end = 30;
    topic.tryToEnd(NOBODY);
    assertThat(log.readTo).containsExactly(25L, 30L);
  }

  @Test
  void isDueEarlierByTheAgeOfTheEnd() {
    assertDueAfter(topic(Duration.ofHours(20)), TopicCatchUp.INTERVAL.minusHours(20));
    assertThat(topic(TopicCatchUp.INTERVAL).isDue()).isTrue();
  }

  @Test
  void triesAgainInAMinuteIfKafkaDoesNotAnswer() {
    TopicCatchUp topic = topic(TopicCatchUp.INTERVAL);
    log.end = 25;
    log.answers = false;
    topic.tryToEnd(NOBODY);
    assertThat(topic.end()).as("what was not read").isEqualTo(Map.of(0, 10L));
    assertDueAfter(topic, Duration.ofMinutes(1));

    log.answers = true;
    topic.tryToEnd(NOBODY);
    assertThat(log.readTo).containsExactly(25L);
    assertDueAfter(topic, TopicCatchUp.INTERVAL);
  }

  @Test
  void failsWhenDeletionsMayBeMissed() {
    TopicCatchUp topic = topic(Duration.ZERO);
    log.answers = false;
    clock.pass(Duration.ofDays(3));
    assertThatCode(() -> topic.tryToEnd(NOBODY)).doesNotThrowAnyException();

    clock.pass(Duration.ofSeconds(1));
    assertThatThrownBy(() -> topic.tryToEnd(NOBODY)).isInstanceOf(RetriableException.class);
  }

  @Test
  void anOutageCountsFromWhenTheEndWasNoted() {
    TopicCatchUp topic = topic(TopicCatchUp.INTERVAL);
    log.answers = false;
    clock.pass(Duration.ofDays(2));
    assertThatCode(() -> topic.tryToEnd(NOBODY)).doesNotThrowAnyException();

    clock.pass(Duration.ofSeconds(1));
    assertThatThrownBy(() -> topic.tryToEnd(NOBODY)).isInstanceOf(RetriableException.class);
  }
}
