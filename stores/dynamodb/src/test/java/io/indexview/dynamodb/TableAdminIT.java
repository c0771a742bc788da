package io.indexview.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.dynamodb.TableSpec.Index;
import io.indexview.dynamodb.TableSpec.Key;
import io.indexview.dynamodb.TableSpec.KeyType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.Tag;

/** Tables as they are created, compared and deleted. */
class TableAdminIT extends OwnTableScenario {
  @Test
  void describesWhatItCreatedAndCreatesNothingTwice() {
    store.ensureTable(spec(table), TIMEOUT);

    assertThat(store.describe(table))
        .contains(
            new TableSpec(
                table,
                spec(table).partitionKey(),
                spec(table).sortKey(),
                spec(table).indexes(),
                null));
    assertThat(store.describe("missing-table")).isEmpty();
    assertThat(
            local
                .dynamoDbClient()
                .describeTimeToLive(r -> r.tableName(table))
                .timeToLiveDescription()
                .attributeName())
        .isEqualTo("expires");
  }

  @Test
  void namesEveryDifferenceWhenTheTableIsAnother() {
    TableSpec other =
        new TableSpec(
            table,
            new Key("key", KeyType.STRING),
            null,
            List.of(
                new Index("by-user", new Key("user", KeyType.NUMBER), null),
                new Index("by-date", new Key("date", KeyType.STRING), null)),
            null);

    assertThatThrownBy(() -> store.ensureTable(other, TIMEOUT))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("partition key is id (STRING), not key (STRING)")
        .hasMessageContaining("sort key is n (NUMBER), not none")
        .hasMessageContaining("index by-user partition key is user (STRING), not user (NUMBER)")
        .hasMessageContaining("index by-date is missing");
    assertThatThrownBy(() -> store.checkTable(other))
        .isInstanceOf(ItemStoreException.Permanent.class);
  }

  @Test
  void addsTheIndexesThatAreMissing() {
    TableSpec present = spec(table);
    TableSpec more =
        new TableSpec(
            table,
            present.partitionKey(),
            present.sortKey(),
            List.of(
                present.indexes().get(0),
                new Index("by-date", new Key("date", KeyType.STRING), null),
                new Index(
                    "by-date-size",
                    new Key("date", KeyType.STRING),
                    new Key("size", KeyType.NUMBER))),
            "expires");
    store.put(table, Map.of("id", "a", "n", 1, "date", "2017-08-20")).join();
    assertThatThrownBy(() -> store.checkTable(more))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("index by-date is missing; index by-date-size is missing; add what");

    store.ensureTable(more, TIMEOUT);

    assertThat(store.describe(table).orElseThrow().indexes())
        .containsExactlyInAnyOrderElementsOf(more.indexes());
    assertThat(store.query(ItemQuery.of(table, "by-date", "date", "2017-08-20")).items())
        .hasSize(1);
    store.ensureTable(present, TIMEOUT);
  }

  @Test
  void namesTimeToLiveAndIndexesThatHoldTooLittle() {
    String strange = table + "-strange";
    local
        .dynamoDbClient()
        .createTable(
            TableDescriptions.createRequest(spec(strange), NewTables.PLAIN).toBuilder()
                .globalSecondaryIndexes(
                    TableDescriptions.createRequest(spec(strange), NewTables.PLAIN)
                        .globalSecondaryIndexes()
                        .get(0)
                        .toBuilder()
                        .projection(p -> p.projectionType("KEYS_ONLY"))
                        .build())
                .build());

    assertThatThrownBy(() -> store.checkTable(spec(strange)))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("index by-user has KEYS_ONLY attributes, not ALL");
    local
        .dynamoDbClient()
        .updateTimeToLive(
            r ->
                r.tableName(strange)
                    .timeToLiveSpecification(t -> t.enabled(true).attributeName("size")));
    assertThatThrownBy(() -> store.ensureTable(spec(strange), TIMEOUT))
        .isInstanceOf(ItemStoreException.Permanent.class)
        .hasMessageContaining("index by-user has KEYS_ONLY attributes, not ALL")
        .hasMessageContaining("time to live is on size, not on attribute expires");
    store.checkTable(spec(table));
  }

  /** Nothing but space depends on it. */
  @Test
  void takesATableWhoseTimeToLiveIsOff() {
    String endless = table + "-endless";
    local
        .dynamoDbClient()
        .createTable(TableDescriptions.createRequest(spec(endless), NewTables.PLAIN));

    assertThatCode(() -> store.checkTable(spec(endless))).doesNotThrowAnyException();
  }

  @Test
  void tellsAMissingTableFromAnother() {
    assertThatThrownBy(() -> store.checkTable(spec("missing-table")))
        .isInstanceOf(ItemStoreException.NoTable.class)
        .hasMessageContaining("table missing-table: not there");
  }

  @Test
  void createsTablesWithTheCapacityThatIsWanted() {
    String name = table + "-provisioned";
    NewTables newTables = new NewTables(new NewTables.Capacity(3, 7), Map.of());
    DynamoDbItemStore.over(local.dynamoDbAsyncClient(), newTables).ensureTable(spec(name), TIMEOUT);

    TableDescription created = local.dynamoDbClient().describeTable(r -> r.tableName(name)).table();
    assertThat(created.provisionedThroughput().readCapacityUnits()).isEqualTo(3);
    assertThat(created.provisionedThroughput().writeCapacityUnits()).isEqualTo(7);
    assertThat(created.globalSecondaryIndexes())
        .extracting(index -> index.provisionedThroughput().writeCapacityUnits())
        .containsExactly(7L);
  }

  @Test
  void asksForTagsOnlyIfThereAreAny() {
    NewTables tagged = new NewTables(null, Map.of("team", "search"));

    CreateTableRequest request = TableDescriptions.createRequest(spec(table), tagged);

    assertThat(request.tags()).containsExactly(Tag.builder().key("team").value("search").build());
    assertThat(request.billingMode()).isEqualTo(BillingMode.PAY_PER_REQUEST);
    assertThat(TableDescriptions.createRequest(spec(table), NewTables.PLAIN).hasTags()).isFalse();
  }

  @Test
  void deletesATableOnceAndForAll() {
    String own = create(table + "-own");
    store.put(table + "-own", Map.of("id", "a", "n", 1)).join();

    assertThat(store.deleteTable(table + "-own", own, TIMEOUT)).isTrue();
    assertThat(store.deleteTable(table + "-own", own, TIMEOUT)).isTrue();

    assertThat(store.describe(table + "-own")).isEmpty();
  }

  @Test
  void deletesNoOtherTableOfTheSameName() {
    String first = create(table + "-own");
    store.deleteTable(table + "-own", first, TIMEOUT);
    String second = create(table + "-own");

    assertThat(store.deleteTable(table + "-own", first, TIMEOUT)).isFalse();

    assertThat(store.describe(table + "-own")).isPresent();
    assertThat(second).isNotEqualTo(first);
  }

  private static String create(String name) {
    List<String> identities = new ArrayList<>();
    store.ensureTable(spec(name), TIMEOUT, identities::add);
    store.ensureTable(spec(name), TIMEOUT, identities::add);
    assertThat(identities).hasSize(1);
    return identities.get(0);
  }
}
