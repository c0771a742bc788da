package io.indexview.streams.task;

import io.indexview.streams.task.TaskStores.ControlRecords;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BiConsumer;

/** A control topic that holds what a map has whenever somebody looks. */
public final class ControlMap implements ControlRecords {
  private record Known(long number, byte[] value) {}

  private final Map<String, byte[]> now;
  private final Map<String, Known> known = new HashMap<>();
  private long last = START;

  public ControlMap(Map<String, byte[]> now) {
    this.now = now;
  }

  @Override
  public long since(long since, BiConsumer<String, byte[]> visitor) {
    TreeSet<String> keys = new TreeSet<>(now.keySet());
    keys.addAll(known.keySet());
    for (String key : keys) {
      byte[] value = now.get(key);
      if (!known.containsKey(key) || !Arrays.equals(value, known.get(key).value())) {
        known.put(key, new Known(++last, value));
      }
    }
    Map<Long, String> news = new TreeMap<>();
    known.forEach(
        (key, number) -> {
          if (number.number() > since) {
            news.put(number.number(), key);
          }
        });
    news.values().forEach(key -> visitor.accept(key, known.get(key).value()));
    return last;
  }
}
