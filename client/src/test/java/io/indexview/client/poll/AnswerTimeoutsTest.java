package io.indexview.client.poll;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class AnswerTimeoutsTest {
  @Test
  void waitsSecondsInsteadOfAMinute() {
    assertThat(AnswerTimeouts.in(Map.of("bootstrap.servers", "a:1")))
        .isEqualTo(
            Map.of(
                "bootstrap.servers",
                "a:1",
                "default.api.timeout.ms",
                10_000,
                "request.timeout.ms",
                5_000));
  }

  @Test
  void leavesAloneWhatIsGiven() {
    Map<String, Object> one = Map.of("request.timeout.ms", 30_000);
    Map<String, Object> other = Map.of("default.api.timeout.ms", "1000");

    assertThat(AnswerTimeouts.in(one)).isEqualTo(one);
    assertThat(AnswerTimeouts.in(other)).isEqualTo(other);
  }
}
