package io.indexview.connect.dynamodb;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.schemas.Topics;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The one table of an installation: the views' metadata, and what the sink remembers of their
 * tables. Thread-safe.
 */
final class MetadataTable {
  /** Wait for the table to be created, once in the life of an installation. */
  private static final Duration CREATION = Duration.ofSeconds(20);

  /** An id that no item has. */
  private static final String PROBE = "there";

  private final ItemStore store;
  private final TableSpec spec;
  private final boolean create;
  private volatile boolean ready;

  /**
   * @param create whether it is to be created
   */
  MetadataTable(ItemStore store, Topics topics, boolean create) {
    this.store = store;
    this.spec = spec(topics);
    this.create = create;
  }

  static TableSpec spec(Topics topics) {
    return new TableSpec(
        topics.prefix() + ViewMetadata.DYNAMODB_TABLE_SUFFIX,
        new TableSpec.Key(ViewMetadata.DYNAMODB_KEY, TableSpec.KeyType.STRING),
        null,
        List.of(),
        null);
  }

  static Map<String, Object> key(String id) {
    return Map.of(ViewMetadata.DYNAMODB_KEY, id);
  }

  String name() {
    return spec.name();
  }

  /**
   * Sees to it that it is there. Before anything is read of it, or written to it.
   *
   * @throws io.indexview.dynamodb.ItemStoreException.Permanent if it is not, and is not to be
   *     created
   */
  void ready() {
    if (!ready) {
      try {
        GenerationTables.ready(store, spec, create, CREATION);
      } catch (ItemStoreException.NoTable e) {
        // Not as that of one view, which the others need not wait for.
        throw new ItemStoreException.Permanent(e.getMessage(), e);
      }
      ready = true;
    }
  }

  /**
   * Whether there is a table to read from; one that is missing holds nothing. A table that another
   * task is just creating is described already, but cannot be read.
   */
  boolean isThere() {
    return ready || isRead();
  }

  private boolean isRead() {
    try {
      get(PROBE);
      return true;
    } catch (ItemStoreException.NoTable e) {
      return false;
    }
  }

  /**
   * An item.
   *
   * @throws ItemStoreException.NoTable if it is not there; then it has to be made ready again
   */
  Optional<Map<String, Object>> get(String id) {
    try {
      return store.get(name(), key(id));
    } catch (ItemStoreException.NoTable e) {
      ready = false;
      throw e;
    }
  }
}
