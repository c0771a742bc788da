package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStoreException;
import io.indexview.dynamodb.TableSpec;
import io.indexview.schemas.Topics;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class MetadataTableIT {
  private static final Topics TOPICS = new Topics("indexview");
  private static final TableSpec SPEC = MetadataTable.spec(TOPICS);

  /** Described, but not to be read yet: another task has just created it. */
  private static ItemStore describing(ItemStore store) {
    return (ItemStore)
        Proxy.newProxyInstance(
            ItemStore.class.getClassLoader(),
            new Class<?>[] {ItemStore.class},
            (proxy, method, arguments) -> {
              try {
                return method.getName().equals("describe")
                    ? Optional.of(SPEC)
                    : method.invoke(store, arguments);
              } catch (InvocationTargetException e) {
                throw e.getCause();
              }
            });
  }

  @Test
  void isThereOnceItCanBeRead() {
    AmazonDynamoDBLocal local = DynamoDBEmbedded.create(true);
    try (ItemStore store = DynamoDbItemStore.over(local.dynamoDbAsyncClient())) {
      MetadataTable table = new MetadataTable(describing(store), TOPICS, true);
      assertThat(table.isThere()).isFalse();

      store.ensureTable(SPEC, Duration.ofSeconds(20));
      assertThat(table.isThere()).isTrue();
    } finally {
      local.shutdown();
    }
  }

  @Test
  void isMadeAgainOnceSomebodyFindsItGone() {
    AmazonDynamoDBLocal local = DynamoDBEmbedded.create(true);
    try (ItemStore store = DynamoDbItemStore.over(local.dynamoDbAsyncClient())) {
      MetadataTable table = new MetadataTable(store, TOPICS, true);
      table.ready();
      String identity = store.identity(table.name()).orElseThrow();
      store.deleteTable(table.name(), identity, Duration.ofSeconds(20));

      assertThatThrownBy(() -> table.get("x")).isInstanceOf(ItemStoreException.NoTable.class);
      table.ready();

      assertThat(table.get("x")).isEmpty();
    } finally {
      local.shutdown();
    }
  }

  /** No view can do without it, so nobody takes it for the table of one. */
  @Test
  void isNoTableOfAViewThatOthersNeedNotWaitFor() {
    AmazonDynamoDBLocal local = DynamoDBEmbedded.create(true);
    try (ItemStore store = DynamoDbItemStore.over(local.dynamoDbAsyncClient())) {
      MetadataTable table = new MetadataTable(store, TOPICS, false);

      assertThatThrownBy(table::ready)
          .isInstanceOf(ItemStoreException.Permanent.class)
          .isNotInstanceOf(ItemStoreException.NoTable.class)
          .hasMessageContaining("indexview-views");
    } finally {
      local.shutdown();
    }
  }
}
