package io.indexview.connect.common.sink;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * The newest operation of each key of a batch. Kafka's order within a partition is the order of a
 * row's changes, so the last one in the batch is the newest.
 */
public final class NewestByKey<K, T> {
  private final Map<K, T> newest = new LinkedHashMap<>();
  private final Function<? super T, ? extends K> key;
  private long overtaken;

  /**
   * @param key the full key of the row that an operation changes
   */
  public NewestByKey(Function<? super T, ? extends K> key) {
    this.key = key;
  }

  public void add(T operation) {
    if (newest.put(key.apply(operation), operation) != null) {
      overtaken++;
    }
  }

  /** In the order in which the keys came first. */
  public Collection<T> operations() {
    return newest.values();
  }

  /** Operations that a newer one of the same key replaced. */
  public long overtaken() {
    return overtaken;
  }
}
