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

  /** Nobody asks again while a question is open. */
  private boolean isOpen;

  private Optional<String> idSince(long moment) {
    if (answer != null && answerAskedAt - moment >= 0) {
      return Optional.of(answer);
    }
    if (!isOpen) {
      askedAt = clock.nanoTime();
      isOpen = true;
    }
    return Optional.empty();
  }

  /** To the last question. */
  private void answer(String id) {
    answer = id;
    answerAskedAt = askedAt;
    isOpen = false;
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
    pass(1);
    assertThat(current.id()).isEmpty();
    answer("a");
    pass(30);
    assertThat(current.id()).hasValue("a");
  }

  /** The question is older than the call of the other one, who waits for its answer, too. */
  @Test
  void takesTheAnswerToAQuestionThatSomebodyElseAsked() {
    CurrentTopic other = new CurrentTopic(this::idSince, clock);
    for (int polls = 0; polls < 5; polls++) {
      pass(30);
      Optional<String> expected = polls == 0 ? Optional.empty() : Optional.of("a" + polls);
      assertThat(current.id()).isEqualTo(expected);
      pass(1);
      assertThat(other.id()).isEqualTo(expected);
      answer("a" + (polls + 1));
    }
  }

  @Test
  void isOfNoQuestionThatIsForgotten() {
    assertThat(current.id()).isEmpty();
    answer("a");
    pass(1);
    current.forget();
    assertThat(current.id()).isEmpty();
    isOpen = false;
    pass(30);
    assertThat(current.id()).as("nobody answered").isEmpty();
    answer("b");
    assertThat(current.id()).hasValue("b");
  }
}
