package io.indexview.connect.dynamodb;

import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStore.WriteResult;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.DynamoDbLayout.KeyAttribute;
import io.indexview.views.layout.LayoutException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes all rows of a generation: with its table, or one by one from a table that stays, until a
 * scan finds none. Only a table that Indexview created goes, and other items than rows stay.
 */
final class GenerationRemoval implements RowRemovals.Removal {
  private static final Logger LOGGER = LoggerFactory.getLogger(GenerationRemoval.class);

  /** Wait for a table, short enough that a task can be stopped meanwhile. */
  private static final Duration TABLE_TIMEOUT = Duration.ofSeconds(10);

  private static final int PAGE = 100;

  private final ItemStore store;
  private final ViewGeneration generation;
  private final DynamoDbLayout layout;
  private final DynamoDbLayout.Table table;
  private final CreatedTables created;
  private final WrittenTables written;
  private final BooleanSupplier tableStays;
  private final Predicate<ViewGeneration> keeps;

  /**
   * The scan under way. If one run fails the next goes on with it, so that a removal under
   * throttling ends.
   */
  private Scan scan = new Scan();

  private long removed;

  /**
   * @param tableStays whether rows of other generations are in the table, or tables are not to be
   *     deleted; asked on the removal's thread, as keeps is
   * @param keeps whether the rows are not the view's, and nothing is removed
   * @throws io.indexview.views.layout.LayoutException if the generation is of another target
   */
  GenerationRemoval(
      ItemStore store,
      ViewGeneration generation,
      CreatedTables created,
      WrittenTables written,
      BooleanSupplier tableStays,
      Predicate<ViewGeneration> keeps) {
    this.store = store;
    this.generation = generation;
    this.layout = DynamoDbLayout.of(generation);
    this.table = layout.table();
    this.created = created;
    this.written = written;
    this.tableStays = tableStays;
    this.keeps = keeps;
  }

  @Override
  public void run(StopLatch stop, Runnable someRemoved) {
    try {
      if (keeps.test(generation)) {
        return;
      }
      // First, so that nobody takes what goes from now on for lost.
      written.forget(generation.viewTopic());
      Optional<String> own = ownTable();
      LOGGER.info(
          "Removing view {} generation {}: table {}{}",
          generation.view(),
          generation.number(),
          table.name(),
          own.isPresent() ? "" : ", which stays");
      if (own.isPresent() && store.deleteTable(table.name(), own.get(), TABLE_TIMEOUT)) {
        created.forget(table.name());
      } else if (store.describe(table.name()).isPresent()) {
        removeRowsFromThere(stop, someRemoved);
      }
    } catch (ItemStoreException.Unavailable e) {
      throw new RetriableException(e.getMessage(), e);
    }
  }

  /**
   * Identity of the table that goes with the generation. One that stays may get other users from
   * now on, so no later generation of that name is to delete it either.
   */
  private Optional<String> ownTable() {
    Optional<String> identity = created.identity(table.name());
    if (identity.isPresent() && (layout.isInPlace() || tableStays.getAsBoolean())) {
      created.forget(table.name());
      return Optional.empty();
    }
    return identity;
  }

  /**
   * Removes the rows from a table that others made. A table that is being deleted is still
   * described, so it may be gone.
   */
  private void removeRowsFromThere(StopLatch stop, Runnable someRemoved) {
    try {
      removeRows(stop, someRemoved);
    } catch (ItemStoreException.NoTable e) {
      LOGGER.info("No rows are left to be removed: {}", e.getMessage());
    }
  }

  private void removeRows(StopLatch stop, Runnable someRemoved) {
    long found;
    long left;
    do {
      scanOn(stop, someRemoved);
      found = scan.removed;
      left = scan.seen - found;
      removed += found;
      scan = new Scan();
    } while (found > 0 && !stop.stopped());
    LOGGER.info(
        "Removed {} rows from table {}, left {} items that are none of the generation's",
        removed,
        table.name(),
        left);
  }

  /** A scan of all items. */
  private static final class Scan {
    /** Null: from the table's beginning. */
    private Map<String, Object> start;

    private long removed;
    private long seen;
  }

  private void scanOn(StopLatch stop, Runnable someRemoved) {
    do {
      ItemPage page = store.scan(table.name(), scan.start, PAGE);
      List<CompletableFuture<WriteResult>> answers =
          page.items().stream().filter(this::isRetired).map(this::remove).toList();
      long applied = answers.stream().map(ItemStore::await).filter(WriteResult::applied).count();
      scan.removed += applied;
      scan.seen += page.items().size();
      scan.start = page.next();
      if (applied > 0) {
        someRemoved.run();
      }
    } while (scan.start != null && !stop.stopped());
  }

  /** Items say their generation only where several share a table; others have always been there. */
  private boolean isRetired(Map<String, Object> item) {
    boolean older =
        !(item.get(DynamoDbLayout.GENERATION) instanceof Number number)
            || number.longValue() <= generation.number();
    return older && isRow(item);
  }

  private boolean isRow(Map<String, Object> item) {
    try {
      layout.requireRow(item);
      return true;
    } catch (LayoutException e) {
      LOGGER.debug("An item of table {} is left: {}", table.name(), e.getMessage());
      return false;
    }
  }

  /** Unless the row belongs to a newer generation meanwhile. */
  private CompletableFuture<WriteResult> remove(Map<String, Object> item) {
    Map<String, Object> key = new HashMap<>();
    for (KeyAttribute attribute : table.keys()) {
      key.put(attribute.name(), item.get(attribute.name()));
    }
    return store.delete(
        table.name(), key, new Fence(DynamoDbLayout.GENERATION, generation.number()));
  }
}
