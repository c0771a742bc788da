package io.indexview.connect.dynamodb;

import io.indexview.connect.common.sink.RowRemovals;
import io.indexview.connect.common.source.StopLatch;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.WriteCondition;
import io.indexview.dynamodb.WriteCondition.Expected;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.UnexpectedRemoval;
import java.time.Clock;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.connect.errors.RetriableException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Removes items that lie among the rows of a generation; see {@link UnexpectedRemoval}. Items have
 * no version, so only those are removed that a condition tells from every row: without a revision,
 * or in a shared table of an older generation, and tombstones whose time to live is over. An item
 * with a revision that cannot be decoded stays.
 */
final class UnexpectedItems implements RowRemovals.Removal {
  private static final Logger LOGGER = LoggerFactory.getLogger(UnexpectedItems.class);

  private final ItemStore store;
  private final UnexpectedRemoval removal;
  private final DynamoDbLayout layout;
  private final Clock clock;

  /**
   * @throws io.indexview.views.layout.LayoutException if the generation is of another target
   */
  UnexpectedItems(ItemStore store, UnexpectedRemoval removal, Clock clock) {
    this.store = store;
    this.removal = removal;
    this.layout = DynamoDbLayout.of(removal.generation());
    this.clock = clock;
  }

  @Override
  public void run(StopLatch stop, Runnable removed) {
    try {
      RowRemovals.removeUnexpected(removal, stop, removed, this::remove);
    } catch (ItemStoreException.NoTable e) {
      LOGGER.info("Nothing is left to be removed: {}", e.getMessage());
    } catch (ItemStoreException.Unavailable e) {
      throw new RetriableException(e.getMessage(), e);
    }
  }

  private boolean remove(UnexpectedRow row) {
    Map<String, Object> key;
    try {
      key = layout.keyOf(row.id());
    } catch (IllegalArgumentException e) {
      LOGGER.warn(
          "What is no row of the view is not removed, as its id is no key: {}", row.id(), e);
      return false;
    }
    try {
      return store
          .get(layout.table().name(), key)
          .flatMap(item -> condition(item, row))
          .map(condition -> ItemStore.await(store.delete(layout.table().name(), key, condition)))
          .filter(ItemStore.WriteResult::applied)
          .isPresent();
    } catch (ItemStoreException.NoTable e) {
      throw e;
    } catch (ItemStoreException.Rejected | ItemStoreException.Permanent e) {
      LOGGER.warn(
          "What is no row of the view is not removed, as DynamoDB refuses it: {}; the sink needs GetItem and DeleteItem on the table",
          row.id(),
          e);
      return false;
    }
  }

  /** What holds of the item, and never of a row of the generation, nor of a later tombstone. */
  private Optional<WriteCondition> condition(Map<String, Object> item, UnexpectedRow row) {
    if (isExpiredTombstone(item)) {
      // Whatever was found: it may go at any time. The next one of the row expires later.
      long expiresAt = ((Number) item.get(DynamoDbLayout.EXPIRES_AT)).longValue();
      return Optional.of(new Expected(DynamoDbLayout.EXPIRES_AT, expiresAt));
    }
    return row.holds(DynamoDbLayout.content(item)) ? condition(item) : Optional.empty();
  }

  private boolean isExpiredTombstone(Map<String, Object> item) {
    return layout.holds(item)
        && item.get(DynamoDbLayout.REVISION) instanceof Number
        && Boolean.TRUE.equals(item.get(DynamoDbLayout.DELETED))
        && item.get(DynamoDbLayout.EXPIRES_AT) instanceof Number expiresAt
        && expiresAt.doubleValue() < clock.instant().getEpochSecond();
  }

  private Optional<WriteCondition> condition(Map<String, Object> item) {
    if (!item.containsKey(DynamoDbLayout.REVISION)) {
      return Optional.of(new Expected(DynamoDbLayout.REVISION, null));
    }
    long older = removal.generation().number() - 1L;
    return Optional.<WriteCondition>of(new Fence(DynamoDbLayout.GENERATION, older))
        .filter(fence -> layout.isInPlace() && !layout.holds(item) && fence.holds(item));
  }
}
