package io.indexview.benchmarks.read;

import io.indexview.benchmarks.data.People;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** A query of the AWS SDK: items as it gives them. */
final class BareDynamoDbPages implements PageSource<List<Map<String, AttributeValue>>> {
  private final DynamoDbAsyncClient client;
  private final DynamoDbLayout layout;
  private final BareRecords records;

  BareDynamoDbPages(DynamoDbAsyncClient client, ViewGeneration generation, BareRecords records) {
    this.client = client;
    this.layout = DynamoDbLayout.of(generation);
    this.records = records;
  }

  @Override
  public List<Map<String, AttributeValue>> read(int person, int rows) {
    List<Object> active = List.of(true);
    List<Map<String, AttributeValue>> page =
        client
            .query(
                request ->
                    request
                        .tableName(layout.table().name())
                        .keyConditionExpression("#p = :p AND #s >= :s")
                        .expressionAttributeNames(
                            Map.of("#p", DynamoDbLayout.PARTITION, "#s", DynamoDbLayout.SORT))
                        .expressionAttributeValues(
                            Map.of(
                                ":p",
                                AttributeValue.fromS(layout.partition(active)),
                                ":s",
                                AttributeValue.fromS(
                                    layout.sortBound(active, People.id(person), false))))
                        .consistentRead(true)
                        .limit(rows))
            .join()
            .items();
    records.fetch(() -> primaryKeys(page));
    return page;
  }

  @Override
  public List<String> primaryKeys(List<Map<String, AttributeValue>> page) {
    return page.stream().map(item -> layout.row(plain(item)).primaryKey()).toList();
  }

  private static Map<String, Object> plain(Map<String, AttributeValue> item) {
    Map<String, Object> plain = new HashMap<>();
    item.forEach(
        (name, value) ->
            plain.put(name, value.n() == null ? value.s() : new BigDecimal(value.n())));
    return plain;
  }
}
