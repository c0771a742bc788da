package io.indexview.connect.common.source;

import io.indexview.schemas.control.KeyScope;
import java.util.Map;

/**
 * One complete scan or listing of a source partition.
 *
 * @param number counts the scans of the source partition
 * @param startedAt ms since the epoch
 * @param endedAt ms since the epoch
 * @param records primary records seen
 * @param forced an ad-hoc snapshot
 * @param request of an ad-hoc snapshot: the highest request number that it answers; 0: it was not
 *     asked
 * @param scope the keys that it answers for; null: it does not tell, as those of releases before
 * @param begins end offset of each partition before the scan
 * @param ends end offset of each partition after every event of the scan was acknowledged
 */
public record Scan(
    long number,
    long startedAt,
    long endedAt,
    long records,
    boolean forced,
    long request,
    KeyScope scope,
    Map<Integer, Long> begins,
    Map<Integer, Long> ends) {
  public Scan {
    begins = Map.copyOf(begins);
    ends = Map.copyOf(ends);
    if (!begins.keySet().equals(ends.keySet())) {
      throw new IllegalArgumentException(
          "partitions with a begin %s and with an end %s differ"
              .formatted(begins.keySet(), ends.keySet()));
    }
  }
}
