package io.indexview.connect.dynamodb;

import io.indexview.connect.common.row.RowVersion;
import io.indexview.connect.common.row.StructFields;
import io.indexview.connect.dynamodb.DynamoDbSinkConfig.WriteMode;
import io.indexview.connect.dynamodb.write.RowWrite;
import io.indexview.connect.dynamodb.write.RowWrite.RowKey;
import io.indexview.dynamodb.TableSpec;
import io.indexview.dynamodb.WriteCondition;
import io.indexview.dynamodb.WriteCondition.Fence;
import io.indexview.dynamodb.WriteCondition.PairFence;
import io.indexview.views.layout.DynamoDbLayout;
import io.indexview.views.layout.DynamoDbLayout.KeyAttribute;
import io.indexview.views.layout.LayoutException;
import java.time.Clock;
import java.time.Duration;
import java.util.function.Function;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/** The table of one generation: what it is made of, and how a record becomes a write of it. */
final class ViewTable {
  private final DynamoDbLayout layout;
  private final Duration tombstoneRetention;
  private final Clock clock;

  ViewTable(DynamoDbLayout layout, Duration tombstoneRetention, Clock clock) {
    this.layout = layout;
    this.tombstoneRetention = tombstoneRetention;
    this.clock = clock;
  }

  String name() {
    return layout.table().name();
  }

  static TableSpec spec(DynamoDbLayout layout, WriteMode mode) {
    DynamoDbLayout.Table table = layout.table();
    return new TableSpec(
        table.name(),
        key(table.partitionKey()),
        key(table.sortKey()),
        table.indexes().stream()
            .map(
                index ->
                    new TableSpec.Index(
                        index.name(), key(index.partitionKey()), key(index.sortKey())))
            .toList(),
        mode == WriteMode.CONDITIONAL ? DynamoDbLayout.EXPIRES_AT : null);
  }

  private static TableSpec.Key key(KeyAttribute attribute) {
    if (attribute == null) {
      return null;
    }
    return new TableSpec.Key(
        attribute.name(),
        switch (attribute.type()) {
          case S -> TableSpec.KeyType.STRING;
          case N -> TableSpec.KeyType.NUMBER;
        });
  }

  /**
   * @throws DataException if the record is no view row
   * @throws LayoutException if the store does not take such a row
   */
  RowWrite write(SinkRecord record) {
    RowVersion version = RowVersion.of(record);
    Function<String, Object> key = struct(record.key(), "key")::get;
    RowKey rowKey = new RowKey(layout.table().name(), layout.key(key));
    if (record.value() == null) {
      long expiresAt = clock.instant().plus(tombstoneRetention).getEpochSecond();
      return RowWrite.delete(
          record,
          rowKey,
          layout.tombstone(key, version.revision(), expiresAt),
          version,
          fence(version));
    }
    Struct value = struct(record.value(), "value");
    return RowWrite.upsert(
        record,
        rowKey,
        layout.item(key, StructFields.of(value), version.revision()),
        version,
        fence(version));
  }

  private WriteCondition fence(RowVersion version) {
    Fence revision = new Fence(DynamoDbLayout.REVISION, version.revision());
    return layout.isInPlace()
        ? new PairFence(new Fence(DynamoDbLayout.GENERATION, version.generation()), revision)
        : revision;
  }

  private static Struct struct(Object value, String what) {
    if (value instanceof Struct struct) {
      return struct;
    }
    throw new DataException(
        "the %s is no record with fields; read view topics only, with an Avro converter"
            .formatted(what));
  }
}
