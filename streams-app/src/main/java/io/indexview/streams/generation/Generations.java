package io.indexview.streams.generation;

import java.util.List;

/** What tasks derive; the one way in which they learn of it. Safe for use by several threads. */
@FunctionalInterface
public interface Generations {

  /**
   * The generations that read a record set now, immutable. The same list instance is returned until
   * something changes, so that a caller may compare by identity for each event.
   */
  List<FrozenGeneration> of(String recordSet);
}
