package io.indexview.connect.common.source;

import java.util.Map;

/**
 * What a source says of the changes of its store that it follows between two scans.
 *
 * @param provenUntil every change that was made before is on the topic, ms since the epoch; null:
 *     no time is known
 * @param ends offset of each partition before which these changes are; empty: no time is known
 * @param problem why changes are not followed now, for people; null: they are
 */
public record ChangeFeedState(Long provenUntil, Map<Integer, Long> ends, String problem) {
  public ChangeFeedState {
    ends = Map.copyOf(ends);
  }
}
