package io.indexview.benchmarks.contest;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.benchmarks.contest.Contest.Contestant;
import io.indexview.benchmarks.contest.Outcome.Spread;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ContestTest {
  private static final long SECOND = 1_000_000_000;

  private final List<String> turns = new ArrayList<>();

  private Contestant contestant(String name, Contestant.Trial trial) {
    return new Contestant(
        name,
        () -> {
          turns.add(name);
          return trial.run();
        });
  }

  /** The warm-up is the first. */
  private int round() {
    return (turns.size() + 1) / 2;
  }

  @Test
  void takesTurnsAndComparesWithinEachRound() throws Exception {
    Contest contest =
        new Contest(
            "a contest",
            List.of(
                contestant("A", () -> new Effort(100L * round(), SECOND, SECOND / 2)),
                contestant("B", () -> new Effort(50L * round() * round(), SECOND, SECOND))));

    Outcome outcome = contest.run(1, 3, progress -> {});

    assertThat(turns).containsExactly("A", "B", "A", "B", "A", "B", "A", "B");
    assertThat(outcome.rate("A")).isEqualTo(300);
    assertThat(outcome.ratio("B")).isEqualTo(new Spread(1, 1.5, 2));
    assertThat(outcome.cpuRatio("B")).isEqualTo(new Spread(0.5, 0.75, 1));
    assertThat(outcome.ratio("B")).hasToString("1.50 (1.00-2.00)");
  }

  @Test
  void turnsTheOrderRoundEachTime() throws Exception {
    Contest.alternating(
            "a contest",
            List.of(
                contestant("A", () -> new Effort(1, SECOND, SECOND)),
                contestant("B", () -> new Effort(1, SECOND, SECOND))))
        .run(1, 3, progress -> {});

    assertThat(turns).containsExactly("B", "A", "A", "B", "B", "A", "A", "B");
  }

  @Test
  void printsTablesThatAlign() {
    Table table = new Table("Some", "what", "rate").row("sink", Table.whole(12_345.6));

    assertThat(table)
        .hasToString(
            """
            Some

            | what | rate   |
            | ---  | ---    |
            | sink | 12,346 |
            """);
  }
}
