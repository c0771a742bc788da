package io.indexview.connect.common.source;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** Source partitions in the one form in which Connect finds their offsets again. */
public final class SourcePartitions {
  private SourcePartitions() {}

  /**
   * The fields, iterated in the order of a {@link HashMap} that grew from empty. Connect finds an
   * offset by the bytes that its partition is written as, field by field, and reads partitions back
   * as such maps. {@link Map#of} is ordered anew in each JVM, and so loses its offset.
   */
  public static <V> Map<String, V> of(Map<String, V> fields) {
    Map<String, V> partition = new HashMap<>();
    new TreeMap<>(fields).forEach(partition::put);
    return partition;
  }
}
