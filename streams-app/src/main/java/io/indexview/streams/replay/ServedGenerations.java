package io.indexview.streams.replay;

import io.indexview.streams.build.TaskMemory;
import java.util.HashSet;
import java.util.Set;

/** The generations that have their replay and are not built yet, as a task remembers them. */
final class ServedGenerations {
  private static final String PREFIX = "replayed|";
  private static final byte[] YES = {1};

  private final TaskMemory memory;
  private final Set<String> keys = new HashSet<>();

  ServedGenerations(TaskMemory memory) {
    this.memory = memory;
    memory.forEach(
        (key, value) -> {
          if (key.startsWith(PREFIX)) {
            keys.add(key.substring(PREFIX.length()));
          }
        });
  }

  boolean contains(String generation) {
    return keys.contains(generation);
  }

  void add(Set<String> generations) {
    keys.addAll(generations);
    generations.forEach(generation -> memory.put(PREFIX + generation, YES));
  }

  /** Forgets all others. */
  void retain(Set<String> generations) {
    for (String generation : Set.copyOf(keys)) {
      if (!generations.contains(generation)) {
        keys.remove(generation);
        memory.put(PREFIX + generation, null);
      }
    }
  }
}
