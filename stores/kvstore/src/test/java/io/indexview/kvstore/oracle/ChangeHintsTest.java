package io.indexview.kvstore.oracle;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvChangePosition;
import io.indexview.kvstore.KvKey;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class ChangeHintsTest {
  private static final KvChangePosition.Entry POSITION = new KvChangePosition.Entry(1, 1);
  private static final KvKey KEY = KvKey.ofMajor("a");

  private final ChangeHints hints = new ChangeHints();

  private void ask(String shard, Duration ago) {
    hints.setProven(shard, System.nanoTime() - ago.toNanos());
  }

  @Test
  void provesWhatItWasAskedForWhilePollsAreShort() {
    hints.passed("rg1", POSITION);
    hints.poll(0);
    assertThat(hints.provenAge()).isEmpty();

    ask("rg1", Duration.ofSeconds(5));
    assertThat(hints.provenAge()).as("before what came meanwhile is polled").isEmpty();
    for (int i = 0; i < 3; i++) {
      hints.add("rg1", List.of(KEY), POSITION);
      assertThat(hints.poll(0).keys()).containsExactly(KEY);
      assertThat(hints.provenAge())
          .get()
          .satisfies(
              age -> assertThat(age).isBetween(Duration.ofSeconds(5), Duration.ofMinutes(1)));
    }
  }

  @Test
  void provesNothingWhileAShardIsOut() {
    hints.passed("rg1", POSITION);
    ask("rg1", Duration.ofSeconds(5));
    hints.setOutage("rg1", "no master");
    hints.add("rg1", List.of(KEY), POSITION);
    hints.poll(0);
    assertThat(hints.provenAge()).isEmpty();

    hints.setOutage("rg1", null);
    hints.poll(0);
    assertThat(hints.provenAge()).isPresent();
  }

  @Test
  void provesNoMoreThanTheShardThatWasAskedLongestAgo() {
    hints.passed("rg1", POSITION);
    hints.passed("rg2", POSITION);
    ask("rg1", Duration.ofSeconds(5));
    hints.poll(0);
    assertThat(hints.provenAge()).isEmpty();

    ask("rg2", Duration.ofHours(1));
    hints.poll(0);
    assertThat(hints.provenAge())
        .get()
        .satisfies(age -> assertThat(age).isGreaterThanOrEqualTo(Duration.ofHours(1)));
  }
}
