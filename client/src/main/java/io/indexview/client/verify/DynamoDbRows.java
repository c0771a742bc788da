package io.indexview.client.verify;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.DynamoDbLayout.AttributeType;
import io.indexview.views.layout.DynamoDbLayout.KeyAttribute;
import io.indexview.views.layout.ItemSize;
import io.indexview.views.layout.LayoutException;
import io.indexview.views.layout.StoredRow;
import java.math.BigDecimal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import org.apache.avro.generic.GenericRecord;

/**
 * The rows of one view generation in DynamoDB. The id of a row is a JSON array of its key
 * attributes, numbers as text.
 */
public final class DynamoDbRows implements TargetReader {
  private static final int PAGE = 500;

  /** Of a strongly consistent read of one item. */
  private static final double BYTES_PER_READ_UNIT = 4 << 10;

  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private final ItemStore store;
  private final DynamoDbLayout layout;

  public DynamoDbRows(ItemStore store, ViewGeneration generation) {
    this.store = store;
    this.layout = DynamoDbLayout.of(generation);
  }

  @Override
  public Row expected(GenericRecord key, GenericRecord value, long revision) {
    Map<String, Object> item = layout.item(key::get, value::get, revision);
    return row(item, layout.row(item));
  }

  @Override
  public String id(GenericRecord key) {
    return id(layout.key(key::get));
  }

  @Override
  public void scan(Visitor visitor) {
    scan(visitor, null, position -> {});
  }

  /** A position is the id of the item before it. */
  @Override
  public void scanContents(ContentVisitor visitor, Optional<String> from, List<String> sample) {
    scan(visitor, from.map(this::key).orElse(null), visitor::reached);
  }

  private void scan(Visitor visitor, Map<String, Object> from, Consumer<String> reached) {
    Map<String, Object> start = from;
    do {
      ItemPage page = store.scan(layout.table().name(), start, PAGE);
      visitor.consumed(page.items().stream().mapToLong(ItemSize::of).sum(), page.readUnits());
      page.items().forEach(item -> visit(item, visitor));
      start = page.next();
      if (start != null) {
        reached.accept(id(start));
      }
    } while (start != null);
  }

  private void visit(Map<String, Object> item, Visitor visitor) {
    StoredRow row;
    try {
      row = stored(item);
    } catch (LayoutException e) {
      visitor.foreign(id(item), kind(item), e.getMessage());
      return;
    }
    if (row.deleted()) {
      visitor.tombstone(id(item));
    } else {
      visitor.row(row(item, row));
    }
  }

  /** Of what is no row. */
  private Kind kind(Map<String, Object> item) {
    if (!(item.get(DynamoDbLayout.VERSION) instanceof Number)) {
      return Kind.UNVERSIONED;
    }
    return layout.holds(item) ? Kind.UNDECODABLE : Kind.OTHER_GENERATION;
  }

  private StoredRow stored(Map<String, Object> item) {
    if (!layout.holds(item)) {
      throw new LayoutException(
          "an item of generation %s".formatted(item.get(DynamoDbLayout.GENERATION)));
    }
    return layout.row(item);
  }

  @Override
  public Optional<Row> read(String id, Meter meter) {
    try {
      return get(id, meter)
          .filter(item -> !stored(item).deleted())
          .map(item -> row(item, layout.row(item)));
    } catch (LayoutException e) {
      // Something else lies in the row's place.
      return Optional.empty();
    }
  }

  private Optional<Map<String, Object>> get(String id, Meter meter) {
    Optional<Map<String, Object>> found = store.get(layout.table().name(), key(id));
    long bytes = found.map(ItemSize::of).orElse(0L);
    meter.consumed(bytes, Math.max(1, Math.ceil(bytes / BYTES_PER_READ_UNIT)));
    return found;
  }

  @Override
  public OptionalLong revision(String id, Meter meter) {
    return get(id, meter).map(item -> item.get(DynamoDbLayout.VERSION)).stream()
        .filter(Number.class::isInstance)
        .mapToLong(version -> ((Number) version).longValue())
        .findFirst();
  }

  private Row row(Map<String, Object> item, StoredRow stored) {
    return new Row(id(item), stored.primaryKey(), stored.key(), stored.values(), stored.revision());
  }

  private String id(Map<String, ?> item) {
    List<String> key =
        layout.table().keys().stream().map(attribute -> text(attribute, item)).toList();
    try {
      return JSON.writeValueAsString(key);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text is always JSON", e);
    }
  }

  private static String text(KeyAttribute attribute, Map<String, ?> item) {
    String text = String.valueOf(item.get(attribute.name()));
    return attribute.type() == AttributeType.N
        ? new BigDecimal(text).stripTrailingZeros().toPlainString()
        : text;
  }

  private Map<String, Object> key(String id) {
    try {
      String[] texts = JSON.readValue(id, String[].class);
      Map<String, Object> key = new HashMap<>();
      for (KeyAttribute attribute : layout.table().keys()) {
        String text = texts[key.size()];
        key.put(
            attribute.name(), attribute.type() == AttributeType.N ? new BigDecimal(text) : text);
      }
      return key;
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no id of an item: " + id, e);
    }
  }
}
