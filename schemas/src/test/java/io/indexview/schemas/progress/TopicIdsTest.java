package io.indexview.schemas.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is known of a topic's identity while questions and answers are under way. */
class TopicIdsTest {
  private static final String TOPIC = "changes";

  private final Deque<CompletableFuture<String>> questions = new ArrayDeque<>();
  private Instant now = Instant.ofEpochSecond(1_000);
  private final TopicIds ids =
      new TopicIds(
          topic -> {
            questions.add(new CompletableFuture<>());
            return questions.getLast();
          },
          new Clock() {
            @Override
            public ZoneId getZone() {
              return ZoneOffset.UTC;
            }

            @Override
            public Clock withZone(ZoneId zone) {
              return this;
            }

            @Override
            public Instant instant() {
              return now;
            }
          });

  private void pass() {
    now = now.plus(Duration.ofSeconds(1));
  }

  @Test
  void isKnownWhenTheAnswerIsThere() {
    assertThat(ids.since(TOPIC, now)).isEmpty();
    assertThat(ids.since(TOPIC, now)).isEmpty();
    assertThat(questions).hasSize(1);

    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, now)).hasValue("a");
    assertThat(questions).hasSize(1);
  }

  @Test
  void takesNoAnswerToAnEarlierQuestionForWhatIsNow() {
    ids.since(TOPIC, now);
    Instant before = now;
    pass();
    questions.getLast().complete("a");

    assertThat(ids.since(TOPIC, now)).isEmpty();
    assertThat(ids.since(TOPIC, before)).hasValue("a");
    questions.getLast().complete("b");
    assertThat(ids.since(TOPIC, now)).hasValue("b");
  }

  @Test
  void forgetsNothingForAnAnswerThatComesLate() {
    ids.since(TOPIC, now);
    CompletableFuture<String> late = questions.getLast();
    pass();
    ids.since(TOPIC, now);
    questions.getLast().complete("b");
    late.complete("a");

    assertThat(ids.since(TOPIC, now.minusSeconds(60))).hasValue("b");
  }

  @Test
  void asksAgainAfterAFailure() {
    ids.since(TOPIC, now);
    questions.getLast().completeExceptionally(new IllegalStateException("no answer"));
    assertThat(ids.since(TOPIC, now)).isEmpty();
    pass();
    assertThat(ids.since(TOPIC, now)).isEmpty();

    assertThat(questions).hasSize(2);
    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, now)).hasValue("a");
  }
}
