package io.indexview.schemas.change;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Debezium's temporal types as Avro knows them. Debezium tells a type by the name of a Connect
 * schema, which converters keep as the property {@code connect.name} of a plain number: Confluent's
 * for all types, Indexview's for times that Avro has no type for. Only types whose numbers mean the
 * same in Avro are here; see <a
 * href="https://debezium.io/documentation/reference/stable/connectors/postgresql.html#postgresql-temporal-types">Debezium's
 * list</a>.
 */
public final class DebeziumTypes {
  /** Property of Avro types that has the name of the Connect schema. */
  public static final String CONNECT_NAME = "connect.name";

  private static final String PREFIX = "io.debezium.time.";
  private static final ObjectMapper JSON = new ObjectMapper();

  private static final Map<String, LogicalType> LOGICAL_TYPES =
      Map.of(
          PREFIX + "Date", LogicalTypes.date(),
          PREFIX + "Timestamp", LogicalTypes.timestampMillis(),
          PREFIX + "MicroTimestamp", LogicalTypes.timestampMicros());

  private DebeziumTypes() {}

  /**
   * The logical type that a Connect schema's name stands for.
   *
   * @param connectName null: it has none
   */
  public static Optional<LogicalType> logicalType(String connectName) {
    return Optional.ofNullable(connectName).map(LOGICAL_TYPES::get);
  }

  /** Whether a Connect schema's name is that of one of Debezium's dates, times and timestamps. */
  public static boolean isTime(String connectName) {
    return connectName.startsWith(PREFIX);
  }

  /** The schema with logical types where it only has Debezium's; both are written alike. */
  public static Schema withLogicalTypes(Schema schema) {
    return rewritten(schema, PREFIX, DebeziumTypes::addLogicalType);
  }

  /** The schema without the names of Connect schemas; both are written alike. */
  public static Schema withoutNames(Schema schema) {
    return rewritten(schema, CONNECT_NAME, type -> type.remove(CONNECT_NAME));
  }

  /**
   * @param trace without it in the schema's text there is nothing to change
   */
  private static Schema rewritten(Schema schema, String trace, Consumer<ObjectNode> change) {
    String text = schema.toString();
    if (!text.contains(trace)) {
      return schema;
    }
    try {
      JsonNode json = JSON.readTree(text);
      rewrite(json, change);
      return new Schema.Parser().parse(json.toString());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Avro wrote a schema that is no JSON: " + text, e);
    }
  }

  private static void rewrite(JsonNode json, Consumer<ObjectNode> change) {
    if (json instanceof ObjectNode type) {
      change.accept(type);
    }
    json.forEach(part -> rewrite(part, change));
  }

  private static void addLogicalType(ObjectNode type) {
    if (!type.has(LogicalType.LOGICAL_TYPE_PROP)) {
      logicalType(type.path(CONNECT_NAME).textValue())
          .ifPresent(known -> type.put(LogicalType.LOGICAL_TYPE_PROP, known.getName()));
    }
  }
}
