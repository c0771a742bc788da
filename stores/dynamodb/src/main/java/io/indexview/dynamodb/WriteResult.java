package io.indexview.dynamodb;

import java.util.Map;

/**
 * What became of a conditional write.
 *
 * @param existing null if it was applied, else the item that held it off, empty if there is none
 * @param units write capacity units that it took; 0 if the store does not tell, as when it refuses
 */
public record WriteResult(Map<String, Object> existing, double units) {
  static WriteResult applied(double units) {
    return new WriteResult(null, units);
  }

  static WriteResult heldOffBy(Map<String, Object> existing) {
    return new WriteResult(existing, 0);
  }

  public boolean applied() {
    return existing == null;
  }
}
