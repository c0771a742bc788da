package io.indexview.connect.common.metadata;

import io.indexview.connect.common.errors.RecordErrors;
import io.indexview.connect.common.row.HeaderText;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.serde.ControlSchemas;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.apache.avro.AvroMissingFieldException;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.errors.DataException;
import org.apache.kafka.connect.sink.SinkRecord;

/**
 * What one record of view-states says.
 *
 * @param uid of the view, see {@link ViewState#uid}; empty: not said, as by a tombstone of an
 *     earlier release
 * @param state empty: the view is gone, with all its rows
 */
public record ViewStateChange(String view, Optional<String> uid, Optional<ViewState> state) {
  public ViewStateChange {
    Objects.requireNonNull(view, "view");
    Objects.requireNonNull(uid, "uid");
    Objects.requireNonNull(state, "state");
  }

  public static ViewStateChange of(ViewState state) {
    return new ViewStateChange(state.view(), Optional.of(state.uid()), Optional.of(state));
  }

  /**
   * What a tombstone says.
   *
   * @param uid as in {@link ViewStateChange}
   */
  public static ViewStateChange gone(String view, Optional<String> uid) {
    return new ViewStateChange(view, uid, Optional.empty());
  }

  /**
   * Reads a record.
   *
   * @throws DataException if it is none of view-states, or of a newer release. It must not be put
   *     aside: a sink that commits it says that the state is applied.
   */
  public static ViewStateChange of(SinkRecord record) {
    if (!(record.key() instanceof String view)) {
      throw unreadable(record, "the key is no text", null);
    }
    if (record.value() == null) {
      return gone(view, HeaderText.of(record, ViewState.UID_HEADER));
    }
    if (!(record.value() instanceof Struct struct)) {
      throw unreadable(record, "the value is no record with fields", null);
    }
    try {
      ViewState state = ViewState.of(StructRecords.of(struct, ControlSchemas.VIEW_STATE));
      return new ViewStateChange(view, Optional.of(state.uid()), Optional.of(state));
    } catch (DataException | IllegalArgumentException e) {
      throw unreadable(record, e.getMessage(), e);
    }
  }

  private static DataException unreadable(SinkRecord record, String reason, Exception cause) {
    return new DataException(
        "%s: no view state: %s; use io.indexview.connect.common.avro.AvroConverter for keys and values, and upgrade this connector before the app"
            .formatted(RecordErrors.coordinates(record), reason),
        cause);
  }

  /**
   * Connect structs as Avro records of a schema that is known here: fields by name, defaults for
   * those that the writer did not know. It does not matter which Avro converter made the struct,
   * nor how it names records and enums.
   */
  static final class StructRecords {
    private StructRecords() {}

    /**
     * The struct as a record.
     *
     * @throws DataException if it is none of the schema
     */
    public static GenericRecord of(Struct struct, Schema schema) {
      GenericRecord record = new GenericData.Record(schema);
      for (Schema.Field field : schema.getFields()) {
        Field written = struct.schema().field(field.name());
        try {
          record.put(
              field.pos(),
              written == null
                  ? GenericData.get().getDefaultValue(field)
                  : value(field.schema(), struct.get(written)));
        } catch (AvroMissingFieldException | ClassCastException e) {
          throw new DataException(
              "field %s of %s is missing, or not of type %s"
                  .formatted(field.name(), schema.getName(), field.schema().getType()),
              e);
        }
      }
      return record;
    }

    private static Object value(Schema schema, Object value) {
      if (schema.isNullable() && value == null) {
        return null;
      }
      if (value == null) {
        throw new ClassCastException("null is no " + schema.getType());
      }
      return switch (schema.getType()) {
        case UNION -> value(schema.getTypes().get(1), value);
        case RECORD -> of((Struct) value, schema);
        case ARRAY ->
            ((List<?>) value)
                .stream().map(element -> value(schema.getElementType(), element)).toList();
        case ENUM -> symbol(schema, value.toString());
        case INT -> ((Number) value).intValue();
        case LONG -> ((Number) value).longValue();
        default -> value;
      };
    }

    private static GenericData.EnumSymbol symbol(Schema schema, String symbol) {
      return new GenericData.EnumSymbol(
          schema, schema.hasEnumSymbol(symbol) ? symbol : schema.getEnumDefault());
    }
  }
}
