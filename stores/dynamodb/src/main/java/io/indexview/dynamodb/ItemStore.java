package io.indexview.dynamodb;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Consumer;

/**
 * Tables of items. An item is a map from attribute name to value: {@code String}, any {@code
 * Number} (read back as {@code BigDecimal}), {@code Boolean}, {@code byte[]}, {@code List} or
 * {@code Map} of these; attributes that are null are left out.
 *
 * <p>Implementations are safe for use by several threads. Every method throws {@link
 * ItemStoreException}, the asynchronous ones complete with it; its subclasses say what helps.
 */
public interface ItemStore extends AutoCloseable {

  /** Items that one {@link #writeBatch} takes at most. */
  int BATCH_LIMIT = 25;

  /** What the store has under this name, its expiry attribute left out; empty without a table. */
  Optional<TableSpec> describe(String table);

  /**
   * The identity of the table that has this name, as {@link #ensureTable} tells it; empty if there
   * is none, or if it is being deleted. A store whose descriptions tell none has the same text for
   * all.
   */
  Optional<String> identity(String table);

  /**
   * Creates the table if there is none, adds the indexes that are missing, one after the other,
   * waits until all can be used, and switches time to live on if it is off.
   *
   * @param created takes the table's identity if this call creates it, before it can be used; what
   *     it throws ends the call. No other table ever has this identity, not even a later one of the
   *     same name. Not called if the store's descriptions tell none.
   * @throws ItemStoreException.Permanent if a table of this name is another one, with all that is
   *     different
   * @throws ItemStoreException.Unavailable if it is not usable after the timeout
   */
  void ensureTable(TableSpec table, Duration timeout, Consumer<String> created);

  /** Ensures a table when nobody has to know who created it. */
  default void ensureTable(TableSpec table, Duration timeout) {
    ensureTable(table, timeout, identity -> {});
  }

  /**
   * Checks whether the table is there as specified: keys and their types, indexes with all
   * attributes, time to live on no other attribute. Further indexes do no harm. Time to live that
   * is off, or that may not be read, is only logged.
   *
   * @throws ItemStoreException.NoTable if there is none
   * @throws ItemStoreException.Permanent if there is another one, with all that is different
   * @throws ItemStoreException.Unavailable if it cannot be used yet
   */
  void checkTable(TableSpec table);

  /**
   * Deletes a table with all its items, if it is there, and waits until it is gone.
   *
   * @param identity as it was given at its creation
   * @return false if another table has the name now: that one is left
   * @throws ItemStoreException.Unavailable if it is still there after the timeout
   */
  boolean deleteTable(String table, String identity, Duration timeout);

  /** Writes a whole item in place of the one that has its key. */
  CompletableFuture<Void> put(String table, Map<String, ?> item);

  /** Removes the item of a key, if there is one. */
  CompletableFuture<Void> delete(String table, Map<String, ?> key);

  /**
   * Writes an item if the condition holds. If the store refuses that without naming the item, that
   * is read; a refusal by an item that the condition holds of is {@link
   * ItemStoreException.Unavailable}.
   */
  CompletableFuture<WriteResult> put(String table, ItemWrite.Put write, WriteCondition condition);

  /** Removes an item if the condition holds; refusals as with {@link #put}. */
  CompletableFuture<WriteResult> delete(String table, Map<String, ?> key, WriteCondition condition);

  /**
   * Applies up to {@link #BATCH_LIMIT} writes of different keys, in no particular order, without
   * conditions.
   */
  CompletableFuture<BatchResult> writeBatch(String table, List<ItemWrite> writes);

  /** Reads an item by its whole key, consistently. */
  Optional<Map<String, Object>> get(String table, Map<String, ?> key);

  /** One page of the items that share a partition key, in order of the sort key. */
  ItemPage query(ItemQuery query);

  /**
   * One page of all items, consistently, in no particular order.
   *
   * @param start {@link ItemPage#next()} of the page before; null for the first
   */
  ItemPage scan(String table, Map<String, ?> start, int limit);

  /**
   * Waits for an answer.
   *
   * @throws ItemStoreException what the request failed with; {@link ItemStoreException.Unavailable}
   *     when interrupted
   */
  static <T> T await(CompletableFuture<T> answer) {
    try {
      return answer.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new ItemStoreException.Unavailable("interrupted while waiting for DynamoDB", e);
    } catch (ExecutionException e) {
      throw ErrorClassifier.classify("", e);
    }
  }

  @Override
  void close();

  /**
   * What became of the writes of a batch.
   *
   * @param unprocessed indices of those that the store did not take this time
   * @param units write capacity units that the others took; 0 if the store does not tell
   */
  record BatchResult(List<Integer> unprocessed, double units) {
    public BatchResult {
      unprocessed = List.copyOf(unprocessed);
    }
  }

  /**
   * What became of a conditional write.
   *
   * @param existing null if it was applied, else the item that held it off, empty if there is none
   * @param units write capacity units that it took; 0 if the store does not tell, as when it
   *     refuses
   */
  record WriteResult(Map<String, Object> existing, double units) {
    static WriteResult applied(double units) {
      return new WriteResult(null, units);
    }

    static WriteResult heldOffBy(Map<String, Object> existing) {
      return new WriteResult(existing, 0);
    }

    public boolean applied() {
      return existing == null;
    }
  }

  /**
   * A page of a query or scan; may be empty although more follow.
   *
   * @param next where the next page starts; null after the last one
   * @param readUnits read capacity units that a scan took; 0 if the store does not tell, and of
   *     queries
   */
  record ItemPage(List<Map<String, Object>> items, Map<String, Object> next, double readUnits) {
    public ItemPage {
      items = List.copyOf(items);
    }
  }

  /** A write of a batch. */
  sealed interface ItemWrite {
    Map<String, ?> key();

    /** Writes a whole item, its key included, in place of the one that has its key. */
    record Put(Map<String, ?> key, Map<String, ?> item) implements ItemWrite {
      public Put {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(item, "item");
      }
    }

    /** Removes the item of a key. */
    record Delete(Map<String, ?> key) implements ItemWrite {
      public Delete {
        Objects.requireNonNull(key, "key");
      }
    }
  }
}
