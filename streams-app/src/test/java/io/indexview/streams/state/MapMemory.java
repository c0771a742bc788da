package io.indexview.streams.state;

import java.util.Map;
import java.util.function.BiConsumer;

/** What a task remembers, in a map. */
public record MapMemory(Map<String, byte[]> map) implements TaskMemory {
  @Override
  public byte[] get(String key) {
    return map.get(key);
  }

  @Override
  public void forEach(BiConsumer<String, byte[]> visitor) {
    map.forEach(visitor);
  }

  @Override
  public void put(String key, byte[] value) {
    if (value == null) {
      map.remove(key);
    } else {
      map.put(key, value);
    }
  }
}
