package io.indexview.views.layout;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.layout.DynamoDbLayout.ItemKey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Function;

/** Keys of index views: two texts. */
final class IndexKey implements ItemKey {
  private final RowKey rowKey;
  private final int inPartition;

  IndexKey(ViewFields fields, int inPartition) {
    this.rowKey = new RowKey(fields);
    this.inPartition = inPartition;
  }

  @Override
  public DynamoDbLayout.KeyAttribute partitionKey() {
    return new DynamoDbLayout.KeyAttribute(
        DynamoDbLayout.PARTITION, DynamoDbLayout.AttributeType.S);
  }

  @Override
  public DynamoDbLayout.KeyAttribute sortKey() {
    return new DynamoDbLayout.KeyAttribute(DynamoDbLayout.SORT, DynamoDbLayout.AttributeType.S);
  }

  @Override
  public Map<String, Object> attributes(Function<String, ?> key) {
    List<String> components = rowKey.components(key);
    List<String> sort = new ArrayList<>(components.subList(inPartition, components.size()));
    sort.add(RowKey.primaryKey(key));
    Map<String, Object> attributes = new LinkedHashMap<>();
    attributes.put(DynamoDbLayout.PARTITION, JoinedText.join(components.subList(0, inPartition)));
    attributes.put(DynamoDbLayout.SORT, JoinedText.join(sort));
    return attributes;
  }

  @Override
  public void addRest(Map<String, Object> item, Function<String, ?> key) {
    // The two key attributes hold the whole row key.
  }

  @Override
  public StoredRow row(
      Map<String, ?> item, Map<String, Object> values, long revision, boolean deleted) {
    List<String> components = new ArrayList<>(split(item, DynamoDbLayout.PARTITION));
    if (components.size() != inPartition) {
      throw new LayoutException(
          "%s holds %d values instead of %d"
              .formatted(DynamoDbLayout.PARTITION, components.size(), inPartition));
    }
    components.addAll(split(item, DynamoDbLayout.SORT));
    if (components.size() != rowKey.size() + 1) {
      throw new LayoutException(
          "%s holds %d values instead of %d"
              .formatted(
                  DynamoDbLayout.SORT,
                  components.size() - inPartition,
                  rowKey.size() + 1 - inPartition));
    }
    String primaryKey = components.remove(rowKey.size());
    return new StoredRow(
        rowKey.values(components), primaryKey, values, OptionalLong.of(revision), deleted);
  }

  private static List<String> split(Map<String, ?> item, String attribute) {
    if (item.get(attribute) instanceof String joined) {
      return JoinedText.split(joined);
    }
    throw new LayoutException("an item without the text \"%s\"".formatted(attribute));
  }

  String partition(List<?> shardKeyValues) {
    if (shardKeyValues.size() != inPartition) {
      throw new LayoutException(
          "%d values given, but the shard key has %d fields"
              .formatted(shardKeyValues.size(), inPartition));
    }
    return JoinedText.join(rowKey.leading(shardKeyValues));
  }

  String sortPrefix(List<?> shardKeyValues, List<?> following) {
    List<Object> all = new ArrayList<>(shardKeyValues);
    all.addAll(following);
    return sortPrefix(all);
  }

  String sortPrefix(List<?> leading) {
    return JoinedText.prefix(rowKey.leading(leading).subList(inPartition, leading.size()));
  }

  String sortBound(List<?> leading, Object value, boolean behind) {
    String joined = sortPrefix(leading, value);
    return behind ? JoinedText.behind(joined) : joined;
  }

  String sortPrefix(List<?> leading, Object beginning) {
    String component = rowKey.component(leading.size(), beginning);
    return sortPrefix(leading) + JoinedText.escape(component);
  }

  String sortEnd(List<?> leading) {
    String prefix = sortPrefix(leading);
    return prefix.isEmpty() ? null : JoinedText.behind(prefix.substring(0, prefix.length() - 1));
  }
}
