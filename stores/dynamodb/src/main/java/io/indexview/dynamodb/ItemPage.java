package io.indexview.dynamodb;

import java.util.List;
import java.util.Map;

/**
 * Some items of a query or scan; may be empty although more follow.
 *
 * @param next where the next page starts; null after the last one
 */
public record ItemPage(List<Map<String, Object>> items, Map<String, Object> next) {
  public ItemPage {
    items = List.copyOf(items);
  }
}
