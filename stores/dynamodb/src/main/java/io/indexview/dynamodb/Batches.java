package io.indexview.dynamodb;

import io.indexview.dynamodb.ItemStore.ItemWrite;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Batch requests, and which of their writes came back. */
final class Batches {
  private Batches() {}

  static WriteRequest request(ItemWrite write) {
    if (write instanceof ItemWrite.Put put) {
      Map<String, AttributeValue> item = AttributeValues.of(put.item());
      return WriteRequest.builder().putRequest(p -> p.item(item)).build();
    }
    Map<String, AttributeValue> key = AttributeValues.of(write.key());
    return WriteRequest.builder().deleteRequest(d -> d.key(key)).build();
  }

  /** Writes are found again by their keys: the store rewrites numbers, so items are not equal. */
  static List<Integer> unprocessed(
      String table, List<ItemWrite> writes, List<WriteRequest> returned) {
    if (returned.isEmpty()) {
      return List.of();
    }
    Map<Map<String, Object>, Integer> indices = new HashMap<>();
    for (int i = 0; i < writes.size(); i++) {
      indices.put(comparable(AttributeValues.of(writes.get(i).key())), i);
    }
    List<Integer> unprocessed = new ArrayList<>(returned.size());
    for (WriteRequest request : returned) {
      Map<String, AttributeValue> attributes =
          request.putRequest() != null
              ? request.putRequest().item()
              : request.deleteRequest().key();
      Map<String, AttributeValue> key = new HashMap<>(attributes);
      key.keySet().retainAll(writes.get(0).key().keySet());
      Integer index = indices.get(comparable(key));
      if (index == null) {
        throw new ItemStoreException.Unavailable(
            "table %s: an unprocessed item came back that was not sent".formatted(table), null);
      }
      unprocessed.add(index);
    }
    return unprocessed;
  }

  private static Map<String, Object> comparable(Map<String, AttributeValue> key) {
    Map<String, Object> comparable = new HashMap<>();
    key.forEach(
        (name, value) ->
            comparable.put(
                name, value.n() == null ? value : new BigDecimal(value.n()).stripTrailingZeros()));
    return comparable;
  }
}
