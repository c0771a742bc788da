package io.indexview.connect.dynamodb;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.WriteCondition.Expected;
import io.indexview.views.layout.ViewMetadata;
import java.util.Map;
import java.util.Optional;

/**
 * Which table the rows of each generation are written to: an item each in the table of the
 * metadata, with the table's identity. A later table of the same name has none of the rows, so
 * nobody may write on there as if it had. Thread-safe.
 */
final class WrittenTables {
  /** Partition key of the item of a generation: this before its view topic. */
  private static final String KEY = "rows#";

  private static final String TABLE = "table";
  private static final String IDENTITY = "identity";

  private final ItemStore store;
  private final MetadataTable metadata;

  WrittenTables(ItemStore store, MetadataTable metadata) {
    this.store = store;
    this.metadata = metadata;
  }

  /**
   * Remembers, before the first row, the table that is there now; once for each generation.
   *
   * @param topic view topic of the generation
   * @return why rows that were written before are lost, if the table that is remembered is another
   *     one
   * @throws ItemStoreException.Unavailable also if the table is not there
   */
  Optional<String> remember(String topic, String table) {
    Optional<String> identity = store.identity(table);
    if (identity.isEmpty()) {
      // It was there a moment ago; the store's description may be older than that.
      throw new ItemStoreException.Unavailable("table %s: not known yet".formatted(table), null);
    }
    Map<String, Object> item =
        Map.of(ViewMetadata.DYNAMODB_KEY, KEY + topic, TABLE, table, IDENTITY, identity.get());
    boolean isFirst =
        ItemStore.await(
                store.put(
                    metadata.name(),
                    new ItemWrite.Put(MetadataTable.key(KEY + topic), item),
                    new Expected(IDENTITY, null)))
            .applied();
    return isFirst ? Optional.empty() : loss(topic);
  }

  /**
   * Why the rows of a generation are lost; empty if they are not, or if none was ever written.
   *
   * @param topic view topic of the generation
   */
  Optional<String> loss(String topic) {
    Optional<Map<String, Object>> written = metadata.get(KEY + topic);
    if (written.isEmpty()) {
      return Optional.empty();
    }
    String table = String.valueOf(written.get().get(TABLE));
    Optional<String> present = store.identity(table);
    if (present.isEmpty()) {
      // Whoever removes the rows of a generation forgets them first.
      return metadata.get(KEY + topic).map(still -> lost(table, "is gone"));
    }
    return present.get().equals(written.get().get(IDENTITY))
        ? Optional.empty()
        : Optional.of(lost(table, "was replaced by another one"));
  }

  private static String lost(String table, String what) {
    return "table %s, which the rows of this generation were written to, %s; rebuild the view"
        .formatted(table, what);
  }

  /** Forgets the table of a generation whose rows are to be removed. */
  void forget(String topic) {
    if (metadata.isThere() && metadata.get(KEY + topic).isPresent()) {
      ItemStore.await(store.delete(metadata.name(), MetadataTable.key(KEY + topic)));
    }
  }
}
