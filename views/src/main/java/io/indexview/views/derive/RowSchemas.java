package io.indexview.views.derive;

import io.indexview.schemas.change.DebeziumTypes;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;

/**
 * Avro schemas of a generation's rows.
 *
 * @param key the key fields, then {@code _primaryKey}; carries the generation
 * @param value the included fields, then {@code _revision}
 */
public record RowSchemas(Schema key, Schema value) {
  private static final String NAMESPACE = "io.indexview.rows.";

  public static RowSchemas of(ViewGeneration generation) {
    return of(generation, generation.fields());
  }

  static RowSchemas of(ViewGeneration generation, ViewFields fields) {
    String namespace = NAMESPACE + "v_" + generation.view().replace('-', '_');
    List<Schema.Field> key = new ArrayList<>();
    for (ViewFields.KeyField field : fields.key()) {
      Schema type = keyType(field, generation.recordSet().schema());
      key.add(field(field.name(), field.nullable() ? nullable(type) : type));
    }
    key.add(new Schema.Field(ViewFields.PRIMARY_KEY, Schema.create(Schema.Type.STRING)));
    Schema keySchema = Schema.createRecord("RowKey", null, namespace, false, key);
    keySchema.addProp(
        ViewGeneration.CONNECT_PARAMETERS, Map.of(ViewGeneration.PARAMETER, generation.toJson()));
    List<Schema.Field> value = new ArrayList<>();
    for (ViewFields.ValueField field : fields.values()) {
      // Sinks of Connect would take the names of Debezium's types for other columns.
      value.add(field(field.name(), DebeziumTypes.withoutNames(field.schema())));
    }
    value.add(new Schema.Field(ViewFields.REVISION, Schema.create(Schema.Type.LONG)));
    return new RowSchemas(
        keySchema, Schema.createRecord("RowValue", null, namespace, false, value));
  }

  private static Schema.Field field(String name, Schema schema) {
    boolean nullFirst = schema.isUnion() && schema.getTypes().get(0).getType() == Schema.Type.NULL;
    return nullFirst
        ? new Schema.Field(name, schema, null, Schema.Field.NULL_DEFAULT_VALUE)
        : new Schema.Field(name, schema);
  }

  private static Schema nullable(Schema schema) {
    return Schema.createUnion(Schema.create(Schema.Type.NULL), schema);
  }

  private static Schema keyType(ViewFields.KeyField field, Schema recordSchema) {
    return switch (field.type()) {
      case STRING -> Schema.create(Schema.Type.STRING);
      case INT -> Schema.create(Schema.Type.INT);
      case LONG -> Schema.create(Schema.Type.LONG);
      case FLOAT -> Schema.create(Schema.Type.FLOAT);
      case DOUBLE -> Schema.create(Schema.Type.DOUBLE);
      case BOOLEAN -> Schema.create(Schema.Type.BOOLEAN);
      case DATE -> LogicalTypes.date().addToSchema(Schema.create(Schema.Type.INT));
      case TIMESTAMP_MILLIS ->
          LogicalTypes.timestampMillis().addToSchema(Schema.create(Schema.Type.LONG));
      case TIMESTAMP_MICROS ->
          LogicalTypes.timestampMicros().addToSchema(Schema.create(Schema.Type.LONG));
      case ENUM -> FieldAccess.of(recordSchema, field.path()).leaf();
    };
  }
}
