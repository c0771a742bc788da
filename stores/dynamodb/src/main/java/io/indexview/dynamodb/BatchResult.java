package io.indexview.dynamodb;

import java.util.List;

/**
 * What became of the writes of a batch.
 *
 * @param unprocessed indices of those that the store did not take this time
 * @param units write capacity units that the others took; 0 if the store does not tell
 */
public record BatchResult(List<Integer> unprocessed, double units) {
  public BatchResult {
    unprocessed = List.copyOf(unprocessed);
  }
}
