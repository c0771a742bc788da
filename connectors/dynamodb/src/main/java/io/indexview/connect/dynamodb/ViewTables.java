package io.indexview.connect.dynamodb;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.time.Clock;
import java.time.Duration;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables of the generations that a task writes, each made ready once. For one thread. */
final class ViewTables {
  private static final Logger LOGGER = LoggerFactory.getLogger(ViewTables.class);
  static final Duration TIMEOUT = Duration.ofSeconds(60);

  private final ItemStore store;
  private final DynamoDbSinkConfig config;
  private final Clock clock;
  private final CreatedTables created;
  private final GenerationCache<ViewTable> tables = new GenerationCache<>(this::open);

  ViewTables(ItemStore store, DynamoDbSinkConfig config, CreatedTables created, Clock clock) {
    this.store = store;
    this.config = config;
    this.created = created;
    this.clock = clock;
  }

  private ViewTable open(ViewGeneration generation) {
    DynamoDbLayout layout = DynamoDbLayout.of(generation);
    ViewTable table = new ViewTable(layout, config.markerRetention(), clock);
    TableSpec spec = ViewTable.spec(layout, config.mode());
    if (!config.autoCreate()) {
      store.checkTable(spec);
    } else if (layout.isInPlace()) {
      created.forget(spec.name());
      ready(store, spec, true);
    } else {
      created.ensure(spec);
    }
    LOGGER.info(
        "View {} generation {} goes to table {}",
        generation.view(),
        generation.number(),
        generation.storeName());
    return table;
  }

  /** What the table of a generation is to be. */
  static TableSpec spec(ViewGeneration generation, WriteMode mode) {
    return ViewTable.spec(DynamoDbLayout.of(generation), mode);
  }

  /**
   * Sees to it that a table is there.
   *
   * @throws ItemStoreException.Permanent if it is not, and is not to be created
   */
  static void ready(ItemStore store, TableSpec table, boolean create) {
    if (create) {
      store.ensureTable(table, TIMEOUT);
    } else {
      store.checkTable(table);
    }
  }

  /**
   * The table of a row.
   *
   * @throws DataException if the record is none of a generation
   * @throws ItemStoreException if the table is not ready
   */
  ViewTable of(SinkRecord record) {
    return tables.of(record);
  }

  /**
   * Makes the table of a generation ready, though it may never have a row.
   *
   * @throws ItemStoreException if that fails
   */
  void prepare(ViewGeneration generation) {
    tables.of(generation);
  }

  /** Whether a generation that is not forgotten goes to this table. */
  boolean anyIsIn(String table) {
    return tables.made().anyMatch(known -> known.name().equals(table));
  }

  /** The table of a topic may be gone. */
  void forget(String topic) {
    tables.forget(topic);
  }
}
