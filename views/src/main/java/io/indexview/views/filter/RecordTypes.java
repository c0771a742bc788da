package io.indexview.views.filter;

import com.google.common.collect.ImmutableCollection;
import com.google.common.collect.ImmutableMap;
import com.google.common.collect.ImmutableSet;
import dev.cel.common.types.CelType;
import dev.cel.common.types.CelTypeProvider;
import dev.cel.common.types.ListType;
import dev.cel.common.types.MapType;
import dev.cel.common.types.NullableType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.types.StructType;
import io.indexview.views.encoding.FieldType;
import io.indexview.views.encoding.PlainValues;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.apache.avro.Schema;

/** The CEL types of a record schema's fields. */
final class RecordTypes {
  /** No name can hold a space, so no expression can speak of the type itself. */
  private static final String RECORD = "record ";

  private static final String OR_NULL = " or null";

  private final ImmutableMap<String, CelType> records;
  private final ImmutableMap<String, CelType> fields;

  private RecordTypes(ImmutableMap<String, CelType> records, ImmutableMap<String, CelType> fields) {
    this.records = records;
    this.fields = fields;
  }

  static RecordTypes of(Schema record) {
    Map<String, CelType> records = new LinkedHashMap<>();
    collect(record, records);
    ImmutableMap.Builder<String, CelType> fields = ImmutableMap.builder();
    for (Schema.Field field : record.getFields()) {
      type(field.schema(), false).ifPresent(type -> fields.put(field.name(), type));
    }
    return new RecordTypes(ImmutableMap.copyOf(records), fields.buildOrThrow());
  }

  private static void collect(Schema schema, Map<String, CelType> records) {
    switch (schema.getType()) {
      case RECORD -> {
        StructType type = record(schema, false);
        if (records.put(type.name(), type) == null) {
          StructType orNull = record(schema, true);
          records.put(orNull.name(), orNull);
          schema.getFields().forEach(field -> collect(field.schema(), records));
        }
      }
      case ARRAY -> collect(schema.getElementType(), records);
      case MAP -> collect(schema.getValueType(), records);
      case UNION -> schema.getTypes().forEach(type -> collect(type, records));
      default -> {}
    }
  }

  /**
   * @param orNull the type of values that can be null, and then their fields are
   */
  @SuppressWarnings("Immutable") // a schema is not declared so, but nobody changes it
  private static StructType record(Schema schema, boolean orNull) {
    ImmutableSet.Builder<String> names = ImmutableSet.builder();
    for (Schema.Field field : schema.getFields()) {
      if (usable(field.schema())) {
        names.add(field.name());
      }
    }
    return StructType.create(
        RECORD + schema.getFullName() + (orNull ? OR_NULL : ""),
        names.build(),
        name ->
            Optional.ofNullable(schema.getField(name))
                .flatMap(field -> type(field.schema(), orNull)));
  }

  /** Whether a filter can use values of a schema: all but decimals and unions of several types. */
  static boolean usable(Schema schema) {
    Schema other = PlainValues.withoutNull(schema);
    return switch (other.getType()) {
      case ARRAY -> usable(other.getElementType());
      case MAP -> usable(other.getValueType());
      case UNION, NULL -> false;
      case BYTES, FIXED -> !"decimal".equals(other.getProp("logicalType"));
      default -> true;
    };
  }

  private static Optional<CelType> type(Schema schema, boolean orNull) {
    return usable(schema) ? Optional.of(usableType(schema, orNull)) : Optional.empty();
  }

  private static CelType usableType(Schema schema, boolean orNull) {
    boolean nullable = orNull || schema.isNullable();
    Schema other = PlainValues.withoutNull(schema);
    CelType type =
        switch (other.getType()) {
          case STRING, ENUM -> SimpleType.STRING;
          case INT, LONG -> isTime(other) ? SimpleType.TIMESTAMP : SimpleType.INT;
          case FLOAT, DOUBLE -> SimpleType.DOUBLE;
          case BOOLEAN -> SimpleType.BOOL;
          case BYTES, FIXED -> SimpleType.BYTES;
          case ARRAY -> ListType.create(usableType(other.getElementType(), false));
          case MAP -> MapType.create(SimpleType.STRING, usableType(other.getValueType(), false));
          case RECORD -> record(other, nullable);
          default -> throw new IllegalArgumentException("no type for " + other);
        };
    // Only these do not take null of themselves; a list or map that is null counts as empty.
    boolean wrapped = type instanceof SimpleType && type != SimpleType.TIMESTAMP;
    return nullable && wrapped ? NullableType.create(type) : type;
  }

  /** Whether the numbers of a schema are points in time. */
  static boolean isTime(Schema schema) {
    return FieldType.of(schema)
        .filter(
            type ->
                switch (type) {
                  case DATE, TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> true;
                  default -> false;
                })
        .isPresent();
  }

  /** The types of the top-level fields that a filter can use, by name. */
  Map<String, CelType> fields() {
    return fields;
  }

  CelTypeProvider provider() {
    return new Provider(records);
  }

  private record Provider(ImmutableMap<String, CelType> records) implements CelTypeProvider {
    @Override
    public ImmutableCollection<CelType> types() {
      return records.values();
    }

    @Override
    public Optional<CelType> findType(String name) {
      return Optional.ofNullable(records.get(name));
    }
  }
}
