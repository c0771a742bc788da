package io.indexview.schemas.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.DescribeTopicsResult;
import org.apache.kafka.clients.admin.TopicDescription;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.internals.KafkaFutureImpl;
import org.junit.jupiter.api.Test;

/** What is known of a topic's identity while questions and answers are under way. */
class TopicIdsTest {
  private static final String TOPIC = "changes";

  private final Deque<CompletableFuture<String>> questions = new ArrayDeque<>();

  /** Null: the question stays open. */
  private String answeredAtOnce;

  private final ManualClock clock = new ManualClock();

  private final TopicIds ids =
      new TopicIds(
          topic -> {
            questions.add(new CompletableFuture<>());
            if (answeredAtOnce != null) {
              questions.getLast().complete(answeredAtOnce);
            }
            return questions.getLast();
          },
          clock);

  private void pass() {
    clock.pass(Duration.ofSeconds(1));
  }

  @Test
  void isKnownWhenTheAnswerIsThere() {
    assertThat(ids.since(TOPIC, clock.nanoTime())).isEmpty();
    assertThat(ids.since(TOPIC, clock.nanoTime())).isEmpty();
    assertThat(questions).hasSize(1);

    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, clock.nanoTime())).hasValue("a");
    assertThat(questions).hasSize(1);
  }

  @Test
  void takesNoAnswerToAnEarlierQuestionForWhatIsNow() {
    ids.since(TOPIC, clock.nanoTime());
    long before = clock.nanoTime();
    pass();
    questions.getLast().complete("a");

    assertThat(ids.since(TOPIC, clock.nanoTime())).isEmpty();
    assertThat(ids.since(TOPIC, before)).hasValue("a");
    questions.getLast().complete("b");
    assertThat(ids.since(TOPIC, clock.nanoTime())).hasValue("b");
  }

  @Test
  void waitsForAnAnswerToAQuestionOfNow() {
    ids.since(TOPIC, clock.nanoTime());
    questions.getLast().complete("a");
    TopicIds other = new TopicIds(topic -> CompletableFuture.completedFuture("b"), clock);
    assertThat(other.now(TOPIC, Duration.ofMinutes(1))).hasValue("b");
    assertThat(other.since(TOPIC, clock.nanoTime())).hasValue("b");

    assertThat(ids.now(TOPIC, Duration.ofMillis(1))).as("nobody answers").isEmpty();
    assertThat(questions).hasSize(2);
  }

  /** An admin client gives up after a minute of its own. */
  @Test
  void asksABrokerThatDoesNotAnswerAgainWithinSeconds() {
    List<Unanswered> asked = new ArrayList<>();
    Admin silent =
        (Admin)
            Proxy.newProxyInstance(
                Admin.class.getClassLoader(),
                new Class<?>[] {Admin.class},
                (proxy, method, arguments) -> {
                  assertThat(method.getName()).isEqualTo("describeTopics");
                  Integer timeoutMs = ((DescribeTopicsOptions) arguments[1]).timeoutMs();
                  long timeout = timeoutMs == null ? 60_000 : timeoutMs;
                  asked.add(new Unanswered(clock.millis() + timeout));
                  return asked.get(asked.size() - 1);
                });
    TopicIds unanswered = new TopicIds(silent, clock);

    for (int seconds = 0; seconds < 5; seconds++) {
      assertThat(unanswered.since(TOPIC, clock.nanoTime())).isEmpty();
      pass();
      asked.forEach(question -> question.timeOutAt(clock.millis()));
    }

    assertThat(asked).hasSize(2);
  }

  /** What an admin client returns, and fails when its time is over. */
  private static final class Unanswered extends DescribeTopicsResult {
    private final long timesOutAt;

    private Unanswered(long timesOutAt) {
      super(null, Map.of(TOPIC, new KafkaFutureImpl<>()));
      this.timesOutAt = timesOutAt;
    }

    private void timeOutAt(long now) {
      if (now >= timesOutAt) {
        ((KafkaFutureImpl<TopicDescription>) topicNameValues().get(TOPIC))
            .completeExceptionally(new TimeoutException("no answer"));
      }
    }
  }

  @Test
  void asksNothingMoreWhileItWaitsForAnAnswer() {
    ids.since(TOPIC, clock.nanoTime());
    for (int seconds = 0; seconds < 5; seconds++) {
      pass();
      assertThat(ids.since(TOPIC, clock.nanoTime())).isEmpty();
    }
    assertThat(questions).hasSize(1);

    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, clock.nanoTime())).isEmpty();
    assertThat(questions).as("the answer is of before").hasSize(2);
  }

  @Test
  void asksAgainWhereAnAnswerNeverComes() {
    ids.since(TOPIC, clock.nanoTime());
    clock.pass(Duration.ofSeconds(10));
    ids.since(TOPIC, clock.nanoTime());

    assertThat(questions).hasSize(2);
    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, clock.nanoTime())).hasValue("a");
  }

  @Test
  void forgetsNothingForAnAnswerThatComesLate() {
    ids.since(TOPIC, clock.nanoTime());
    CompletableFuture<String> late = questions.getLast();
    pass();
    answeredAtOnce = "b";
    assertThat(ids.now(TOPIC, Duration.ofMinutes(1))).hasValue("b");
    late.complete("a");

    assertThat(ids.since(TOPIC, clock.nanoTime() - Duration.ofMinutes(1).toNanos())).hasValue("b");
  }

  @Test
  void asksAgainAfterAFailure() {
    ids.since(TOPIC, clock.nanoTime());
    questions.getLast().completeExceptionally(new IllegalStateException("no answer"));
    assertThat(ids.since(TOPIC, clock.nanoTime())).isEmpty();
    pass();
    assertThat(ids.since(TOPIC, clock.nanoTime())).isEmpty();

    assertThat(questions).hasSize(2);
    questions.getLast().complete("a");
    assertThat(ids.since(TOPIC, clock.nanoTime())).hasValue("a");
  }
}
