package io.indexview.connect.dynamodb;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.TableSpec;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which tables Indexview has created, and so may delete: an item each in the table of the metadata,
 * with the table's identity, so that no other table of the same name counts. It is written as soon
 * as the store is known to have created the table. A table without one is taken for somebody
 * else's, also when the sink ended, or gave up, before it could write the item. Thread-safe.
 */
final class CreatedTables {
  /** Partition key of the item of a table: this before the table's name. */
  private static final String KEY = "table#";

  private static final String IDENTITY = "identity";

  private final ItemStore store;
  private final MetadataTable metadata;

  /** Identities of created tables that the metadata's table may not know of yet, by name. */
  private final Map<String, String> unmarked = new ConcurrentHashMap<>();

  CreatedTables(ItemStore store, MetadataTable metadata) {
    this.store = store;
    this.metadata = metadata;
  }

  /**
   * Makes a table of a view ready, and remembers if that created it. The table of the metadata must
   * be ready.
   *
   * @throws io.indexview.dynamodb.ItemStoreException if that fails; the next call goes on
   */
  void ensure(TableSpec table) {
    mark(table.name());
    store.ensureTable(
        table,
        Duration.ZERO,
        identity -> {
          unmarked.put(table.name(), identity);
          mark(table.name());
        });
  }

  private void mark(String table) {
    String identity = unmarked.get(table);
    if (identity != null) {
      Map<String, Object> mark = new HashMap<>(MetadataTable.key(KEY + table));
      mark.put(IDENTITY, identity);
      ItemStore.await(store.put(metadata.name(), mark));
      unmarked.remove(table);
    }
  }

  /** Which table of this name was created; whether that is the present one the store tells. */
  Optional<String> identity(String table) {
    if (!metadata.isThere()) {
      return Optional.empty();
    }
    return metadata
        .get(KEY + table)
        .map(mark -> mark.get(IDENTITY) instanceof String identity ? identity : null);
  }

  /** Forgets a table that is gone, or that others may use. */
  void forget(String table) {
    unmarked.remove(table);
    if (identity(table).isPresent()) {
      ItemStore.await(store.delete(metadata.name(), MetadataTable.key(KEY + table)));
    }
  }
}
