package io.indexview.views.definition;

import java.util.List;
import java.util.Objects;

/** Where the rows of a view are served, and how they lie there. */
public sealed interface Target {
  /** The types of the targets that Indexview's own sinks serve. */
  List<String> OWN = List.of(Kv.TYPE, DynamoDb.TYPE);

  /**
   * Type as in definitions and topic names: {@code kv}, {@code dynamodb}, or that of a generic
   * Connect sink.
   */
  String type();

  /**
   * @param layout form of the rows
   * @param primaryKeyForm of the primary key in the values of rows; key-only rows have none
   * @param maxElements primary keys that one row of a list holds at most, deleted ones that are
   *     still remembered included
   * @param prefix first component of every row's key
   * @param metaPrefix first component of the metadata's key
   */
  record Kv(
      KvRows layout,
      PrimaryKeyForm primaryKeyForm,
      int maxElements,
      String prefix,
      String metaPrefix)
      implements Target {
    public static final String TYPE = "kv";
    public static final int DEFAULT_MAX_ELEMENTS = 1_000;
    public static final String DEFAULT_PREFIX = "IDX";
    public static final String DEFAULT_META_PREFIX = "META";

    /**
     * Comes after the metadata prefix in the first component of what outlives the metadata of a
     * view.
     */
    public static final String HISTORY_SUFFIX = "-history";

    /** After the prefix of rows: first component of what says which metadata describes them. */
    public static final String OWNER_SUFFIX = "-owner";

    /** What a prefix looks like, as a regular expression. */
    public static final String PREFIX_PATTERN = "[A-Za-z0-9][A-Za-z0-9._-]{0,31}";

    /** What a prefix looks like, in words; ends the sentence "Use ...". */
    public static final String PREFIX_RULE =
        "1 to 32 of the characters A-Z a-z 0-9 . _ -, a letter or digit first";

    public Kv {
      Objects.requireNonNull(layout, "layout");
      Objects.requireNonNull(primaryKeyForm, "primaryKeyForm");
      Objects.requireNonNull(prefix, "prefix");
      Objects.requireNonNull(metaPrefix, "metaPrefix");
    }

    @Override
    public String type() {
      return TYPE;
    }
  }

  /**
   * @param table name of the first generation's table, and with {@link Swap#IN_PLACE} of every
   *     generation's
   */
  record DynamoDb(String table, List<GlobalIndex> indexes, Swap swap) implements Target {
    public static final String TYPE = "dynamodb";

    public DynamoDb {
      Objects.requireNonNull(table, "table");
      indexes = List.copyOf(indexes);
      Objects.requireNonNull(swap, "swap");
    }

    @Override
    public String type() {
      return TYPE;
    }
  }

  /**
   * A target that a generic Connect sink writes to, in its own way.
   *
   * @param type any name but those of {@link #OWN}
   */
  record Connect(String type) implements Target {
    /** What the name looks like, as a regular expression. */
    public static final String TYPE_PATTERN = "[a-z0-9][a-z0-9-]{0,29}";

    /** What the name looks like, in words; ends the sentence "Use ...". */
    public static final String TYPE_RULE = "1 to 30 of the characters a-z 0-9 -, the first no -";

    public Connect {
      if (!isType(type)) {
        throw new IllegalArgumentException("no name of a Connect target: " + type);
      }
    }

    /** Whether a target may have the name. */
    public static boolean isType(String name) {
      return name.matches(TYPE_PATTERN) && !OWN.contains(name);
    }
  }

  /** Form of the rows in the KV store. */
  enum KvRows {
    /** The key says everything, the value is empty. */
    KEY_ONLY,
    /** The key ends in a short unique suffix; the value holds the rest. */
    KEY_VALUE,
    /** One record for all rows that share their key fields; the value lists them. */
    LIST
  }

  /** How the value of a row holds the primary key. */
  enum PrimaryKeyForm {
    /** The key is one text. */
    PATH,
    /** The key is an array of the components of its path. */
    COMPONENTS
  }

  /** How a new generation takes the place of the one before. */
  enum Swap {
    /** Each generation has its own table. */
    NEW_TABLE,
    /** All generations share one table, whose name never changes. */
    IN_PLACE
  }

  /**
   * A global secondary index.
   *
   * @param partitionKey field path
   * @param sortKey field path, or null
   */
  record GlobalIndex(String name, String partitionKey, String sortKey) {
    public GlobalIndex {
      Objects.requireNonNull(name, "name");
      Objects.requireNonNull(partitionKey, "partitionKey");
    }
  }
}
