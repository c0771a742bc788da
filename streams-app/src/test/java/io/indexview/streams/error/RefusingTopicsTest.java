package io.indexview.streams.error;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.Set;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.junit.jupiter.api.Test;

class RefusingTopicsTest {
  private static final String TOPIC = "indexview.view.kv.by-org.1";

  private final ManualClock clock = new ManualClock();
  private final RefusingTopics topics =
      new RefusingTopics(topic -> topic.startsWith("indexview.view."), clock);

  private void refuse(Exception failure) {
    topics.note(TOPIC, failure);
  }

  private void assertLeftOut(String... reasons) {
    assertThat(topics.reason(TOPIC))
        .hasValueSatisfying(reason -> assertThat(reason).contains(reasons));
  }

  @Test
  void leavesOutATopicThatRefusesRowsForAWhile() {
    refuse(new TopicAuthorizationException(Set.of(TOPIC)));
    refuse(new TopicAuthorizationException(Set.of(TOPIC)));
    assertThat(topics.reason(TOPIC)).as("another try may pass").isEmpty();
    assertThat(topics.isNew()).isTrue();

    clock.pass(RefusingTopics.LASTING);
    refuse(new TopicAuthorizationException(Set.of(TOPIC)));
    assertLeftOut(TOPIC, "refuses rows", "Not authorized");
    assertThat(topics.reason("indexview.view.kv.by-org.2")).isEmpty();

    clock.pass(Duration.ofDays(1));
    assertThat(topics.isNew()).isFalse();
    assertLeftOut("Not authorized");
  }

  @Test
  void leavesOutATopicThatRefusesTheNextRowAfterALongRestore() {
    refuse(new RecordTooLargeException("too large"));
    clock.pass(Duration.ofHours(2));
    assertThat(topics.isNew()).isFalse();
    refuse(new RecordTooLargeException("too large"));

    assertLeftOut("too large");
  }

  @Test
  void takesTwoRefusalsADayApartForTwo() {
    refuse(new RecordTooLargeException("too large"));
    clock.pass(Duration.ofDays(1));
    refuse(new RecordTooLargeException("too large"));
    assertThat(topics.reason(TOPIC)).isEmpty();

    clock.pass(RefusingTopics.LASTING);
    refuse(new InvalidRecordException("no key"));
    assertLeftOut("no key");
  }

  @Test
  void blamesNoTopicForWhatIsNotItsOwn() {
    for (int i = 0; i < 3; i++) {
      refuse(new TimeoutException("broker"));
      refuse(new TransactionAbortedException("another row was refused"));
      topics.note("indexview.view-progress", new TopicAuthorizationException(Set.of("x")));
      clock.pass(RefusingTopics.LASTING);
    }
    assertThat(topics.isNew()).isFalse();
    assertThat(topics.reason(TOPIC)).isEmpty();
    assertThat(topics.reason("indexview.view-progress")).isEmpty();
  }
}
