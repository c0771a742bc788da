package io.indexview.client.verify;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;

class DynamoDbRowsTest {
  private static final RecordSet PEOPLE =
      new RecordSet(
          "people",
          "people",
          RecordFormat.ENVELOPE,
          List.of(),
          SchemaBuilder.record("Person").fields().requiredString("org").endRecord());
  private static final ViewGeneration BY_ORG =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse(
                  "by-org.yaml",
                  "{name: by-org, source: people, key: [org], target: dynamodb, swap: in-place}"),
          2,
          PEOPLE,
          new Topics("test"));

  private final List<Map<String, Object>> items = new ArrayList<>();
  private final List<String> seen = new ArrayList<>();
  private final List<Map<?, ?>> starts = new ArrayList<>();
  private Map<String, Object> next;
  private long bytes;
  private double readUnits;

  private final DynamoDbRows rows =
      new DynamoDbRows(
          (ItemStore)
              Proxy.newProxyInstance(
                  ItemStore.class.getClassLoader(),
                  new Class<?>[] {ItemStore.class},
                  (proxy, method, arguments) ->
                      switch (method.getName()) {
                        case "scan" -> page((Map<?, ?>) arguments[1]);
                        case "get" -> items.stream().findFirst();
                        default -> throw new UnsupportedOperationException(method.getName());
                      }),
          BY_ORG);

  private static Map<String, Object> item(String primaryKey) {
    return new HashMap<>(
        DynamoDbLayout.of(BY_ORG)
            .item(Map.of("org", "Support", "_primaryKey", primaryKey)::get, Map.of()::get, 7));
  }

  private ItemPage page(Map<?, ?> start) {
    starts.add(start);
    return new ItemPage(items, start == null ? next : null, 2.5);
  }

  @Test
  void goesOnFromEachPosition() {
    items.add(item("/p/1"));
    next = DynamoDbLayout.of(BY_ORG).key(Map.of("org", "Support", "_primaryKey", "/p/1")::get);
    List<String> positions = new ArrayList<>();
    TargetReader.ContentVisitor visitor =
        (TargetReader.ContentVisitor)
            Proxy.newProxyInstance(
                ItemStore.class.getClassLoader(),
                new Class<?>[] {TargetReader.ContentVisitor.class},
                (proxy, method, arguments) -> {
                  if (method.getName().equals("reached")) {
                    positions.add((String) arguments[0]);
                  }
                  return null;
                });

    rows.scanContents(visitor, Optional.empty(), List.of());
    rows.scanContents(visitor, Optional.of(positions.get(0)), List.of());

    assertThat(positions).hasSize(1);
    assertThat(starts).containsExactly(null, next, next);
  }

  private void scan() {
    rows.scan(
        new TargetReader.Visitor() {
          @Override
          public void consumed(long moreBytes, double moreUnits) {
            bytes += moreBytes;
            readUnits += moreUnits;
          }

          @Override
          public void row(Row row) {
            seen.add(row.primaryKey());
          }

          @Override
          public void tombstone(String id) {
            seen.add("tombstone");
          }

          @Override
          public void foreign(String id, Kind kind, String reason, byte[] content) {
            seen.add(kind.text());
          }
        });
  }

  @Test
  void tellsRowsFromWhatIsNone() {
    items.add(item("/p/1"));
    Map<String, Object> earlier = item("/p/2");
    earlier.put(DynamoDbLayout.GENERATION, 1L);
    items.add(earlier);
    Map<String, Object> planted = item("/p/3");
    planted.remove(DynamoDbLayout.VERSION);
    items.add(planted);
    Map<String, Object> broken = item("/p/4");
    broken.put(DynamoDbLayout.PARTITION, 5L);
    items.add(broken);

    scan();

    assertThat(seen).containsExactly("/p/1", "other-generation", "unversioned", "undecodable");
  }

  @Test
  void tellsWhatReadingCosts() {
    items.add(item("/p/1"));
    scan();
    assertThat(readUnits).isEqualTo(2.5);
    assertThat(bytes).isBetween(20L, 200L);

    Optional<Row> read =
        rows.read(
            "[\"x\",\"y\"]",
            (moreBytes, moreUnits) -> {
              assertThat(moreBytes).isEqualTo(bytes);
              assertThat(moreUnits).isEqualTo(1);
            });
    assertThat(read).isPresent();
  }

  @Test
  void tellsWhatHoldsAnOlderRowOff() {
    Map<String, Object> tombstone = item("/p/1");
    tombstone.put(DynamoDbLayout.DELETED, true);
    items.add(tombstone);

    assertThat(rows.read("[\"x\",\"y\"]", (more, moreUnits) -> {})).isEmpty();
    assertThat(rows.revision("[\"x\",\"y\"]", (more, moreUnits) -> {})).hasValue(7);

    tombstone.put(DynamoDbLayout.VERSION, "text");
    assertThat(rows.revision("[\"x\",\"y\"]", (more, moreUnits) -> {})).isEmpty();
  }
}
