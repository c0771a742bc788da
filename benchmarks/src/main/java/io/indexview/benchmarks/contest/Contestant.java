package io.indexview.benchmarks.contest;

/** One way to do a piece of work. */
public record Contestant(String name, Trial trial) {
  /** The work, once. */
  @FunctionalInterface
  public interface Trial {
    /** Does it, and returns how much was done and how long that took. */
    Effort run() throws Exception;
  }
}
