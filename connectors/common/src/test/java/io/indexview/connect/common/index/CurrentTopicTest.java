package io.indexview.connect.common.index;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.fixtures.ManualClock;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Which answers count, of brokers that answer after the call that asked them. */
class CurrentTopicTest {
  private final ManualClock clock = new ManualClock();
  private final CurrentTopic current = new CurrentTopic(this::idSince, clock);
  private String answer;
  private long answerAskedAt;
  private long askedAt;

  private Optional<String> idSince(long moment) {
    if (answer != null && answerAskedAt - moment >= 0) {
      return Optional.of(answer);
    }
    askedAt = clock.nanoTime();
    return Optional.empty();
  }

  /** To the last question. */
  private void answer(String id) {
    answer = id;
    answerAskedAt = askedAt;
  }

  private void pass(int seconds) {
    clock.pass(Duration.ofSeconds(seconds));
  }

  @Test
  void isOfTheLastTenSeconds() {
    assertThat(current.id()).isEmpty();
    answer("a");
    pass(10);
    assertThat(current.id()).hasValue("a");
    pass(1);
    assertThat(current.id()).isEmpty();
    answer("b");
    assertThat(current.id()).hasValue("b");
  }

  @Test
  void isOfTheLastQuestionHoweverLongAgoThatIs() {
    assertThat(current.id()).isEmpty();
    answer("a");
    pass(30);
    assertThat(current.id()).hasValue("a");
    assertThat(current.id()).as("it was asked again").isEmpty();

    answer("b");
    pass(300);
    assertThat(current.id()).hasValue("b");
  }

  /** A busy caller does not make the question newer that it waits for. */
  @Test
  void takesTheAnswerToAQuestionThatWasWaitedForSeveralTimes() {
    assertThat(current.id()).isEmpty();
    long first = askedAt;
    pass(1);
    assertThat(current.id()).isEmpty();
    askedAt = first;
    answer("a");
    pass(30);
    assertThat(current.id()).hasValue("a");
  }

  @Test
  void isOfNoQuestionThatIsForgotten() {
    assertThat(current.id()).isEmpty();
    answer("a");
    pass(1);
    current.forget();
    assertThat(current.id()).isEmpty();
    pass(30);
    assertThat(current.id()).as("nobody answered").isEmpty();
    answer("b");
    assertThat(current.id()).hasValue("b");
  }
}
