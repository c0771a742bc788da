package io.indexview.connect.dynamodb;

import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.BatchResult;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStore.WriteResult;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.dynamodb.WriteCondition;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A store whose writes go wrong as scripted: in the order of the faults, then not at all. */
final class FaultyItemStore implements ItemStore {
  private final ItemStore store;
  private final Queue<Fault> faults = new ArrayDeque<>();
  private int writes;
  private boolean closed;
  private String refusedKey;
  private boolean isAway;
  private int checks;
  private boolean watchesVersions;
  private final Queue<String> staleOverwrites = new ConcurrentLinkedQueue<>();
  private Runnable afterCreation = () -> {};
  private volatile Runnable beforeDeletion = () -> {};
  private volatile Runnable beforeScan = () -> {};

  enum Fault {
    NONE,
    /** Refused before anything happens. */
    THROTTLE,
    /** Done, but the answer is lost. */
    TIMEOUT_AFTER_SUCCESS,
    /** Half of a batch comes back. */
    UNPROCESSED,
    PERMANENT,
    /** Said of a table that is there. */
    NO_TABLE
  }

  FaultyItemStore(ItemStore store) {
    this.store = store;
  }

  void next(Fault... next) {
    faults.addAll(List.of(next));
  }

  void next(List<Fault> next) {
    faults.addAll(next);
  }

  /** From now on every request with an item of this object key. */
  void refuse(String objectKey) {
    refusedKey = objectKey;
  }

  /** From now on nothing is known of any table. */
  void goAway() {
    isAway = true;
  }

  /** How often tables were checked. */
  int checks() {
    return checks;
  }

  /** From now on before each deletion of a table; what it throws, the deletion throws. */
  void beforeDeletion(Runnable action) {
    beforeDeletion = action;
  }

  /** From now on before each page of a scan; what it throws, the scan throws. */
  void beforeScan(Runnable action) {
    beforeScan = action;
  }

  /** From now on after each creation of a table; what it throws, the creation throws. */
  void afterCreation(Runnable action) {
    afterCreation = action;
  }

  private boolean isRefused(Map<String, ?> item) {
    return refusedKey != null && refusedKey.equals(item.get("objectKey"));
  }

  private static <T> CompletableFuture<T> refused() {
    return CompletableFuture.failedFuture(new ItemStoreException.Rejected("malformed", null));
  }

  int writes() {
    return writes;
  }

  boolean closed() {
    return closed;
  }

  private <T> CompletableFuture<T> faulty(Supplier<CompletableFuture<T>> write) {
    writes++;
    Fault fault = faults.isEmpty() ? Fault.NONE : faults.poll();
    return switch (fault) {
      case NONE, UNPROCESSED -> write.get();
      case THROTTLE ->
          CompletableFuture.failedFuture(new ItemStoreException.Unavailable("throttled", null));
      case TIMEOUT_AFTER_SUCCESS ->
          write
              .get()
              .thenApply(
                  done -> {
                    throw new ItemStoreException.Unavailable("timeout", null);
                  });
      case PERMANENT ->
          CompletableFuture.failedFuture(new ItemStoreException.Permanent("denied", null));
      case NO_TABLE ->
          store
              .put("no-such-table", Map.of("id", "any"))
              .thenCompose(done -> CompletableFuture.failedFuture(new AssertionError("there is")));
    };
  }

  @Override
  public CompletableFuture<Void> put(String table, Map<String, ?> item) {
    return faulty(() -> store.put(table, item));
  }

  @Override
  public CompletableFuture<Void> delete(String table, Map<String, ?> key) {
    return faulty(() -> store.delete(table, key));
  }

  @Override
  public CompletableFuture<WriteResult> put(
      String table, ItemWrite.Put write, WriteCondition condition) {
    if (isRefused(write.key())) {
      return refused();
    }
    return faulty(
        () -> {
          CompletableFuture<WriteResult> answer = store.put(table, write, condition);
          return watchesVersions
              ? answer.thenApplyAsync(result -> notOverwritten(table, write, result))
              : answer;
        });
  }

  /** From now on looks after each conditional write whether an older row stands in its place. */
  void watchVersions() {
    watchesVersions = true;
  }

  /** Rows that were older than one that had been applied. */
  List<String> staleOverwrites() {
    return List.copyOf(staleOverwrites);
  }

  private WriteResult notOverwritten(String table, ItemWrite.Put write, WriteResult result) {
    if (result.applied()) {
      Map<String, Object> row = store.get(table, write.key()).orElse(Map.of("revision", -1));
      long applied = ((Number) write.item().get("revision")).longValue();
      if (((Number) row.get("revision")).longValue() < applied) {
        staleOverwrites.add("%s after revision %d".formatted(row, applied));
      }
    }
    return result;
  }

  @Override
  public CompletableFuture<WriteResult> delete(
      String table, Map<String, ?> key, WriteCondition condition) {
    return faulty(() -> store.delete(table, key, condition));
  }

  @Override
  public CompletableFuture<BatchResult> writeBatch(String table, List<ItemWrite> batch) {
    if (batch.stream().anyMatch(write -> isRefused(write.key()))) {
      return refused();
    }
    if (faults.peek() != Fault.UNPROCESSED) {
      return faulty(() -> store.writeBatch(table, batch));
    }
    writes++;
    faults.poll();
    List<Integer> unprocessed = new ArrayList<>();
    List<ItemWrite> taken = new ArrayList<>();
    for (int i = 0; i < batch.size(); i++) {
      if (i % 2 == 0) {
        unprocessed.add(i);
      } else {
        taken.add(batch.get(i));
      }
    }
    return taken.isEmpty()
        ? CompletableFuture.completedFuture(new BatchResult(unprocessed, 0))
        : store
            .writeBatch(table, taken)
            .thenApply(written -> new BatchResult(unprocessed, written.units()));
  }

  @Override
  public Optional<TableSpec> describe(String table) {
    return store.describe(table);
  }

  @Override
  public Optional<String> identity(String table) {
    return store.identity(table);
  }

  @Override
  public void ensureTable(TableSpec table, Duration timeout, Consumer<String> created) {
    store.ensureTable(
        table,
        timeout,
        identity -> {
          created.accept(identity);
          afterCreation.run();
        });
  }

  @Override
  public void checkTable(TableSpec table) {
    checks++;
    if (isAway) {
      throw new ItemStoreException.Unavailable("no answer", null);
    }
    store.checkTable(table);
  }

  @Override
  public boolean deleteTable(String table, String identity, Duration timeout) {
    beforeDeletion.run();
    return store.deleteTable(table, identity, timeout);
  }

  @Override
  public Optional<Map<String, Object>> get(String table, Map<String, ?> key) {
    return store.get(table, key);
  }

  @Override
  public ItemPage query(ItemQuery query) {
    return store.query(query);
  }

  @Override
  public ItemPage scan(String table, Map<String, ?> start, int limit) {
    beforeScan.run();
    return store.scan(table, start, limit);
  }

  @Override
  public void close() {
    closed = true;
  }
}
