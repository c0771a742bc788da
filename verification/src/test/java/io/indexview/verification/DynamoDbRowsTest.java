package io.indexview.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.dynamodb.ItemStore;
import io.indexview.dynamodb.ItemStore.ItemPage;
import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.control.ViewVerification.Kind;
import io.indexview.schemas.fixtures.ManualClock;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import io.indexview.views.layout.DynamoDbLayout;
import java.lang.reflect.Proxy;
import java.math.BigDecimal;
import java.time.Duration;
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

  private final ManualClock clock = new ManualClock();
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
          BY_ORG,
          new TombstoneRetention(Duration.ofDays(10), Duration.ofDays(2), clock));

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
          public void expiredTombstone(String id, String reason) {
            seen.add(reason);
          }

          @Override
          public void unexpected(String id, Kind kind, String reason, byte[] content) {
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
    planted.remove(DynamoDbLayout.REVISION);
    items.add(planted);
    Map<String, Object> broken = item("/p/4");
    broken.put(DynamoDbLayout.PARTITION, 5L);
    items.add(broken);
    // A fence holds off all writes, and the sink does not remove it.
    Map<String, Object> text = item("/p/5");
    text.put(DynamoDbLayout.REVISION, "7");
    items.add(text);

    scan();

    assertThat(seen)
        .containsExactly("/p/1", "other-generation", "unversioned", "undecodable", "undecodable");
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
  void tellsTombstonesThatShouldBeGone() {
    long now = clock.instant().getEpochSecond();
    long day = Duration.ofDays(1).toSeconds();
    items.add(tombstone("/p/1", 7, now - 2 * day - 1));
    items.add(tombstone("/p/2", 7, now - 2 * day));
    // Whatever somebody wrote, beyond what a long takes.
    items.add(tombstone("/p/3", 7, new BigDecimal("-1e30")));
    items.add(tombstone("/p/4", 7, new BigDecimal("1e30")));
    items.add(tombstone("/p/5", clock.millis() - 12 * 1_000 * day - 1, "soon"));
    items.add(tombstone("/p/6", clock.millis() - 12 * 1_000 * day, "soon"));

    scan();

    assertThat(seen)
        .containsExactly(
            "its time to live ended at 2017-08-18T11:59:59Z",
            "tombstone",
            "its time to live ended at 1970-01-01T00:00:00Z",
            "tombstone",
            "by its revision its row was deleted at 2017-08-08T11:59:59.999Z, and tombstones are kept"
                + " for 10 days; without a time to live nobody removes it",
            "tombstone");
    assertThat(rows.unexpected("[\"x\",\"y\"]", (more, moreUnits) -> {})).isPresent();
    items.remove(0);
    assertThat(rows.unexpected("[\"x\",\"y\"]", (more, moreUnits) -> {})).isEmpty();
  }

  private static Map<String, Object> tombstone(String primaryKey, long version, Object expiresAt) {
    Map<String, Object> item = item(primaryKey);
    item.put(DynamoDbLayout.REVISION, version);
    item.put(DynamoDbLayout.DELETED, true);
    item.put(DynamoDbLayout.EXPIRES_AT, expiresAt);
    return item;
  }

  @Test
  void tellsWhatHoldsAnOlderRowOff() {
    Map<String, Object> tombstone = item("/p/1");
    tombstone.put(DynamoDbLayout.DELETED, true);
    items.add(tombstone);

    assertThat(rows.read("[\"x\",\"y\"]", (more, moreUnits) -> {})).isEmpty();
    assertThat(rows.revision("[\"x\",\"y\"]", (more, moreUnits) -> {})).hasValue(7);

    tombstone.put(DynamoDbLayout.REVISION, "text");
    assertThat(rows.revision("[\"x\",\"y\"]", (more, moreUnits) -> {})).isEmpty();
  }
}
