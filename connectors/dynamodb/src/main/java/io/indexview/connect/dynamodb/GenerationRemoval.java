package io.indexview.connect.dynamodb;

import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.source.StopSignal;
import io.indexview.dynamodb.Fence;
import io.indexview.dynamodb.ItemPage;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.WriteResult;
import io.indexview.views.definition.Target;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.DynamoDbLayout.KeyAttribute;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes all rows of a generation: with its table, or one by one from a table that stays, until a
 * scan finds none.
 */
final class GenerationRemoval implements RowRemovals.Removal {
  private static final Logger LOGGER = LoggerFactory.getLogger(GenerationRemoval.class);

  /** Not longer, so that a task that is stopped does not wait for it. */
  private static final Duration TABLE_TIMEOUT = Duration.ofSeconds(10);

  private static final int PAGE = 100;

  private final ItemStore store;
  private final ViewGeneration generation;
  private final DynamoDbLayout.Table table;
  private final BooleanSupplier tableStays;

  /**
   * @param tableStays whether rows of other generations are in the table, or somebody else made it;
   *     asked on the removal's thread
   * @throws io.indexview.views.layout.LayoutException if the generation is of another target
   */
  GenerationRemoval(ItemStore store, ViewGeneration generation, BooleanSupplier tableStays) {
    this.store = store;
    this.generation = generation;
    this.table = DynamoDbLayout.of(generation).table();
    this.tableStays = tableStays;
  }

  @Override
  public void run(StopSignal stop) {
    try {
      boolean stays = isInPlace() || tableStays.getAsBoolean();
      LOGGER.info(
          "Removing view {} generation {}: table {}{}",
          generation.view(),
          generation.number(),
          table.name(),
          stays ? ", which stays" : "");
      if (!stays) {
        store.deleteTable(table.name(), TABLE_TIMEOUT);
      } else if (store.describe(table.name()).isPresent()) {
        removeRows(stop);
      }
    } catch (ItemStoreException.Unavailable e) {
      throw new RetriableException(e.getMessage(), e);
    }
  }

  private boolean isInPlace() {
    return generation.definition().target() instanceof Target.DynamoDb target
        && target.swap() == Target.Swap.IN_PLACE;
  }

  private void removeRows(StopSignal stop) {
    long removed = 0;
    long found = -1;
    while (found != 0 && !stop.stopped()) {
      found = sweep(stop);
      removed += found;
    }
    LOGGER.info("Removed {} rows from table {}", removed, table.name());
  }

  private long sweep(StopSignal stop) {
    long found = 0;
    Map<String, Object> start = null;
    do {
      ItemPage page = store.scan(table.name(), start, PAGE);
      List<CompletableFuture<WriteResult>> answers =
          page.items().stream().filter(this::isRetired).map(this::remove).toList();
      answers.forEach(ItemStore::await);
      found += answers.size();
      start = page.next();
    } while (start != null && !stop.stopped());
    return found;
  }

  /** Items say their generation only where several share a table; others have always been there. */
  private boolean isRetired(Map<String, Object> item) {
    return !(item.get(DynamoDbLayout.GENERATION) instanceof Number number)
        || number.longValue() <= generation.number();
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
