package io.indexview.connect.dynamodb;

import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import java.util.function.Supplier;

/**
 * The clients of one task.
 *
 * @param failFast for rows: tells of throttling at once, so that their writer slows down
 * @param repeating for all else, which nobody slows down: repeats what is throttled for a while
 */
record SinkStores(ItemStore failFast, ItemStore repeating) implements AutoCloseable {

  /** Opens both; nothing is sent yet. */
  static SinkStores open(DynamoDbSinkConfig config) {
    return open(
        () -> DynamoDbItemStore.openFailingFast(config.store()),
        () -> DynamoDbItemStore.open(config.store(), config.newTables()));
  }

  static SinkStores open(Supplier<ItemStore> failFast, Supplier<ItemStore> repeating) {
    ItemStore first = failFast.get();
    try {
      return new SinkStores(first, repeating.get());
    } catch (RuntimeException e) {
      first.close();
      throw e;
    }
  }

  @Override
  public void close() {
    failFast.close();
    repeating.close();
  }
}
