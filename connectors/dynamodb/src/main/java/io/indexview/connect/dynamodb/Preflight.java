package io.indexview.connect.dynamodb;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Looks, before a connector is taken, whether there is what it does not create itself. */
final class Preflight {
  private static final Logger LOGGER = LoggerFactory.getLogger(Preflight.class);

  private Preflight() {}

  static ConfigProblems problems(DynamoDbSinkConfig config, ItemStore store) {
    ConfigProblems problems = new ConfigProblems();
    try {
      store.checkTable(MetadataItems.table(config.topics()));
    } catch (ItemStoreException.Unavailable e) {
      // The task waits for it; to refuse the connector would help nobody.
      LOGGER.warn("Cannot look whether the table of the metadata is there: {}", e.getMessage());
    } catch (ItemStoreException e) {
      problems.add(
          DynamoDbSinkConfig.AUTO_CREATE_CONFIG,
          "%s; its partition key is id (S), it has no sort key. Or set %s=true"
              .formatted(e.getMessage(), DynamoDbSinkConfig.AUTO_CREATE_CONFIG));
    }
    return problems;
  }
}
