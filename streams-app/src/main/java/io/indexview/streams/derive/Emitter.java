package io.indexview.streams.derive;

import io.indexview.streams.generation.FrozenGeneration;

/** Where derived rows and dead letters go, in one transaction with the state. */
public interface Emitter {

  /**
   * @param key in the wire format
   * @param value in the wire format; null deletes the row
   */
  void row(FrozenGeneration generation, byte[] key, byte[] value, long revision);

  void deadLetter(Problem problem);
}
