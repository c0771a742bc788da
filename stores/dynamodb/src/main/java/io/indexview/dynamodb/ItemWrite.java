package io.indexview.dynamodb;

import java.util.Map;
import java.util.Objects;

/** One write of a batch. */
public sealed interface ItemWrite {
  Map<String, ?> key();

  /** Writes a whole item, its key included, in place of the one that has its key. */
  record Put(Map<String, ?> key, Map<String, ?> item) implements ItemWrite {
    public Put {
      Objects.requireNonNull(key, "key");
      Objects.requireNonNull(item, "item");
    }
  }

  /** Removes the item of a key. */
  record Delete(Map<String, ?> key) implements ItemWrite {
    public Delete {
      Objects.requireNonNull(key, "key");
    }
  }
}
