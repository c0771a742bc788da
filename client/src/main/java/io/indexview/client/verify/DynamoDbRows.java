package io.indexview.client.verify;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.StoredRow;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/** The rows of one view generation in DynamoDB, where generations do not share the table. */
public final class DynamoDbRows implements TargetRows {
  private static final int PAGE = 500;

  private final ItemStore store;
  private final DynamoDbLayout layout;

  public DynamoDbRows(ItemStore store, ViewGeneration generation) {
    this.store = store;
    this.layout = DynamoDbLayout.of(generation);
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value) {
    return row(layout.row(layout.item(key::get, value::get, 0)));
  }

  @Override
  public void forEach(Consumer<Row> rows) {
    Map<String, Object> start = null;
    do {
      ItemPage page = store.scan(layout.table().name(), start, PAGE);
      page.items().stream()
          .map(layout::row)
          .filter(stored -> !stored.deleted())
          .forEach(stored -> rows.accept(row(stored)));
      start = page.next();
    } while (start != null);
  }

  private static Row row(StoredRow stored) {
    return new Row(new TreeMap<>(stored.key()) + " " + stored.primaryKey(), stored.values());
  }
}
