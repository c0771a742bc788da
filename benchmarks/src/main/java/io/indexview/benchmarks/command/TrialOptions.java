package io.indexview.benchmarks.command;

import io.indexview.benchmarks.contest.Callers.Plan;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of contests whose contestants have callers, and a time to serve them. */
public final class TrialOptions {
  @Mixin private final Rounds rounds = new Rounds(5);
  @Mixin private ScratchDirectory directory;

  @Option(names = "--people", description = "Records that there are. Default: ${DEFAULT-VALUE}")
  private int people;

  @Option(
      names = "--trial-ms",
      description = "How long each contestant has in a round. Default: ${DEFAULT-VALUE}")
  private int trialMs;

  /** What is usual, without the options. */
  public TrialOptions(int people, int trialMs) {
    this.people = people;
    this.trialMs = trialMs;
  }

  /**
   * What is to be done.
   *
   * @param output of the command
   * @param callers at once, contests for each
   * @param minPeople that the command needs
   * @throws picocli.CommandLine.ParameterException for numbers that are too small
   */
  public Plan plan(BenchOutput output, List<Integer> callers, int minPeople) {
    output.require("--callers", callers);
    output.require("--trial-ms", List.of(trialMs));
    output.requireAtLeast(minPeople, "--people", List.of(people));
    return new Plan(
        directory.parent(), rounds.count(output), Duration.ofMillis(trialMs), people, callers);
  }
}
