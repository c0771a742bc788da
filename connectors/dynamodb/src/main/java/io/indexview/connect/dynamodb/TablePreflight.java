package io.indexview.connect.dynamodb;

import io.indexview.connect.common.config.ConfigProblems;
import io.indexview.connect.common.worker.PluginFaults;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.schemas.control.ViewState.Role;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.ViewMetadata;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks, before a connector is taken, whether there is what it does not create itself: the table
 * of the metadata, and the tables of the views that it tells of. Later views are checked by the
 * task.
 */
final class TablePreflight {
  private static final Logger LOGGER = LoggerFactory.getLogger(TablePreflight.class);
  private static final int PAGE = 100;

  private final DynamoDbSinkConfig config;
  private final ItemStore store;
  private final TableSpec metadata;
  private final ConfigProblems problems = new ConfigProblems();

  private TablePreflight(DynamoDbSinkConfig config, ItemStore store) {
    this.config = config;
    this.store = store;
    this.metadata = MetadataTable.spec(config.topics());
  }

  static ConfigProblems problems(DynamoDbSinkConfig config, ItemStore store) {
    TablePreflight preflight = new TablePreflight(config, store);
    try {
      preflight.check();
    } catch (ItemStoreException.Unavailable e) {
      // The task waits for it; to refuse the connector would help nobody.
      LOGGER.warn(
          "The tables are not checked, as DynamoDB does not answer; the task waits for it: {}",
          e.getMessage());
    } catch (ItemStoreException e) {
      PluginFaults.throwErrorBehind(e);
      preflight.problems.add(DynamoDbSinkConfig.AUTO_CREATE_CONFIG, e.getMessage());
    }
    return preflight.problems;
  }

  private void check() {
    if (check(metadata, "its partition key is id (S), it has no sort key")) {
      for (ViewGeneration generation : generations()) {
        check(
            GenerationTables.spec(generation, config.mode()),
            "view %s, generation %d is in it".formatted(generation.view(), generation.number()));
      }
    }
  }

  private boolean check(TableSpec table, String use) {
    String key = DynamoDbSinkConfig.AUTO_CREATE_CONFIG;
    try {
      store.checkTable(table);
      return true;
    } catch (ItemStoreException.NoTable e) {
      problems.add(key, "%s; %s. Or set %s=true".formatted(e.getMessage(), use, key));
    } catch (ItemStoreException.Permanent e) {
      PluginFaults.throwErrorBehind(e);
      problems.add(key, "%s; %s".formatted(e.getMessage(), use));
    }
    return false;
  }

  /** Generations that are written, or may serve again; none where the metadata may not be read. */
  private List<ViewGeneration> generations() {
    try {
      return known();
    } catch (ItemStoreException.Permanent e) {
      PluginFaults.throwErrorBehind(e);
      LOGGER.warn(
          "Which tables views need is not known before the task runs, as the metadata cannot be read: {}",
          e.getMessage());
      return List.of();
    }
  }

  private List<ViewGeneration> known() {
    List<ViewGeneration> generations = new ArrayList<>();
    Map<String, Object> next = null;
    do {
      ItemPage page = store.scan(metadata.name(), next, PAGE);
      for (Map<String, Object> item : page.items()) {
        generations.addAll(written(item));
      }
      next = page.next();
    } while (next != null);
    return generations;
  }

  private static List<ViewGeneration> written(Map<String, Object> item) {
    if (!String.valueOf(item.get(ViewMetadata.DYNAMODB_KEY))
        .startsWith(ViewMetadata.dynamoDbKey(""))) {
      return List.of();
    }
    try {
      return ViewMetadata.fromItem(item).generations().stream()
          .filter(generation -> generation.role() != Role.RETIRING)
          .map(ViewMetadata.Generation::generation)
          .filter(generation -> generation.definition().target() instanceof Target.DynamoDb)
          .toList();
    } catch (IllegalArgumentException e) {
      LOGGER.warn(
          "An item of the metadata cannot be read, so the tables of its view are not checked before the task runs: {}",
          e.getMessage());
      return List.of();
    }
  }
}
