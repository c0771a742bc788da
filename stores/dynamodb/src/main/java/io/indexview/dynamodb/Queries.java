package io.indexview.dynamodb;

import io.indexview.dynamodb.ItemQuery.SortCondition;
import java.util.HashMap;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;

/** Query requests; every name goes through a placeholder, so that reserved words are harmless. */
final class Queries {
  private Queries() {}

  static QueryRequest request(ItemQuery query) {
    Map<String, String> names = new HashMap<>();
    Map<String, AttributeValue> values = new HashMap<>();
    names.put("#pk", query.partitionKey());
    values.put(":pk", Attributes.valueOf(query.partitionKey(), query.partitionValue()));
    String condition = "#pk = :pk";
    if (query.sort() != null) {
      condition += " AND " + sortCondition(query.sort(), names, values);
    }
    QueryRequest.Builder request =
        QueryRequest.builder()
            .tableName(query.table())
            .indexName(query.index())
            .consistentRead(query.consistent() && query.index() == null)
            .scanIndexForward(query.ascending())
            .limit(query.limit())
            .keyConditionExpression(condition)
            .expressionAttributeValues(values);
    if (query.absent() != null) {
      names.put("#absent", query.absent());
      request.filterExpression("attribute_not_exists(#absent)");
    }
    if (query.start() != null) {
      request.exclusiveStartKey(Attributes.of(query.start()));
    }
    return request.expressionAttributeNames(names).build();
  }

  private static String sortCondition(
      SortCondition sort, Map<String, String> names, Map<String, AttributeValue> values) {
    names.put("#sk", sort.attribute());
    if (sort instanceof SortCondition.EqualTo equal) {
      values.put(":sk", Attributes.valueOf(sort.attribute(), equal.value()));
      return "#sk = :sk";
    }
    if (sort instanceof SortCondition.BeginsWith begins) {
      values.put(":sk", Attributes.valueOf(sort.attribute(), begins.prefix()));
      return "begins_with(#sk, :sk)";
    }
    SortCondition.Between between = (SortCondition.Between) sort;
    if (between.from() != null) {
      values.put(":from", Attributes.valueOf(sort.attribute(), between.from()));
    }
    if (between.to() != null) {
      values.put(":to", Attributes.valueOf(sort.attribute(), between.to()));
    }
    return between.from() == null
        ? "#sk <= :to"
        : between.to() == null ? "#sk >= :from" : "#sk BETWEEN :from AND :to";
  }
}
