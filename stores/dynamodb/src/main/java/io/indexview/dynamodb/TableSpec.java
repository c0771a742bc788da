package io.indexview.dynamodb;

import java.util.List;
import java.util.Objects;

/**
 * What a table is made of.
 *
 * @param sortKey null: the partition key alone is the key
 * @param expiryAttribute attribute with the second since the epoch after which the store may remove
 *     an item; null: items stay
 */
public record TableSpec(
    String name, Key partitionKey, Key sortKey, List<Index> indexes, String expiryAttribute) {
  public TableSpec {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(partitionKey, "partitionKey");
    indexes = List.copyOf(indexes);
  }

  /** Types that a key attribute can have. */
  public enum KeyType {
    STRING,
    NUMBER,
    BINARY
  }

  /** One key attribute. */
  public record Key(String attribute, KeyType type) {
    public Key {
      Objects.requireNonNull(attribute, "attribute");
      Objects.requireNonNull(type, "type");
    }
  }

  /**
   * A global secondary index over all attributes.
   *
   * @param sortKey null: none
   */
  public record Index(String name, Key partitionKey, Key sortKey) {
    public Index {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(partitionKey, "partitionKey");
    }
  }
}
