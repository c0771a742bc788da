package io.indexview.connect.dynamodb;

import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;

/**
 * The ways of one task to DynamoDB.
 *
 * @param paced for rows: tells of throttling at once, so that their writer slows down
 * @param repeating for all else, which nobody slows down: repeats what is throttled for a while
 */
record SinkStores(ItemStore paced, ItemStore repeating) implements AutoCloseable {

  /** Opens both; nothing is sent yet. */
  static SinkStores open(DynamoDbSinkConfig config) {
    return new SinkStores(
        DynamoDbItemStore.openPaced(config.store()),
        DynamoDbItemStore.open(config.store(), config.newTables()));
  }

  @Override
  public void close() {
    paced.close();
    repeating.close();
  }
}
