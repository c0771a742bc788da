package io.indexview.connect.s3;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts events that are skipped, by their types, and names each type in the log once. Types come
 * from outside: those beyond {@value #MAX_TYPES} are counted as one. One thread counts, any may
 * ask.
 */
final class SkippedTypes {
  private static final Logger LOGGER = LoggerFactory.getLogger(SkippedTypes.class);
  static final int MAX_TYPES = 100;
  static final String OTHERS = "others";

  private final Map<String, Long> counts = new ConcurrentHashMap<>();

  void count(String type) {
    boolean isNamed = counts.size() < MAX_TYPES || counts.containsKey(type);
    String name = isNamed ? type : OTHERS;
    if (counts.merge(name, 1L, Long::sum) == 1) {
      LOGGER.info("Events of type {} are no creation or removal of an object: skipped", name);
    }
  }

  /** Events so far, by type. */
  Map<String, Long> counts() {
    return Map.copyOf(counts);
  }
}
