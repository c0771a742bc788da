package io.indexview.client.read;

import com.amazonaws.services.dynamodbv2.local.embedded.DynamoDBEmbedded;
import com.amazonaws.services.dynamodbv2.local.shared.access.AmazonDynamoDBLocal;
import io.indexview.dynamodb.DynamoDbItemStore;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.TableSpec;
import io.indexview.schemas.Topics;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.ViewMetadata;
import java.time.Duration;
import java.util.List;

/** Views in DynamoDB Local, in this process. */
public final class StoredDynamoDbView implements StoredView, AutoCloseable {
  private static final boolean DISABLE_TELEMETRY = true;
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final Topics TOPICS = new Topics("indexview");

  private final AmazonDynamoDBLocal local = DynamoDBEmbedded.create(DISABLE_TELEMETRY);
  private final ItemStore store = DynamoDbItemStore.over(local.dynamoDbAsyncClient());

  ItemStore store() {
    return store;
  }

  /** Makes the table of the metadata. */
  public StoredDynamoDbView withMetadata() {
    store.ensureTable(
        new TableSpec(
            "indexview-views",
            new TableSpec.Key(ViewMetadata.DYNAMODB_KEY, TableSpec.KeyType.STRING),
            null,
            List.of(),
            null),
        TIMEOUT);
    return this;
  }

  @Override
  public void prepare(ViewGeneration generation) {
    DynamoDbLayout.Table table = DynamoDbLayout.of(generation).table();
    if (store.describe(table.name()).isPresent()) {
      drop(generation);
    }
    store.ensureTable(
        new TableSpec(
            table.name(),
            key(table.partitionKey()),
            key(table.sortKey()),
            table.indexes().stream()
                .map(
                    index ->
                        new TableSpec.Index(
                            index.name(), key(index.partitionKey()), key(index.sortKey())))
                .toList(),
            null),
        TIMEOUT);
  }

  /** Deletes the table of a generation. */
  void drop(ViewGeneration generation) {
    local
        .dynamoDbClient()
        .deleteTable(r -> r.tableName(DynamoDbLayout.of(generation).table().name()));
  }

  private static TableSpec.Key key(DynamoDbLayout.KeyAttribute attribute) {
    return attribute == null
        ? null
        : new TableSpec.Key(
            attribute.name(),
            attribute.type() == DynamoDbLayout.AttributeType.N
                ? TableSpec.KeyType.NUMBER
                : TableSpec.KeyType.STRING);
  }

  @Override
  public void put(ViewGeneration generation, TestRow row, long revision) {
    DynamoDbLayout layout = DynamoDbLayout.of(generation);
    store.put(layout.table().name(), layout.item(row::field, row::value, revision)).join();
  }

  @Override
  public void delete(ViewGeneration generation, TestRow row) {
    DynamoDbLayout layout = DynamoDbLayout.of(generation);
    store.delete(layout.table().name(), layout.key(row::field)).join();
  }

  @Override
  public void mark(ViewGeneration generation, TestRow row, long revision) {
    DynamoDbLayout layout = DynamoDbLayout.of(generation);
    store.put(layout.table().name(), layout.tombstone(row::field, revision, 4_000_000_000L)).join();
  }

  @Override
  public void tell(ViewMetadata metadata) {
    store.put("indexview-views", metadata.toItem()).join();
  }

  @Override
  public IndexViewReader reader(ReaderConfig config) {
    return IndexViewReaders.of(store, TOPICS, config);
  }

  @Override
  public void close() {
    store.close();
    local.shutdown();
  }
}
