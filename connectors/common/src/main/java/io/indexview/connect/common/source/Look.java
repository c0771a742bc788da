package io.indexview.connect.common.source;

import io.indexview.schemas.control.KeyScope;
import java.util.Map;

/**
 * One complete look at a slice of a source: a sweep, a listing.
 *
 * @param number counts the looks of the slice
 * @param startedAt ms since the epoch
 * @param endedAt ms since the epoch
 * @param records primary records seen
 * @param forced a resnapshot
 * @param request of a resnapshot: the highest request number that it answers; 0: it was not asked
 * @param scope the keys that it answers for; null: it does not tell, as those of releases before
 * @param begins end offset of each partition before the look
 * @param ends end offset of each partition after every event of the look was acknowledged
 */
public record Look(
    long number,
    long startedAt,
    long endedAt,
    long records,
    boolean forced,
    long request,
    KeyScope scope,
    Map<Integer, Long> begins,
    Map<Integer, Long> ends) {
  public Look {
    begins = Map.copyOf(begins);
    ends = Map.copyOf(ends);
    if (!begins.keySet().equals(ends.keySet())) {
      throw new IllegalArgumentException(
          "partitions with a begin %s and with an end %s differ"
              .formatted(begins.keySet(), ends.keySet()));
    }
  }
}
