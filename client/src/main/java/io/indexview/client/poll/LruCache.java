package io.indexview.client.poll;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Function;

/**
 * Values that were used last, made of their keys when they are missing; a value must depend on its
 * key alone. Thread-safe.
 */
public final class LruCache<K, V> {
  private static final float LOAD_FACTOR = 0.75f;

  private final Function<K, V> make;
  private final Map<K, V> made;

  /**
   * @param max how many are kept
   */
  public LruCache(int max, Function<K, V> make) {
    this.make = make;
    this.made =
        new LinkedHashMap<>(16, LOAD_FACTOR, true) {
          private static final long serialVersionUID = 1L;

          @Override
          protected boolean removeEldestEntry(Map.Entry<K, V> eldest) {
            return size() > max;
          }
        };
  }

  /** The value of the key, which is made if it is missing; what making throws passes through. */
  public V get(K key) {
    synchronized (made) {
      V known = made.get(key);
      if (known != null) {
        return known;
      }
    }
    V fresh = make.apply(key);
    synchronized (made) {
      V first = made.putIfAbsent(key, fresh);
      return first == null ? fresh : first;
    }
  }
}
