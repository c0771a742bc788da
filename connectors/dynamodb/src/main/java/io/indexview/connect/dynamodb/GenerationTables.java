package io.indexview.connect.dynamodb;

import io.indexview.connect.common.row.GenerationCache;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The tables of the generations that a task writes, each made ready once. For one thread. */
final class GenerationTables {
  private static final Logger LOGGER = LoggerFactory.getLogger(GenerationTables.class);

  private final ItemStore store;
  private final DynamoDbSinkConfig config;
  private final Clock clock;
  private final MetadataTable metadata;
  private final CreatedTables created;
  private final WrittenTables written;
  private final Map<String, String> lost = new HashMap<>();
  private final GenerationCache<ViewTable> tables = new GenerationCache<>(this::open);

  GenerationTables(
      ItemStore store,
      DynamoDbSinkConfig config,
      MetadataTable metadata,
      CreatedTables created,
      WrittenTables written,
      Clock clock) {
    this.store = store;
    this.config = config;
    this.metadata = metadata;
    this.created = created;
    this.written = written;
    this.clock = clock;
  }

  private ViewTable open(ViewGeneration generation) {
    DynamoDbLayout layout = DynamoDbLayout.of(generation);
    ViewTable table = new ViewTable(layout, config.tombstoneRetention(), clock);
    TableSpec spec = ViewTable.spec(layout, config.mode());
    metadata.ready();
    requireRows(generation, written.loss(generation.viewTopic()));
    makeReady(layout, spec);
    requireRows(generation, written.remember(generation.viewTopic(), spec.name()));
    LOGGER.info(
        "View {} generation {} goes to table {}",
        generation.view(),
        generation.number(),
        generation.storeName());
    return table;
  }

  private void makeReady(DynamoDbLayout layout, TableSpec spec) {
    if (!config.autoCreate()) {
      store.checkTable(spec);
    } else if (layout.isInPlace()) {
      created.forget(spec.name());
      store.ensureTable(spec, Duration.ZERO);
    } else {
      created.ensure(spec);
    }
  }

  /** A table in place of one with rows would look whole, and be empty. */
  private void requireRows(ViewGeneration generation, Optional<String> loss) {
    if (loss.isPresent()) {
      lose(generation.viewTopic(), loss.get());
      throw new LostTableException(loss.get());
    }
  }

  /** What the table of a generation is to be. */
  static TableSpec spec(ViewGeneration generation, WriteMode mode) {
    return ViewTable.spec(DynamoDbLayout.of(generation), mode);
  }

  /**
   * Sees to it that a table is there.
   *
   * @param timeout how long to wait until one that is created can be used
   * @throws ItemStoreException.Unavailable if it cannot be used yet
   * @throws ItemStoreException.Permanent if it is not, and is not to be created
   */
  static void ready(ItemStore store, TableSpec table, boolean create, Duration timeout) {
    if (create) {
      store.ensureTable(table, timeout);
    } else {
      store.checkTable(table);
    }
  }

  /**
   * The table of a row.
   *
   * @throws DataException if the record is none of a generation, or its generation's rows are lost
   * @throws ItemStoreException if the table is not ready
   */
  ViewTable of(SinkRecord record) {
    String loss = lost.get(record.originalTopic());
    if (loss != null) {
      throw new LostTableException(loss);
    }
    return tables.of(record);
  }

  /** Whether the table of a topic was made ready. */
  boolean isOpen(String topic) {
    return tables.has(topic);
  }

  /** Notes that the rows of a topic have no table any more, until the topic is forgotten. */
  void lose(String topic, String reason) {
    lost.put(topic, reason);
  }

  /** Why the rows of a topic have no table any more; empty if they have, as far as it is known. */
  Optional<String> loss(String topic) {
    return Optional.ofNullable(lost.get(topic));
  }

  /**
   * Makes the table of a generation ready, though it may never have a row. Not if its rows are
   * lost: that is said of its topic, not of whoever reads the view's state.
   *
   * @throws ItemStoreException if that fails
   */
  void prepare(ViewGeneration generation) {
    if (lost.containsKey(generation.viewTopic())) {
      return;
    }
    try {
      tables.of(generation);
    } catch (LostTableException e) {
      LOGGER.warn(
          "View {} generation {}: {}", generation.view(), generation.number(), e.getMessage());
    }
  }

  /** Whether a generation that is not forgotten goes to this table. */
  boolean anyIsIn(String table) {
    return tables.made().anyMatch(known -> known.name().equals(table));
  }

  /** The table of a topic may be gone. */
  void forget(String topic) {
    tables.forget(topic);
    lost.remove(topic);
  }

  /** The rows that were written before are gone with their table: no row makes it right again. */
  private static final class LostTableException extends DataException {
    private static final long serialVersionUID = 1L;

    LostTableException(String reason) {
      super(reason);
    }
  }
}
