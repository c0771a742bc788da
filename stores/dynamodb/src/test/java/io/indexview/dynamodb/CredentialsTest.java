package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;

/** Credentials that the SDK looks for itself. */
class CredentialsTest {
  private static final SdkClientException NONE =
      SdkClientException.create(
          "Unable to load credentials from any of the providers in the chain");

  private CompletableFuture<GetItemResponse> next;

  @Test
  void wantsThemCorrectedIfThereNeverWereAny() {
    next = CompletableFuture.failedFuture(NONE);

    assertThatThrownBy(() -> store().get("files", Map.of("id", "a")))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("table files: Unable to load credentials");
  }

  /** Their source may be away, as other services may. */
  @Test
  void waitsForThemOnceItHadSome() {
    ItemStore store = store();
    next = CompletableFuture.completedFuture(GetItemResponse.builder().build());
    assertThat(store.get("files", Map.of("id", "a"))).isEmpty();
    next = CompletableFuture.failedFuture(NONE);

    assertThatThrownBy(() -> store.get("files", Map.of("id", "a")))
        .isInstanceOf(ItemStoreException.Unavailable.class)
        .hasMessageContaining("table files: Unable to load credentials");
  }

  private ItemStore store() {
    return DynamoDbItemStore.over(
        (DynamoDbAsyncClient)
            Proxy.newProxyInstance(
                CredentialsTest.class.getClassLoader(),
                new Class<?>[] {DynamoDbAsyncClient.class},
                (proxy, method, arguments) -> next));
  }
}
