package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
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
    assertContradiction(item("b", "1", AttributeValue.fromN("8")), "another key");
    assertContradiction(item("a", "2", AttributeValue.fromN("8")), "another key");
    assertContradiction(item("b", "1", AttributeValue.fromS("mine")), "another key");
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

  /** Refuses all conditional writes with this item. */
  private static ItemStore refusing(Map<String, AttributeValue> item) {
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

          private ConditionalCheckFailedException refusal() {
            return ConditionalCheckFailedException.builder().item(item).build();
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
