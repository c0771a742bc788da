package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.dynamodb.TableSpec;
import io.indexview.dynamodb.TableSpec.Key;
import io.indexview.dynamodb.TableSpec.KeyType;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rows that DynamoDB does not take, and tables that are not what they were. */
class DynamoDbSinkRejectionsIT extends SinkSessionHarness {

  @ParameterizedTest
  @ValueSource(strings = {"conditional", "batch"})
  void reportsKeysThatDynamoDbDoesNotTake(String mode) {
    DynamoDbSinkSession session = session("dynamodb.mode", mode);

    putAll(
        session,
        rows.upsert(0, "k".repeat(2_049), 1, "u", 1L),
        rows.upsert(0, "", 2, "u", 1L),
        rows.delete(0, "", 3),
        rows.upsert(0, "a.txt", 4, "u", 1L));

    assertThat(context.rejected()).hasSize(3);
    assertThat(context.rejected().get(0))
        .startsWith(rows.topic() + "-0@0: ")
        .contains("\"objectKey\" takes 2049 bytes, the store takes 2048");
    assertThat(context.rejected().get(1))
        .startsWith(rows.topic() + "-0@1: ")
        .contains("\"objectKey\" is empty text");
    assertThat(context.rejected().get(2)).startsWith(rows.topic() + "-0@2: ");
    assertThat(item("a.txt")).isNotNull();
  }

  /** By an index that somebody has added; rows without the attribute do not mind. */
  @ParameterizedTest
  @ValueSource(strings = {"conditional", "batch"})
  void reportsRowsWhoseAttributesAreOfAnotherTypeThanTheTablesKeys(String mode) {
    TableSpec wanted = GenerationTables.spec(rows.generation(), WriteMode.CONDITIONAL);
    List<TableSpec.Index> indexes = new ArrayList<>(wanted.indexes().subList(0, 1));
    indexes.add(new TableSpec.Index("stranger", new Key("size", KeyType.STRING), null));
    tables.ensureTable(
        new TableSpec(
            wanted.name(), wanted.partitionKey(), null, indexes, wanted.expiryAttribute()),
        Duration.ofSeconds(10));
    FileRows unindexed = new FileRows(table, 1, "new-table", false);
    DynamoDbSinkSession session = session("dynamodb.mode", mode);
    SinkRecord clash = unindexed.upsert(0, "a.txt", 1, "u", 1L);

    putAll(session, clash, unindexed.upsert(0, "b.txt", 2, "u", null));

    assertThat(context.rejected())
        .singleElement()
        .asString()
        .startsWith(unindexed.topic() + "-0@0: table " + table)
        .containsIgnoringCase("type mismatch");
    assertThat(item("b.txt")).isNotNull();
  }

  @Test
  void endsTheTaskWhenTheTableIsAnotherOneWithAllThatDiffers() {
    tables.ensureTable(
        new TableSpec(table, new Key("objectKey", KeyType.NUMBER), null, List.of(), null),
        Duration.ofSeconds(10));
    DynamoDbSinkSession session = session("dynamodb.auto.create", "false");

    assertThatThrownBy(() -> session.put(List.of(rows.upsert(0, "a.txt", 1, "u", 1L))))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining("partition key is objectKey (NUMBER), not objectKey (STRING)")
        .hasMessageContaining("index uploadUser-uploadDate-index is missing")
        .hasMessageContaining("index bucketName-size-index is missing");
    assertThat(context.rejected()).isEmpty();
  }
}
