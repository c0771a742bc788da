package io.indexview.connect.dynamodb.write;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.common.row.RowVersion;
import io.indexview.dynamodb.ItemQuery;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.BatchResult;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStore.WriteResult;
import io.indexview.dynamodb.ItemStoreException.Rejected;
import io.indexview.dynamodb.ItemStoreException.Unavailable;
import io.indexview.dynamodb.TableSpec;
import io.indexview.dynamodb.WriteCondition;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * One task's way to a table in memory. A request waits until the test has it answered, in any
 * order, well or badly.
 */
final class SteppedItemStore implements ItemStore {
  private final Map<Map<String, ?>, Map<String, Object>> items;
  private final Random random;
  private final List<Request> waiting = new ArrayList<>();
  private final List<Runnable> late = new ArrayList<>();

  /**
   * @param items of the table, shared by all tasks
   */
  SteppedItemStore(Map<Map<String, ?>, Map<String, Object>> items, Random random) {
    this.items = items;
    this.random = random;
  }

  private interface Request {
    /** Answers as if all was well. */
    void succeed();

    /** Answers badly in one of the ways that there are. */
    void fail();
  }

  boolean isIdle() {
    return waiting.isEmpty();
  }

  /** Answers any of the requests, if there is one. */
  void answerOne(boolean well) {
    if (!waiting.isEmpty()) {
      Request request = waiting.remove(random.nextInt(waiting.size()));
      if (well) {
        request.succeed();
      } else {
        request.fail();
      }
    }
  }

  /** What was given up by the client arrives nevertheless. */
  void applyLate() {
    if (!late.isEmpty()) {
      late.remove(random.nextInt(late.size())).run();
    }
  }

  boolean hasLate() {
    return !late.isEmpty();
  }

  @Override
  public CompletableFuture<WriteResult> put(
      String table, ItemWrite.Put write, WriteCondition condition) {
    CompletableFuture<WriteResult> answer = new CompletableFuture<>();
    waiting.add(
        new Request() {
          @Override
          public void succeed() {
            answer.complete(put(write, condition));
          }

          @Override
          public void fail() {
            switch (random.nextInt(3)) {
              case 0 -> put(write, condition);
              case 1 -> late.add(() -> put(write, condition));
              default -> {
                // Throttled.
              }
            }
            answer.completeExceptionally(new Unavailable("no answer", null));
          }
        });
    return answer;
  }

  private WriteResult put(ItemWrite.Put write, WriteCondition condition) {
    Map<String, Object> existing = items.getOrDefault(write.key(), Map.of());
    if (!condition.holds(existing)) {
      return new WriteResult(existing, 0);
    }
    Map<String, Object> stored = stored(write.item());
    assertThat(version(stored))
        .as("%s over %s", stored, existing)
        .usingComparator(Comparator.naturalOrder())
        .isGreaterThanOrEqualTo(version(existing));
    items.put(write.key(), stored);
    return new WriteResult(null, 1);
  }

  /** A fenced row never falls back, whatever it is in the end. */
  private static RowVersion version(Map<String, Object> item) {
    return item.isEmpty()
        ? new RowVersion(0, 0)
        : new RowVersion(
            ((Number) item.get("gen")).intValue(), ((Number) item.get("revision")).longValue());
  }

  private static Map<String, Object> stored(Map<String, ?> item) {
    Map<String, Object> stored = new HashMap<>(item);
    stored.replaceAll(
        (name, value) ->
            value instanceof Number number ? new BigDecimal(number.toString()) : value);
    return stored;
  }

  @Override
  public CompletableFuture<BatchResult> writeBatch(String table, List<ItemWrite> writes) {
    long keys = writes.stream().map(ItemWrite::key).distinct().count();
    if (keys < writes.size()) {
      return CompletableFuture.failedFuture(new AssertionError("a key twice in one batch"));
    }
    CompletableFuture<BatchResult> answer = new CompletableFuture<>();
    waiting.add(
        new Request() {
          @Override
          public void succeed() {
            writes.forEach(SteppedItemStore.this::apply);
            answer.complete(new BatchResult(List.of(), writes.size()));
          }

          @Override
          public void fail() {
            switch (random.nextInt(4)) {
              case 0 -> answer.completeExceptionally(new Unavailable("throttled", null));
              case 1 -> {
                writes.forEach(SteppedItemStore.this::apply);
                answer.completeExceptionally(new Unavailable("no answer", null));
              }
              case 2 -> answer.complete(partly(writes));
              default ->
                  answer.completeExceptionally(
                      writes.size() > 1
                          ? new Rejected("malformed", null)
                          : new Unavailable("throttled", null));
            }
          }
        });
    return answer;
  }

  private BatchResult partly(List<ItemWrite> writes) {
    List<Integer> unprocessed = new ArrayList<>();
    for (int i = 0; i < writes.size(); i++) {
      if (random.nextBoolean()) {
        unprocessed.add(i);
      } else {
        apply(writes.get(i));
      }
    }
    return new BatchResult(unprocessed, 0);
  }

  private void apply(ItemWrite write) {
    if (write instanceof ItemWrite.Put put) {
      items.put(put.key(), stored(put.item()));
    } else {
      items.remove(write.key());
    }
  }

  @Override
  public Optional<TableSpec> describe(String table) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public Optional<String> identity(String table) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public void ensureTable(TableSpec table, Duration timeout, Consumer<String> created) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public void checkTable(TableSpec table) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public boolean deleteTable(String table, String identity, Duration timeout) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public CompletableFuture<Void> put(String table, Map<String, ?> item) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public CompletableFuture<Void> delete(String table, Map<String, ?> key) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public CompletableFuture<WriteResult> delete(
      String table, Map<String, ?> key, WriteCondition condition) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public Optional<Map<String, Object>> get(String table, Map<String, ?> key) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public ItemPage query(ItemQuery query) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public ItemPage scan(String table, Map<String, ?> start, int limit) {
    throw new UnsupportedOperationException("rows only");
  }

  @Override
  public void close() {}
}
