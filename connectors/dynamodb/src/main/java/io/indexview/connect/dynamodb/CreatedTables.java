package io.indexview.connect.dynamodb;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.TableSpec;
import io.indexview.schemas.Topics;
import io.indexview.views.layout.ViewMetadata;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Which tables Indexview has created, and so may delete: an item each in the table of the metadata.
 * It is there before the table gets its first row; without it a table is taken for somebody else's,
 * also when the sink ended between creating and remembering. Thread-safe.
 */
final class CreatedTables {
  /** Partition key of the item of a table: this before the table's name. */
  private static final String KEY = "table#";

  private final ItemStore store;
  private final TableSpec metadata;

  /** Created, while the metadata's table may not know of it yet. */
  private final Set<String> unmarked = ConcurrentHashMap.newKeySet();

  CreatedTables(ItemStore store, Topics topics) {
    this.store = store;
    this.metadata = MetadataItems.table(topics);
  }

  /**
   * Makes a table of a view ready, and remembers if that created it.
   *
   * @throws io.indexview.dynamodb.ItemStoreException if that fails; the next call goes on
   */
  void ensure(TableSpec table) {
    ViewTables.ready(store, metadata, true);
    store.ensureTable(table, ViewTables.TIMEOUT, () -> unmarked.add(table.name()));
    if (unmarked.contains(table.name())) {
      ItemStore.await(store.put(metadata.name(), key(table.name())));
      unmarked.remove(table.name());
    }
  }

  boolean contains(String table) {
    return store.describe(metadata.name()).isPresent()
        && store.get(metadata.name(), key(table)).isPresent();
  }

  /** Once the table is gone. */
  void remove(String table) {
    ItemStore.await(store.delete(metadata.name(), key(table)));
  }

  private static Map<String, Object> key(String table) {
    return Map.of(ViewMetadata.DYNAMODB_KEY, KEY + table);
  }
}
