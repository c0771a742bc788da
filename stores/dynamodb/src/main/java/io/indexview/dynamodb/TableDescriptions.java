package io.indexview.dynamodb;

import io.indexview.dynamodb.TableSpec.Key;
import io.indexview.dynamodb.TableSpec.KeyType;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexUpdate;
import software.amazon.awssdk.services.dynamodb.model.IndexStatus;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughput;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputDescription;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.Tag;
import software.amazon.awssdk.services.dynamodb.model.UpdateTableRequest;

/** Table specifications to the SDK's requests, and its descriptions back. */
final class TableDescriptions {
  private TableDescriptions() {}

  static CreateTableRequest createRequest(TableSpec table, NewTables newTables) {
    ProvisionedThroughput throughput = throughput(newTables);
    Map<String, AttributeDefinition> attributes = new LinkedHashMap<>();
    List<KeySchemaElement> keys =
        keySchema(table.partitionKey(), table.sortKey(), attributes, table.name());
    List<GlobalSecondaryIndex> indexes = new ArrayList<>();
    for (TableSpec.Index index : table.indexes()) {
      List<KeySchemaElement> indexKeys =
          keySchema(index.partitionKey(), index.sortKey(), attributes, table.name());
      indexes.add(
          GlobalSecondaryIndex.builder()
              .indexName(index.name())
              .keySchema(indexKeys)
              .projection(p -> p.projectionType(ProjectionType.ALL))
              .provisionedThroughput(throughput)
              .build());
    }
    CreateTableRequest.Builder request =
        CreateTableRequest.builder()
            .tableName(table.name())
            .billingMode(throughput == null ? BillingMode.PAY_PER_REQUEST : BillingMode.PROVISIONED)
            .provisionedThroughput(throughput)
            .keySchema(keys)
            .attributeDefinitions(attributes.values());
    if (!indexes.isEmpty()) {
      request.globalSecondaryIndexes(indexes);
    }
    if (!newTables.tags().isEmpty()) {
      request.tags(tags(newTables));
    }
    return request.build();
  }

  /** Adds an index, with as much throughput as the table has itself. */
  static UpdateTableRequest addRequest(
      String table, TableSpec.Index index, TableDescription present) {
    Map<String, AttributeDefinition> attributes = new LinkedHashMap<>();
    present.attributeDefinitions().forEach(known -> attributes.put(known.attributeName(), known));
    List<KeySchemaElement> keys =
        keySchema(index.partitionKey(), index.sortKey(), attributes, table);
    ProvisionedThroughput throughput = throughput(present);
    GlobalSecondaryIndexUpdate update =
        GlobalSecondaryIndexUpdate.builder()
            .create(
                create ->
                    create
                        .indexName(index.name())
                        .keySchema(keys)
                        .projection(p -> p.projectionType(ProjectionType.ALL))
                        .provisionedThroughput(throughput))
            .build();
    return UpdateTableRequest.builder()
        .tableName(table)
        .attributeDefinitions(attributes.values())
        .globalSecondaryIndexUpdates(update)
        .build();
  }

  private static ProvisionedThroughput throughput(TableDescription present) {
    ProvisionedThroughputDescription own = present.provisionedThroughput();
    return own == null || own.writeCapacityUnits() == null || own.writeCapacityUnits() == 0
        ? null
        : ProvisionedThroughput.builder()
            .readCapacityUnits(own.readCapacityUnits())
            .writeCapacityUnits(own.writeCapacityUnits())
            .build();
  }

  /** Null: on demand. */
  private static ProvisionedThroughput throughput(NewTables newTables) {
    NewTables.Capacity capacity = newTables.capacity();
    return capacity == null
        ? null
        : ProvisionedThroughput.builder()
            .readCapacityUnits(capacity.readUnits())
            .writeCapacityUnits(capacity.writeUnits())
            .build();
  }

  private static List<Tag> tags(NewTables newTables) {
    return newTables.tags().entrySet().stream()
        .map(tag -> Tag.builder().key(tag.getKey()).value(tag.getValue()).build())
        .toList();
  }

  private static List<KeySchemaElement> keySchema(
      Key partitionKey, Key sortKey, Map<String, AttributeDefinition> attributes, String table) {
    List<KeySchemaElement> elements = new ArrayList<>(2);
    elements.add(element(partitionKey, "HASH", attributes, table));
    if (sortKey != null) {
      elements.add(element(sortKey, "RANGE", attributes, table));
    }
    return elements;
  }

  private static KeySchemaElement element(
      Key key, String keyType, Map<String, AttributeDefinition> attributes, String table) {
    AttributeDefinition definition =
        AttributeDefinition.builder()
            .attributeName(key.attribute())
            .attributeType(typeOf(key))
            .build();
    AttributeDefinition other = attributes.put(key.attribute(), definition);
    if (other != null && !other.equals(definition)) {
      throw new ItemStoreException.Permanent(
          "table %s: key attribute %s is wanted with two types".formatted(table, key.attribute()),
          null);
    }
    return KeySchemaElement.builder().attributeName(key.attribute()).keyType(keyType).build();
  }

  private static ScalarAttributeType typeOf(Key key) {
    return switch (key.type()) {
      case STRING -> ScalarAttributeType.S;
      case NUMBER -> ScalarAttributeType.N;
      case BINARY -> ScalarAttributeType.B;
    };
  }

  static TableSpec toSpec(TableDescription description) {
    Map<String, KeyType> types = new LinkedHashMap<>();
    for (AttributeDefinition attribute : description.attributeDefinitions()) {
      types.put(attribute.attributeName(), keyType(attribute.attributeType()));
    }
    List<TableSpec.Index> indexes =
        description.globalSecondaryIndexes().stream()
            .map(
                index ->
                    new TableSpec.Index(
                        index.indexName(),
                        key(index.keySchema(), "HASH", types),
                        key(index.keySchema(), "RANGE", types)))
            .toList();
    return new TableSpec(
        description.tableName(),
        key(description.keySchema(), "HASH", types),
        key(description.keySchema(), "RANGE", types),
        indexes,
        null);
  }

  private static KeyType keyType(ScalarAttributeType type) {
    return switch (type) {
      case N -> KeyType.NUMBER;
      case B -> KeyType.BINARY;
      default -> KeyType.STRING;
    };
  }

  private static Key key(
      List<KeySchemaElement> schema, String keyType, Map<String, KeyType> types) {
    return schema.stream()
        .filter(element -> element.keyTypeAsString().equals(keyType))
        .map(element -> new Key(element.attributeName(), types.get(element.attributeName())))
        .findFirst()
        .orElse(null);
  }

  /** Null if the store tells none. DynamoDB Local has no ids, and a later table a later time. */
  static String identity(TableDescription description) {
    if (description.tableId() != null) {
      return description.tableId();
    }
    return description.creationDateTime() == null
        ? null
        : description.creationDateTime().toString();
  }

  /**
   * Identity of a table that stays: an empty text if the store tells none, and empty for a table
   * that is being deleted.
   */
  static Optional<String> lastingIdentity(TableDescription description) {
    return description.tableStatus() == TableStatus.DELETING
        ? Optional.empty()
        : Optional.of(Objects.requireNonNullElse(identity(description), ""));
  }

  /** Tables and indexes that are being updated can be used; new ones, and backfilled ones, not. */
  static boolean isUsable(TableSpec wanted, TableDescription description) {
    Set<String> names =
        wanted.indexes().stream().map(TableSpec.Index::name).collect(Collectors.toSet());
    return (description.tableStatus() == TableStatus.ACTIVE
            || description.tableStatus() == TableStatus.UPDATING)
        && description.globalSecondaryIndexes().stream()
            .filter(index -> names.contains(index.indexName()))
            .allMatch(
                index ->
                    index.indexStatus() == IndexStatus.ACTIVE
                        || index.indexStatus() == IndexStatus.UPDATING);
  }

  /** Status of a table for messages. */
  static String status(TableDescription description) {
    StringBuilder text = new StringBuilder("it is ").append(description.tableStatusAsString());
    description
        .globalSecondaryIndexes()
        .forEach(
            index ->
                text.append(", index ")
                    .append(index.indexName())
                    .append(' ')
                    .append(index.indexStatusAsString()));
    return text.toString();
  }

  /** Wanted indexes whose names the table does not have. */
  static List<TableSpec.Index> missingIndexes(TableSpec wanted, TableDescription description) {
    Set<String> present =
        description.globalSecondaryIndexes().stream()
            .map(GlobalSecondaryIndexDescription::indexName)
            .collect(Collectors.toSet());
    return wanted.indexes().stream().filter(index -> !present.contains(index.name())).toList();
  }

  /** Whether a table is the wanted one but for indexes that can be added. */
  static boolean lacksOnlyIndexes(TableSpec wanted, TableDescription description) {
    int missing = missingIndexes(wanted, description).size();
    return missing > 0 && differences(wanted, description).size() == missing;
  }

  /** What is different, each as one sentence; indexes beyond the wanted ones do no harm. */
  static List<String> differences(TableSpec wanted, TableDescription description) {
    TableSpec actual = toSpec(description);
    List<String> differences = new ArrayList<>();
    compare("partition key", wanted.partitionKey(), actual.partitionKey(), differences);
    compare("sort key", wanted.sortKey(), actual.sortKey(), differences);
    Map<String, String> partial = partialIndexes(description);
    for (TableSpec.Index index : wanted.indexes()) {
      TableSpec.Index other =
          actual.indexes().stream()
              .filter(candidate -> candidate.name().equals(index.name()))
              .findFirst()
              .orElse(null);
      if (other == null) {
        differences.add("index %s is missing".formatted(index.name()));
      } else {
        String name = "index " + index.name();
        compare(name + " partition key", index.partitionKey(), other.partitionKey(), differences);
        compare(name + " sort key", index.sortKey(), other.sortKey(), differences);
        if (partial.containsKey(index.name())) {
          differences.add(
              "%s has %s attributes, not ALL".formatted(name, partial.get(index.name())));
        }
      }
    }
    return differences;
  }

  /** Kinds of projection of the indexes that hold a part of the attributes only. */
  private static Map<String, String> partialIndexes(TableDescription description) {
    return description.globalSecondaryIndexes().stream()
        .filter(index -> index.projection().projectionType() != ProjectionType.ALL)
        .collect(
            Collectors.toMap(
                index -> index.indexName(), index -> index.projection().projectionTypeAsString()));
  }

  private static void compare(String what, Key wanted, Key actual, List<String> differences) {
    if (wanted == null ? actual != null : !wanted.equals(actual)) {
      differences.add("%s is %s, not %s".formatted(what, text(actual), text(wanted)));
    }
  }

  private static String text(Key key) {
    return key == null ? "none" : key.attribute() + " (" + key.type() + ")";
  }
}
