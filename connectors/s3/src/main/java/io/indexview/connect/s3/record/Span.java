package io.indexview.connect.s3.record;

import io.indexview.connect.common.source.Acknowledgements;
import java.util.HashMap;
import java.util.Map;

/**
 * The part of the topic that a look was published in.
 *
 * @param begins end offset of each partition before the look
 * @param ends end offset of each partition after every event of the look was acknowledged
 */
record Span(Map<Integer, Long> begins, Map<Integer, Long> ends) {

  /** A partition that came meanwhile began at 0; one whose end is not known yet has its events. */
  static Span of(
      Map<Integer, Long> before, Map<Integer, Long> after, Acknowledgements acknowledgements) {
    Map<Integer, Long> ends = new HashMap<>(after);
    acknowledgements.ends().forEach((partition, end) -> ends.merge(partition, end, Math::max));
    Map<Integer, Long> begins = new HashMap<>(before);
    ends.keySet().forEach(partition -> begins.putIfAbsent(partition, 0L));
    return new Span(begins, ends);
  }
}
