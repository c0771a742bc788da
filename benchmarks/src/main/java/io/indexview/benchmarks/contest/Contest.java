package io.indexview.benchmarks.contest;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Contestants that take turns, round by round (A B A B), so that whatever else the machine does
 * meets all of them alike. On a machine that is shared only ratios within a round mean something.
 */
public final class Contest {
  private final String title;
  private final List<Contestant> contestants;

  private final boolean alternates;

  /**
   * @param contestants in the order of their turns; the first is what the others are compared with
   */
  public Contest(String title, List<Contestant> contestants) {
    this(title, contestants, false);
  }

  private Contest(String title, List<Contestant> contestants, boolean alternates) {
    this.title = title;
    this.contestants = List.copyOf(contestants);
    this.alternates = alternates;
  }

  /**
   * A contest with each other round from the last to the first (A B B A): what a turn leaves behind
   * meets all alike, too. For contestants none of which needs another's turn before its own.
   */
  public static Contest alternating(String title, List<Contestant> contestants) {
    return new Contest(title, contestants, true);
  }

  /**
   * Runs all rounds.
   *
   * @param warmups rounds before, which do not count
   */
  public Outcome run(int warmups, int rounds, Consumer<String> progress) throws Exception {
    Map<String, List<Effort>> efforts = new LinkedHashMap<>();
    for (int round = -warmups; round < rounds; round++) {
      String name = round < 0 ? "warm-up" : "round %d of %d".formatted(round + 1, rounds);
      for (Contestant contestant : turns(round)) {
        Effort effort = contestant.trial().run();
        progress.accept("%s: %s, %s: %s".formatted(title, name, contestant.name(), effort));
        if (round >= 0) {
          efforts.computeIfAbsent(contestant.name(), unused -> new ArrayList<>()).add(effort);
        }
      }
    }
    return new Outcome(contestants.get(0).name(), efforts);
  }

  private List<Contestant> turns(int round) {
    List<Contestant> turns = new ArrayList<>(contestants);
    if (alternates && round % 2 != 0) {
      Collections.reverse(turns);
    }
    return turns;
  }

  /** One way to do a piece of work. */
  public record Contestant(String name, Trial trial) {
    /** The work, once. */
    @FunctionalInterface
    public interface Trial {
      /** Does it, and returns how much was done and how long that took. */
      Effort run() throws Exception;
    }
  }
}
