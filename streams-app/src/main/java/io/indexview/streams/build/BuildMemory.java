package io.indexview.streams.build;

import java.util.Map;
import java.util.TreeMap;

/** What a task remembers of generations. */
final class BuildMemory {
  private static final String STATE = "state|";
  private static final String PUBLISHED = "published|";

  private final TaskMemory memory;

  BuildMemory(TaskMemory memory) {
    this.memory = memory;
  }

  Map<GenerationKey, BuildState> states() {
    Map<GenerationKey, BuildState> states = new TreeMap<>();
    read(STATE).forEach((key, bytes) -> states.put(key, BuildStateCodec.decode(bytes)));
    return states;
  }

  /** The generations as they were published, not decoded. */
  Map<GenerationKey, byte[]> published() {
    return read(PUBLISHED);
  }

  private Map<GenerationKey, byte[]> read(String prefix) {
    Map<GenerationKey, byte[]> values = new TreeMap<>();
    memory.forEach(
        (key, value) -> {
          if (key.startsWith(prefix)) {
            GenerationKey.parse(key.substring(prefix.length()))
                .ifPresent(generation -> values.put(generation, value));
          }
        });
    return values;
  }

  void save(GenerationKey key, BuildState state) {
    memory.put(STATE + key.text(), BuildStateCodec.encode(state));
  }

  /**
   * A task may come to an instance that has not learned of the generation yet, and must not miss a
   * change of its rows there.
   */
  void savePublished(GenerationKey key, byte[] value) {
    memory.put(PUBLISHED + key.text(), value);
  }

  void forgetPublished(GenerationKey key) {
    memory.put(PUBLISHED + key.text(), null);
  }

  void forget(GenerationKey key) {
    memory.put(STATE + key.text(), null);
    forgetPublished(key);
  }
}
