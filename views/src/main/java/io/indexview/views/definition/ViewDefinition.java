package io.indexview.views.definition;

import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A view as its author wants it. An instance need not be valid: {@link ViewValidator} says.
 *
 * @param source name of the record set
 * @param key field paths, in order; of a document: empty (keyed by the primary key), or partition
 *     key and sort key
 * @param shardKey null: the default, all of {@code key}
 * @param include field paths; null in a document: every top-level field
 * @param where CEL expression that a record must match to have rows; null: every record does
 * @param maxRowsPerRecord a record that would derive more rows derives none
 * @param verificationInterval from one verification to the next, zero: never by itself; null: as
 *     the servers say. What rows are built from does not include it
 */
public record ViewDefinition(
    String name,
    String source,
    Kind kind,
    List<String> key,
    ShardKey shardKey,
    List<String> include,
    String where,
    Nulls nulls,
    Naming naming,
    int maxRowsPerRecord,
    Target target,
    Duration verificationInterval) {
  public static final int DEFAULT_MAX_ROWS_PER_RECORD = 1000;

  public ViewDefinition {
    Objects.requireNonNull(name, "name");
    Objects.requireNonNull(source, "source");
    Objects.requireNonNull(kind, "kind");
    key = List.copyOf(key);
    include = include == null ? null : List.copyOf(include);
    Objects.requireNonNull(nulls, "nulls");
    Objects.requireNonNull(naming, "naming");
    Objects.requireNonNull(target, "target");
  }

  /** How many leading key fields place a row. */
  public int shardKeyLength() {
    return shardKey == null ? key.size() : shardKey.length();
  }

  /**
   * What rows are built from, as JSON that is the same for definitions that are equal but for their
   * verification; the parser reads it back.
   */
  public String toJson() {
    return DefinitionJson.of(this).toString();
  }

  /** Returns a copy that leaves the interval of verification to the servers. */
  public ViewDefinition withoutVerification() {
    return new ViewDefinition(
        name,
        source,
        kind,
        key,
        shardKey,
        include,
        where,
        nulls,
        naming,
        maxRowsPerRecord,
        target,
        null);
  }

  /**
   * A definition as its author may write it.
   *
   * @param json as {@link #toJson} gives it
   * @param verificationInterval empty: it says nothing of it
   */
  public static String written(String json, Optional<Duration> verificationInterval) {
    return verificationInterval
        .map(interval -> DefinitionJson.withVerification(json, interval))
        .orElse(json);
  }

  /**
   * Reads {@link #toJson} back. Properties that this release does not know are ignored.
   *
   * @throws IllegalArgumentException if it is no definition
   */
  public static ViewDefinition fromJson(String json) {
    return DefinitionJson.read(json);
  }

  /** What a row stands for. */
  public enum Kind {
    /** One row per combination of key values and primary key. */
    INDEX,
    /** One row per primary record. */
    DOCUMENT
  }

  /** What becomes of a record whose key field is null. */
  public enum Nulls {
    /** A record without the field has no row. */
    SKIP,
    /** A record without the field has a row with null, which sorts first. */
    INDEX
  }

  /** How the store's name of the view is made. */
  public enum Naming {
    /** The view's name. */
    PLAIN,
    /** A hash over schema name and key fields. */
    HASH
  }

  /** The leading run of the key fields that places a row: a number of fields, or their names. */
  public sealed interface ShardKey {
    int length();

    record Leading(int length) implements ShardKey {}

    record Fields(List<String> names) implements ShardKey {
      public Fields {
        names = List.copyOf(names);
      }

      @Override
      public int length() {
        return names.size();
      }
    }
  }
}
