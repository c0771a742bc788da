package io.indexview.dynamodb;

import java.util.Map;

/**
 * What became of a conditional write.
 *
 * @param existing null if it was applied, else the item that held it off, empty if there is none
 */
public record WriteResult(Map<String, Object> existing) {
  static final WriteResult APPLIED = new WriteResult(null);

  public boolean applied() {
    return existing == null;
  }
}
