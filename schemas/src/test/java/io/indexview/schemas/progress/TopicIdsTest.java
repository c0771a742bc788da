package io.indexview.schemas.progress;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What is known of a topic's identity while questions and answers are under way. */
class TopicIdsTest {
  private static final String TOPIC = "changes";

  private final Deque<CompletableFuture<String>> questions = new ArrayDeque<>();

  /** It may begin anywhere, and goes on from its largest value with its smallest one. */
  private long nanos = Long.MAX_VALUE;

  private final TopicIds ids =
      new TopicIds(
          topic -> {
            questions.add(new CompletableFuture<>());
            return questions.getLast();
          },
          () -> nanos);

  private void pass() {
    nanos += Duration.ofSeconds(1).toNanos();
  }

  @Test
  void isKnownWhenTheAnswerIsThere() {
    assertThat(ids.since(TOPIC, nanos)).isEmpty();
    assertThat(ids.since(TOPIC, nanos)).isEmpty();
    assertThat(questions).hasSize(1);

    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, nanos)).hasValue("a");
    assertThat(questions).hasSize(1);
  }

  @Test
  void takesNoAnswerToAnEarlierQuestionForWhatIsNow() {
    ids.since(TOPIC, nanos);
    long before = nanos;
    pass();
    questions.getLast().complete("a");

    assertThat(ids.since(TOPIC, nanos)).isEmpty();
    assertThat(ids.since(TOPIC, before)).hasValue("a");
    questions.getLast().complete("b");
    assertThat(ids.since(TOPIC, nanos)).hasValue("b");
  }

  @Test
  void waitsForAnAnswerToAQuestionOfNow() {
    ids.since(TOPIC, nanos);
    questions.getLast().complete("a");
    TopicIds other = new TopicIds(topic -> CompletableFuture.completedFuture("b"), () -> nanos);
    assertThat(other.now(TOPIC, Duration.ofMinutes(1))).hasValue("b");
    assertThat(other.since(TOPIC, nanos)).hasValue("b");

    assertThat(ids.now(TOPIC, Duration.ofMillis(1))).as("nobody answers").isEmpty();
    assertThat(questions).hasSize(2);
  }

  @Test
  void forgetsNothingForAnAnswerThatComesLate() {
    ids.since(TOPIC, nanos);
    CompletableFuture<String> late = questions.getLast();
    pass();
    ids.since(TOPIC, nanos);
    questions.getLast().complete("b");
    late.complete("a");

    assertThat(ids.since(TOPIC, nanos - Duration.ofMinutes(1).toNanos())).hasValue("b");
  }

  @Test
  void asksAgainAfterAFailure() {
    ids.since(TOPIC, nanos);
    questions.getLast().completeExceptionally(new IllegalStateException("no answer"));
    assertThat(ids.since(TOPIC, nanos)).isEmpty();
    pass();
    assertThat(ids.since(TOPIC, nanos)).isEmpty();

    assertThat(questions).hasSize(2);
    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, nanos)).hasValue("a");
  }
}
