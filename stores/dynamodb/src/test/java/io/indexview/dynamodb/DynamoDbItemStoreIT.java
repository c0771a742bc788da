package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.aws.AwsErrors;
import io.indexview.dynamodb.ItemQuery.SortCondition;
import io.indexview.dynamodb.ItemStore.BatchResult;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStore.WriteResult;
import io.indexview.dynamodb.WriteCondition.Expected;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.dynamodb.WriteCondition.PairFence;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class DynamoDbItemStoreIT extends OwnTableScenario {
  private static ItemWrite.Put whole(String id, int n, Object... rest) {
    return new ItemWrite.Put(item(id, n), item(id, n, rest));
  }

  private static Fence version(long value) {
    return new Fence("version", value);
  }

  private static Map<String, Object> item(String id, int n, Object... rest) {
    Map<String, Object> item = new HashMap<>(Map.of("id", id, "n", n));
    for (int i = 0; i < rest.length; i += 2) {
      item.put((String) rest[i], rest[i + 1]);
    }
    return item;
  }

  @Test
  void refusesToGoOnWithoutATable() {
    assertThatThrownBy(() -> store.checkTable(spec("missing-table")))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("missing-table");
    assertThatThrownBy(() -> store.put("missing-table", item("a", 1)).join())
        .isInstanceOf(CompletionException.class)
        .cause()
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("missing-table");
  }

  @Test
  void givesBackEveryTypeOfValue() {
    Map<String, Object> item =
        item(
            "a",
            1,
            "text",
            "",
            "long",
            Long.MAX_VALUE,
            "double",
            -1.5e-3,
            "flag",
            true,
            "bytes",
            new byte[] {0, -1},
            "list",
            Arrays.asList("x", null, 2),
            "map",
            Map.of("inner", List.of()),
            "nothing",
            null);

    store.put(table, item).join();

    Map<String, Object> read = store.get(table, item("a", 1)).orElseThrow();
    assertThat(read)
        .containsEntry("text", "")
        .containsEntry("long", BigDecimal.valueOf(Long.MAX_VALUE))
        .containsEntry("flag", true)
        .containsEntry("bytes", new byte[] {0, -1})
        .containsEntry("list", Arrays.asList("x", null, BigDecimal.valueOf(2)))
        .containsEntry("map", Map.of("inner", List.of()))
        .doesNotContainKey("nothing");
    assertThat((BigDecimal) read.get("double")).isEqualByComparingTo("-0.0015");
  }

  @Test
  void neverReplacesAnItemOfAHigherNumber() {
    assertThat(store.put(table, whole("a", 1, "version", 5), version(5)).join().applied()).isTrue();

    WriteResult lower = store.put(table, whole("a", 1, "version", 4), version(4)).join();
    WriteResult deleted = store.delete(table, item("a", 1), version(4)).join();

    assertThat(lower.applied()).isFalse();
    assertThat(lower.existing()).containsEntry("version", BigDecimal.valueOf(5));
    assertThat(deleted.applied()).isFalse();
    assertThat(store.put(table, whole("a", 1, "version", 5, "again", true), version(5)).join())
        .matches(WriteResult::applied)
        .extracting(WriteResult::units)
        .isEqualTo(1.0);
    assertThat(store.get(table, item("a", 1)).orElseThrow()).containsEntry("again", true);
    assertThat(store.delete(table, item("a", 1), version(6)).join().applied()).isTrue();
    assertThat(store.get(table, item("a", 1))).isEmpty();
    assertThat(store.delete(table, item("a", 1), version(6)).join().applied()).isTrue();
  }

  @Test
  void comparesTwoNumbersMajorFirst() {
    Map<String, Object> stored = item("a", 1, "gen", 2, "version", 5);
    store.put(table, stored).join();

    for (PairFence lower : List.of(pair(1, 9), pair(2, 4))) {
      WriteResult refused = store.put(table, whole("a", 1, "gen", 9), lower).join();
      assertThat(refused.existing()).containsEntry("version", BigDecimal.valueOf(5));
      assertThat(lower.holds(refused.existing())).isFalse();
    }
    for (PairFence taken : List.of(pair(2, 5), pair(2, 6), pair(3, 1))) {
      store.put(table, stored).join();
      assertThat(taken.holds(store.get(table, item("a", 1)).orElseThrow())).isTrue();
      assertThat(store.delete(table, item("a", 1), taken).join().applied()).isTrue();
      assertThat(store.delete(table, item("a", 1), taken).join().applied()).isTrue();
    }
  }

  @Test
  void comparesOnlyTheMinorNumberWhereThereIsNoMajorOne() {
    store.put(table, item("a", 1, "version", 5)).join();

    assertThat(store.delete(table, item("a", 1), pair(9, 4)).join().applied()).isFalse();
    assertThat(store.delete(table, item("a", 1), pair(1, 5)).join().applied()).isTrue();
    store.put(table, item("a", 1, "gen", "mine", "version", 5)).join();
    assertThat(store.delete(table, item("a", 1), pair(9, 9)).join().applied()).isFalse();
    store.put(table, item("a", 1, "gen", "mine")).join();
    assertThat(store.delete(table, item("a", 1), pair(1, 1)).join().applied()).isTrue();
  }

  private static PairFence pair(long gen, long version) {
    return new PairFence(new Fence("gen", gen), version(version));
  }

  @Test
  void writesOnlyOverTheExpectedItem() {
    Expected nothing = new Expected("version", null);
    Expected five = new Expected("version", 5L);

    assertThat(store.put(table, whole("a", 1, "version", 5), five).join())
        .isEqualTo(WriteResult.heldOffBy(Map.of()));
    assertThat(store.put(table, whole("a", 1, "version", 5), nothing).join().applied()).isTrue();
    assertThat(store.put(table, whole("a", 1, "version", 9), nothing).join().existing())
        .containsEntry("version", BigDecimal.valueOf(5));
    assertThat(store.put(table, whole("a", 1, "version", 3), five).join().applied()).isTrue();
    assertThat(store.delete(table, item("a", 1), five).join().applied()).isFalse();
    assertThat(store.delete(table, item("a", 1), new Expected("version", 3L)).join().applied())
        .isTrue();
    assertThat(store.get(table, item("a", 1))).isEmpty();
  }

  @Test
  void saysThatTheItemIsAtFaultWhenItIs() {
    assertThat(failure(item("a", 1, "text", "x".repeat(410_000))))
        .isInstanceOf(ItemStoreException.Rejected.class);
    assertThat(failure(item("", 1))).isInstanceOf(ItemStoreException.Rejected.class);
    assertThat(failure(item("a", 1, "user", 7))).isInstanceOf(ItemStoreException.Rejected.class);
    assertThat(failure(item("a", 1, "d", Double.NaN)))
        .isInstanceOf(ItemStoreException.Rejected.class)
        .hasMessageContaining("attribute d");
    assertThat(failure(item("a", 1, "thread", Thread.currentThread())))
        .isInstanceOf(ItemStoreException.Rejected.class)
        .hasMessageContaining("java.lang.Thread");
  }

  private Throwable failure(Map<String, Object> item) {
    return store.put(table, item).handle((nothing, thrown) -> AwsErrors.unwrap(thrown)).join();
  }

  @Test
  void writesAndDeletesInBatches() {
    List<ItemWrite> puts = new ArrayList<>();
    for (int i = 0; i < ItemStore.BATCH_LIMIT; i++) {
      puts.add(new ItemWrite.Put(item("a", i), item("a", i, "size", i)));
    }
    assertThat(store.writeBatch(table, puts).join())
        .isEqualTo(new BatchResult(List.of(), puts.size()));

    assertThat(
            store
                .writeBatch(
                    table,
                    List.of(
                        new ItemWrite.Delete(item("a", 0)),
                        new ItemWrite.Put(item("a", 1), item("a", 1, "size", 100))))
                .join()
                .unprocessed())
        .isEmpty();

    assertThat(store.get(table, item("a", 0))).isEmpty();
    assertThat(store.get(table, item("a", 1)).orElseThrow())
        .containsEntry("size", BigDecimal.valueOf(100));
  }

  @Test
  void pagesThroughAKeyInBothDirections() {
    for (int i = 0; i < 7; i++) {
      store.put(table, item("a", i, i % 2 == 0 ? "marked" : "other", true)).join();
    }
    ItemQuery all = ItemQuery.of(table, null, "id", "a");

    assertThat(numbers(all)).containsExactly(0, 1, 2, 3, 4, 5, 6);
    assertThat(numbers(all.descending())).containsExactly(6, 5, 4, 3, 2, 1, 0);
    assertThat(numbers(all.where(new SortCondition.Between("n", 2, 4)))).containsExactly(2, 3, 4);
    assertThat(numbers(all.where(new SortCondition.Between("n", 5, null)))).containsExactly(5, 6);
    assertThat(numbers(all.where(new SortCondition.Between("n", null, 1)))).containsExactly(0, 1);
    assertThat(numbers(all.where(new SortCondition.EqualTo("n", 3)))).containsExactly(3);
    assertThat(numbers(all.eventual())).hasSize(7);
    assertThat(numbers(all.without("marked"))).containsExactly(1, 3, 5);
  }

  @Test
  void goesOnBehindAnItemThatIsGone() {
    for (int i = 0; i < 5; i++) {
      store.put(table, item("a", i, "user", "u", "size", 10 - i)).join();
    }
    ItemQuery all = ItemQuery.of(table, null, "id", "a");
    ItemQuery bySize = ItemQuery.of(table, "by-user", "user", "u");
    store.delete(table, item("a", 2)).join();

    assertThat(numbers(store.query(all.page(10, item("a", 2))))).containsExactly(3, 4);
    assertThat(numbers(store.query(all.descending().page(10, item("a", 2))))).containsExactly(1, 0);
    assertThat(numbers(store.query(bySize.page(10, item("a", 2, "user", "u", "size", 8)))))
        .containsExactly(1, 0);
  }

  private static List<Integer> numbers(ItemPage page) {
    return page.items().stream().map(item -> ((BigDecimal) item.get("n")).intValue()).toList();
  }

  private static List<Integer> numbers(ItemQuery query) {
    List<Integer> numbers = new ArrayList<>();
    ItemPage page = store.query(query.page(2, null));
    addNumbers(page, numbers);
    while (page.next() != null) {
      page = store.query(query.page(2, page.next()));
      addNumbers(page, numbers);
    }
    return numbers;
  }

  private static void addNumbers(ItemPage page, List<Integer> numbers) {
    assertThat(page.items()).hasSizeLessThanOrEqualTo(2);
    numbers.addAll(numbers(page));
  }

  @Test
  void readsAnIndexInOrderOfItsSortKeyAndWithoutItemsThatLackIt() {
    store.put(table, item("a", 1, "user", "u", "size", 10)).join();
    store.put(table, item("b", 1, "user", "u", "size", 9)).join();
    store.put(table, item("c", 1, "user", "u")).join();
    store.put(table, item("d", 1, "size", 3)).join();

    ItemPage page = store.query(ItemQuery.of(table, "by-user", "user", "u").descending());

    assertThat(page.items()).extracting(item -> item.get("id")).containsExactly("a", "b");
  }

  @Test
  void scansEverythingInPages() {
    for (int i = 0; i < 5; i++) {
      store.put(table, item("k" + i, i)).join();
    }
    List<Object> ids = new ArrayList<>();
    Map<String, Object> start = null;
    do {
      ItemPage page = store.scan(table, start, 2);
      page.items().forEach(item -> ids.add(item.get("id")));
      start = page.next();
    } while (start != null);

    assertThat(ids).containsExactlyInAnyOrder("k0", "k1", "k2", "k3", "k4");
  }
}
