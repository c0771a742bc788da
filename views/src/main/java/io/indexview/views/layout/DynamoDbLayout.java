package io.indexview.views.layout;

import io.indexview.views.definition.ViewGeneration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * Rows of one generation in DynamoDB, as plain Java: {@link String}, {@link Number}, {@link
 * Boolean}, {@code byte[]}, {@link List} and {@link Map} of these; an attribute without a value is
 * left out. Fields are taken by name from a function, as in {@link KvLayout}. Thread-safe.
 */
public final class DynamoDbLayout {
  /** Attribute that holds the revision. */
  public static final String VERSION = "version";

  /** Attribute that holds the generation, where generations share one table. */
  public static final String GENERATION = "gen";

  /** Attribute that only deletion markers have: true. */
  public static final String DELETED = "_deleted";

  /** Attribute of deletion markers for the table's time to live: seconds since the epoch. */
  public static final String EXPIRES_AT = "_expiresAt";

  public static DynamoDbLayout of(ViewGeneration generation) {
    throw new IllegalStateException("not built yet");
  }

  public Table table() {
    throw new IllegalStateException("not built yet");
  }

  /**
   * The key attributes of a row.
   *
   * @throws LayoutException if the store does not take such a key
   */
  public Map<String, Object> key(Function<String, ?> key) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * The whole item of a row.
   *
   * @throws LayoutException if the store does not take such an item
   */
  public Map<String, Object> item(
      Function<String, ?> key, Function<String, ?> value, long revision) {
    throw new IllegalStateException("not built yet");
  }

  /** A deletion marker: the key and what the fence needs, no index attributes. */
  public Map<String, Object> deletionMarker(
      Function<String, ?> key, long revision, long expiresAtSeconds) {
    throw new IllegalStateException("not built yet");
  }

  /**
   * An item read back; numbers may come as any {@link Number}.
   *
   * @throws LayoutException if it is no row of this generation
   */
  public StoredRow row(Map<String, ?> item) {
    throw new IllegalStateException("not built yet");
  }

  /** Type of a key attribute. */
  public enum AttributeType {
    S,
    N
  }

  /** An attribute that a table or index is keyed by. */
  public record KeyAttribute(String name, AttributeType type) {}

  /**
   * @param sortKey null if there is none
   */
  public record Index(String name, KeyAttribute partitionKey, KeyAttribute sortKey) {}

  /**
   * @param sortKey null if there is none
   */
  public record Table(
      String name, KeyAttribute partitionKey, KeyAttribute sortKey, List<Index> indexes) {}
}
