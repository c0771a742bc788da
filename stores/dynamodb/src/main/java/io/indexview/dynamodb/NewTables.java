package io.indexview.dynamodb;

import java.util.Map;

/**
 * How tables are created; those that are there already stay as they are.
 *
 * @param capacity of each table and of each index; null: on demand
 * @param tags that tables get
 */
public record NewTables(Capacity capacity, Map<String, String> tags) {
  /** Tables on demand, without tags. */
  public static final NewTables PLAIN = new NewTables(null, Map.of());

  public NewTables {
    tags = Map.copyOf(tags);
  }

  /** Provisioned units per second, at least one of each. */
  public record Capacity(long readUnits, long writeUnits) {
    public Capacity {
      if (readUnits < 1 || writeUnits < 1) {
        throw new IllegalArgumentException(
            "read units %d and write units %d must be at least 1".formatted(readUnits, writeUnits));
      }
    }
  }
}
