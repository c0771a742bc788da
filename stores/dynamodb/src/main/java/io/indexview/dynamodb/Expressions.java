package io.indexview.dynamodb;

import io.indexview.dynamodb.ItemQuery.SortCondition;
import io.indexview.dynamodb.WriteCondition.Expected;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.dynamodb.WriteCondition.PairFence;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;

/**
 * Queries and conditions as the store's expressions. Every name goes through a placeholder, so that
 * reserved words are harmless.
 */
final class Expressions {
  private Expressions() {}

  static QueryRequest query(ItemQuery query) {
    Map<String, String> names = new HashMap<>();
    Map<String, AttributeValue> values = new HashMap<>();
    names.put("#pk", query.partitionKey());
    values.put(":pk", AttributeValues.valueOf(query.partitionKey(), query.partitionValue()));
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
      request.exclusiveStartKey(AttributeValues.of(query.start()));
    }
    return request.expressionAttributeNames(names).build();
  }

  private static String sortCondition(
      SortCondition sort, Map<String, String> names, Map<String, AttributeValue> values) {
    names.put("#sk", sort.attribute());
    if (sort instanceof SortCondition.EqualTo equal) {
      values.put(":sk", AttributeValues.valueOf(sort.attribute(), equal.value()));
      return "#sk = :sk";
    }
    if (sort instanceof SortCondition.BeginsWith begins) {
      values.put(":sk", AttributeValues.valueOf(sort.attribute(), begins.prefix()));
      return "begins_with(#sk, :sk)";
    }
    SortCondition.Between between = (SortCondition.Between) sort;
    if (between.from() != null) {
      values.put(":from", AttributeValues.valueOf(sort.attribute(), between.from()));
    }
    if (between.to() != null) {
      values.put(":to", AttributeValues.valueOf(sort.attribute(), between.to()));
    }
    return between.from() == null
        ? "#sk <= :to"
        : between.to() == null ? "#sk >= :from" : "#sk BETWEEN :from AND :to";
  }

  static String condition(WriteCondition condition) {
    if (condition instanceof Fence) {
      return "attribute_not_exists(#a) OR #a <= :a";
    }
    if (condition instanceof PairFence) {
      return "attribute_not_exists(#b) OR #a < :a"
          + " OR ((attribute_not_exists(#a) OR #a = :a) AND #b <= :b)";
    }
    return values(condition) == null ? "attribute_not_exists(#a)" : "#a = :a";
  }

  static Map<String, String> names(WriteCondition condition) {
    List<String> attributes = condition.attributes();
    return attributes.size() == 1
        ? Map.of("#a", attributes.get(0))
        : Map.of("#a", attributes.get(0), "#b", attributes.get(1));
  }

  /** Null if the expression has no value: the store takes no empty map. */
  static Map<String, AttributeValue> values(WriteCondition condition) {
    if (condition instanceof Fence fence) {
      return Map.of(":a", number(fence.value()));
    }
    if (condition instanceof PairFence pair) {
      return Map.of(":a", number(pair.major().value()), ":b", number(pair.minor().value()));
    }
    Long expected = ((Expected) condition).value();
    return expected == null ? null : Map.of(":a", number(expected));
  }

  private static AttributeValue number(long value) {
    return AttributeValue.fromN(Long.toString(value));
  }
}
