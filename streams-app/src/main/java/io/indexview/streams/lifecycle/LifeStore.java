package io.indexview.streams.lifecycle;

import java.util.Map;

/** Where the owner keeps what it remembers. What it puts is committed with what it publishes. */
interface LifeStore {

  /** Everything, by key. */
  Map<String, String> all();

  /**
   * @param text null: nothing any more
   */
  void put(String key, String text);
}
