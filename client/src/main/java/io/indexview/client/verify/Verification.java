package io.indexview.client.verify;

import java.util.List;

/**
 * What comparing a view with its primary records gave.
 *
 * @param records primary records read
 * @param rows rows that the target holds
 * @param missing how many derived rows the target lacks
 * @param dangling how many rows of the target no primary record derives
 * @param different how many rows are there with other values
 * @param samples the first differences, for messages
 */
public record Verification(
    String view,
    long records,
    long rows,
    long missing,
    long dangling,
    long different,
    List<String> samples) {
  public Verification {
    samples = List.copyOf(samples);
  }

  /** Whether the view is exactly what its primary records derive. */
  public boolean exact() {
    return missing == 0 && dangling == 0 && different == 0;
  }
}
