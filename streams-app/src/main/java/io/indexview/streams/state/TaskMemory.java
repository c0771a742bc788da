package io.indexview.streams.state;

import java.util.function.BiConsumer;

/** The few things that a task remembers beside its state, in one transaction with it. */
public interface TaskMemory {

  /** Null if there is nothing. */
  byte[] get(String key);

  /** Shows everything, in any order. */
  void forEach(BiConsumer<String, byte[]> visitor);

  /**
   * @param value null: to be forgotten
   */
  void put(String key, byte[] value);
}
