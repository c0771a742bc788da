package io.indexview.verification.jdbc;

import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import io.indexview.views.layout.LayoutException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.ByteBuffer;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.kafka.common.utils.Utils;

/**
 * A column of PostgreSQL that holds a field, as Debezium's JDBC sink makes and writes it. Values of
 * the database are {@link LocalDate}, {@link LocalDateTime} and {@link LocalTime} for dates and
 * times, else those that JDBC gives, not all of which the sink can have written.
 */
final class Column {
  private static final int NUMBER_BYTES = 8;

  private final String name;
  private final Schema schema;
  private final Form form;

  /** Names of types in {@code pg_type}. */
  private enum Form {
    TEXT("text", "varchar"),
    INT4("int4"),
    INT8("int8"),
    FLOAT4("float4"),
    FLOAT8("float8"),
    BOOL("bool"),
    DATE("date"),
    TIMESTAMP("timestamp"),
    TIME("time"),
    NUMERIC("numeric"),
    BYTEA("bytea"),
    ARRAY;

    private final List<String> types;

    Form(String... types) {
      this.types = List.of(types);
    }

    static Optional<Form> of(Schema schema) {
      String logical = schema.getProp("logicalType");
      return Optional.ofNullable(
          switch (schema.getType()) {
            case STRING, ENUM -> TEXT;
            case INT -> "date".equals(logical) ? DATE : "time-millis".equals(logical) ? TIME : INT4;
            case LONG -> "timestamp-millis".equals(logical) ? TIMESTAMP : INT8;
            case FLOAT -> FLOAT4;
            case DOUBLE -> FLOAT8;
            case BOOLEAN -> BOOL;
            case BYTES, FIXED ->
                schema.getLogicalType() instanceof LogicalTypes.Decimal ? NUMERIC : BYTEA;
            case ARRAY -> ofElement(element(schema)).isPresent() ? ARRAY : null;
            default -> null;
          });
    }

    /** What arrays of it are given as, whatever the zone of this machine. */
    private static Optional<Form> ofElement(Schema schema) {
      return of(schema)
          .filter(
              form ->
                  switch (form) {
                    case TEXT, INT4, INT8, FLOAT4, FLOAT8, BOOL ->
                        schema.getProp("logicalType") == null;
                    default -> false;
                  });
    }
  }

  private Column(String name, Schema schema, Form form) {
    this.name = name;
    this.schema = schema;
    this.form = form;
  }

  /** Empty: the sink has no column of its own for such a field, or one that cannot be read. */
  static Optional<Column> of(Schema.Field field) {
    Schema schema = PlainValues.withoutNull(field.schema());
    return Form.of(schema).map(form -> new Column(field.name(), schema, form));
  }

  private static Schema element(Schema array) {
    return PlainValues.withoutNull(array.getElementType());
  }

  String name() {
    return name;
  }

  String quoted() {
    return JdbcTarget.quoted(name);
  }

  /**
   * Parameter of a query. The driver sends a float as a double, and declares it as one, where it
   * sends texts.
   */
  String parameter() {
    return form == Form.FLOAT4 ? "CAST(? AS real)" : "?";
  }

  /** Names that {@code pg_type} may have for it. */
  List<String> types() {
    return form == Form.ARRAY
        ? Form.of(element(schema)).orElseThrow().types.stream().map(type -> "_" + type).toList()
        : form.types;
  }

  /** What the database holds; null for NULL. */
  Object read(ResultSet row, int index) throws SQLException {
    return switch (form) {
      case DATE -> row.getObject(index, LocalDate.class);
      case TIMESTAMP -> row.getObject(index, LocalDateTime.class);
      case TIME -> row.getObject(index, LocalTime.class);
      case BYTEA -> row.getBytes(index);
      case ARRAY -> {
        Array array = row.getArray(index);
        yield array == null ? null : array.getArray();
      }
      // Others than numbers are no BigDecimal.
      default -> row.getObject(index);
    };
  }

  /** Size of a value, about. */
  static int bytes(Object value) {
    if (value instanceof String text) {
      return Utils.utf8Length(text);
    } else if (value instanceof byte[] bytes) {
      return bytes.length;
    } else if (value instanceof Object[] elements) {
      int bytes = 0;
      for (Object element : elements) {
        bytes += bytes(element);
      }
      return bytes;
    }
    return value == null ? 0 : NUMBER_BYTES;
  }

  /**
   * The value of the field, as {@link PlainValues} has it; what the sink never writes is equal to
   * none of these.
   */
  Object plain(Object value) {
    return value == null ? null : plain(schema, form, value);
  }

  private static Object plain(Schema schema, Form form, Object value) {
    return switch (form) {
      case FLOAT4 -> FieldType.canonical((Float) value);
      case FLOAT8 -> FieldType.canonical((Double) value);
      case INT8 ->
          FieldType.of(schema).equals(Optional.of(FieldType.TIMESTAMP_MICROS))
              ? Instant.EPOCH.plus((Long) value, ChronoUnit.MICROS)
              : value;
      case TIMESTAMP -> ((LocalDateTime) value).toInstant(ZoneOffset.UTC);
      case TIME -> millis((LocalTime) value);
      case NUMERIC -> decimal(schema, value);
      case BYTEA -> ByteBuffer.wrap((byte[]) value).asReadOnlyBuffer();
      case ARRAY -> list(element(schema), (Object[]) value);
      default -> value;
    };
  }

  private static Object millis(LocalTime time) {
    return time.truncatedTo(ChronoUnit.MILLIS).equals(time)
        ? (Object) Math.toIntExact(TimeUnit.NANOSECONDS.toMillis(time.toNanoOfDay()))
        : time;
  }

  private static Object decimal(Schema schema, Object value) {
    if (value instanceof BigDecimal decimal) {
      int scale = ((LogicalTypes.Decimal) schema.getLogicalType()).getScale();
      return decimal.stripTrailingZeros().scale() <= scale
          ? decimal.setScale(scale, RoundingMode.UNNECESSARY)
          : decimal;
    }
    return value.toString();
  }

  private static List<Object> list(Schema schema, Object[] elements) {
    Form form = Form.of(schema).orElseThrow();
    List<Object> list = new ArrayList<>(elements.length);
    for (Object element : elements) {
      // Columns do not say how many dimensions arrays have.
      list.add(
          element == null
              ? null
              : element instanceof Object[] deeper
                  ? list(schema, deeper)
                  : plain(schema, form, element));
    }
    return list;
  }

  /**
   * The value of a key field, normalised.
   *
   * @throws LayoutException if no row has it
   */
  Object key(Object value) {
    FieldType type = FieldType.of(schema).orElseThrow();
    Object plain = plain(value);
    try {
      if (plain != null
          && plain.equals(type.normalise(type.toAvro(plain)))
          && (schema.getType() != Schema.Type.ENUM || schema.hasEnumSymbol(plain.toString()))) {
        return plain;
      }
    } catch (ArithmeticException | DateTimeException | IllegalArgumentException e) {
      throw new LayoutException(noKey(value), e);
    }
    throw new LayoutException(noKey(value));
  }

  private String noKey(Object value) {
    return "column \"%s\" holds %s, which no row has; no sink removes it: delete it by SQL"
        .formatted(name, value);
  }

  /**
   * What the database holds of a key field's value.
   *
   * @param normal as {@link FieldType#normalise} gives it
   */
  Object ofKey(Object normal) {
    if (!(normal instanceof Instant time)) {
      return normal;
    }
    return form == Form.TIMESTAMP
        ? LocalDateTime.ofInstant(time, ZoneOffset.UTC)
        : FieldType.TIMESTAMP_MICROS.toAvro(time);
  }

  /** A value of a key column; equal for those that are equal to the database. */
  String text(Object value) {
    return String.valueOf(form == Form.FLOAT4 || form == Form.FLOAT8 ? plain(value) : value);
  }

  /** What {@link #text} is of. */
  Object parse(String text) {
    return switch (form) {
      case INT4 -> Integer.valueOf(text);
      case INT8 -> Long.valueOf(text);
      case FLOAT4 -> Float.valueOf(text);
      case FLOAT8 -> Double.valueOf(text);
      case BOOL -> Boolean.valueOf(text);
      case DATE -> LocalDate.parse(text);
      case TIMESTAMP -> LocalDateTime.parse(text);
      default -> text;
    };
  }
}
