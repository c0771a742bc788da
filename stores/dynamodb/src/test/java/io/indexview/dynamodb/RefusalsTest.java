package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.dynamodb.ItemStore.ItemWrite;
import io.indexview.dynamodb.ItemStore.WriteResult;
import io.indexview.dynamodb.WriteCondition.Expected;
import io.indexview.dynamodb.WriteCondition.Fence;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemRequest;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemRequest;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;

class RefusalsTest {
  private static final Map<String, Object> KEY = Map.of("id", "a", "n", 1);
  private static final ItemWrite.Put WRITE =
      new ItemWrite.Put(KEY, Map.of("id", "a", "n", 1, "version", 7));
  private static final Fence SEVEN = new Fence("version", 7);

  @ParameterizedTest
  @ValueSource(strings = {"8", "7.5", "99999999999999999999"})
  void tellsOfTheHigherItemOfTheSameKey(String version) {
    ItemStore store = refusing(item("a", "1.0", AttributeValue.fromN(version)));

    assertThat(store.put("files", WRITE, SEVEN).join().existing())
        .containsEntry("version", new BigDecimal(version));
    assertThat(store.delete("files", KEY, SEVEN).join().applied()).isFalse();
  }

  @Test
  void tellsOfAnItemWhoseAttributeIsNoNumber() {
    assertThat(put(item("a", "1", AttributeValue.fromS("mine"))).existing())
        .containsEntry("version", "mine");
    assertThat(put(item("a", "1", AttributeValue.fromNul(true))).existing())
        .containsEntry("version", null);
  }

  @Test
  void trustsNoRefusalThatNamesTheItemOfAnotherKey() {
    assertContradiction(item("b", "1", AttributeValue.fromN("8")), "no item");
    assertContradiction(item("a", "2", AttributeValue.fromN("8")), "no item");
    assertContradiction(item("b", "1", AttributeValue.fromS("mine")), "no item");
  }

  @Test
  void looksAtItsOwnItemWhereARefusalTellsNothingOfIt() {
    Map<String, AttributeValue> own = item("a", "1", AttributeValue.fromN("8"));

    for (Map<String, AttributeValue> named :
        List.of(Map.<String, AttributeValue>of(), item("b", "1", AttributeValue.fromN("9")))) {
      ItemStore store = refusing(named, own);
      assertThat(store.put("files", WRITE, SEVEN).join().existing())
          .containsEntry("version", BigDecimal.valueOf(8));
      assertThat(store.delete("files", KEY, SEVEN).join().existing())
          .containsEntry("version", BigDecimal.valueOf(8));
      assertThat(store.put("files", WRITE, new Expected("version", null)).join().applied())
          .isFalse();
    }
  }

  @Test
  void triesAgainWhereItsOwnItemAllowsTheWrite() {
    Map<String, AttributeValue> own = item("a", "1", AttributeValue.fromN("7"));

    for (Map<String, AttributeValue> named :
        List.of(Map.<String, AttributeValue>of(), item("b", "1", AttributeValue.fromN("9")))) {
      assertThatThrownBy(() -> refusing(named, own).put("files", WRITE, SEVEN).join())
          .hasCauseInstanceOf(ItemStoreException.Unavailable.class)
          .hasMessageContaining("an item that allows it");
    }
  }

  @Test
  void trustsNoRefusalByAnItemThatAllowsTheWrite() {
    assertContradiction(item("a", "1", AttributeValue.fromN("7")), "an item that allows it");
    assertContradiction(item("a", "1", AttributeValue.fromN("-3")), "an item that allows it");
    assertContradiction(
        Map.of("id", AttributeValue.fromS("a"), "n", AttributeValue.fromN("1")),
        "an item that allows it");
    assertContradiction(Map.of(), "no item");
  }

  @Test
  void trustsNoRefusalThatContradictsAnExpectation() {
    ItemStore seven = refusing(item("a", "1", AttributeValue.fromN("7")));
    ItemStore none = refusing(Map.of());

    assertThat(seven.put("files", WRITE, new Expected("version", null)).join().applied()).isFalse();
    assertThat(none.put("files", WRITE, new Expected("version", 7L)).join().applied()).isFalse();
    assertThatThrownBy(() -> seven.put("files", WRITE, new Expected("version", 7L)).join())
        .hasCauseInstanceOf(ItemStoreException.Unavailable.class);
    assertThatThrownBy(() -> none.put("files", WRITE, new Expected("version", null)).join())
        .hasCauseInstanceOf(ItemStoreException.Unavailable.class);
  }

  private static void assertContradiction(Map<String, AttributeValue> answer, String what) {
    assertThatThrownBy(() -> put(answer))
        .isInstanceOf(CompletionException.class)
        .hasCauseInstanceOf(ItemStoreException.Unavailable.class)
        .hasMessageContaining("table files")
        .hasMessageContaining(what);
    assertThatThrownBy(() -> refusing(answer).delete("files", KEY, SEVEN).join())
        .hasCauseInstanceOf(ItemStoreException.Unavailable.class);
  }

  private static WriteResult put(Map<String, AttributeValue> answer) {
    return refusing(answer).put("files", WRITE, SEVEN).join();
  }

  private static Map<String, AttributeValue> item(String id, String n, AttributeValue version) {
    return Map.of("id", AttributeValue.fromS(id), "n", AttributeValue.fromN(n), "version", version);
  }

  private static ItemStore refusing(Map<String, AttributeValue> item) {
    return refusing(item, null);
  }

  /**
   * Refuses all conditional writes with the item that is named, whatever is there.
   *
   * @param own what is there; null: nothing
   */
  private static ItemStore refusing(
      Map<String, AttributeValue> named, Map<String, AttributeValue> own) {
    return DynamoDbItemStore.over(
        new DynamoDbAsyncClient() {
          @Override
          public CompletableFuture<PutItemResponse> putItem(PutItemRequest request) {
            return CompletableFuture.failedFuture(refusal());
          }

          @Override
          public CompletableFuture<DeleteItemResponse> deleteItem(DeleteItemRequest request) {
            return CompletableFuture.failedFuture(refusal());
          }

          @Override
          public CompletableFuture<GetItemResponse> getItem(GetItemRequest request) {
            assertThat(request.tableName()).isEqualTo("files");
            assertThat(request.key()).isEqualTo(AttributeValues.of(KEY));
            assertThat(request.consistentRead()).isTrue();
            return CompletableFuture.completedFuture(GetItemResponse.builder().item(own).build());
          }

          private ConditionalCheckFailedException refusal() {
            return ConditionalCheckFailedException.builder().item(named).build();
          }

          @Override
          public String serviceName() {
            return "dynamodb";
          }

          @Override
          public void close() {}
        });
  }
}
