package io.indexview.schemas.change;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Debezium's temporal types as Avro knows them. Debezium tells a type by the name of a Connect
 * schema, which Confluent's converter keeps as the property {@code connect.name} of a plain number.
 * Only types whose numbers mean the same in Avro are here; see <a
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
    String text = schema.toString();
    if (!text.contains(PREFIX)) {
      return schema;
    }
    try {
      JsonNode json = JSON.readTree(text);
      addLogicalTypes(json);
      return new Schema.Parser().parse(json.toString());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("Avro wrote a schema that is no JSON: " + text, e);
    }
  }

  private static void addLogicalTypes(JsonNode json) {
    if (json instanceof ObjectNode type && !type.has(LogicalType.LOGICAL_TYPE_PROP)) {
      logicalType(type.path(CONNECT_NAME).textValue())
          .ifPresent(known -> type.put(LogicalType.LOGICAL_TYPE_PROP, known.getName()));
    }
    json.forEach(DebeziumTypes::addLogicalTypes);
  }
}
