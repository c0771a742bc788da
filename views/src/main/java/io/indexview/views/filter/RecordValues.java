package io.indexview.views.filter;

import dev.cel.common.exceptions.CelIterationLimitExceededException;
import dev.cel.common.types.CelType;
import dev.cel.common.types.SimpleType;
import dev.cel.common.values.CelByteString;
import dev.cel.common.values.CelValue;
import dev.cel.common.values.NullValue;
import dev.cel.common.values.SelectableValue;
import io.indexview.views.encoding.PlainValues;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;

/** Makes the values of generic Avro records what CEL computes with; worked out per schema, once. */
final class RecordValues {
  private final Map<Schema, RecordFields> records = new IdentityHashMap<>();
  private final int maxElements;
  private final Steps steps;

  /**
   * @param maxElements of an array or a map, more are an error
   * @param steps that conversions take
   */
  RecordValues(int maxElements, Steps steps) {
    this.maxElements = maxElements;
    this.steps = steps;
  }

  /** The conversion of a field that is usable, see {@link RecordTypes#usable}. */
  UnaryOperator<Object> of(Schema schema) {
    Schema other = PlainValues.withoutNull(schema);
    UnaryOperator<Object> conversion = ofPresent(other);
    Object absent =
        switch (other.getType()) {
          case ARRAY -> List.of();
          case MAP -> Map.of();
          case RECORD -> new NullRecord(fields(other));
          default -> NullValue.NULL_VALUE;
        };
    return value -> value == null ? absent : conversion.apply(value);
  }

  private UnaryOperator<Object> ofPresent(Schema schema) {
    return switch (schema.getType()) {
      case STRING, ENUM -> Object::toString;
      case INT, LONG -> number(schema);
      case FLOAT -> value -> ((Float) value).doubleValue();
      case BYTES -> value -> CelByteString.of(PlainValues.copy((ByteBuffer) value));
      case FIXED -> value -> CelByteString.of(((GenericFixed) value).bytes());
      case ARRAY -> {
        UnaryOperator<Object> element = of(schema.getElementType());
        yield value -> list((Collection<?>) value, element);
      }
      case MAP -> {
        UnaryOperator<Object> entry = of(schema.getValueType());
        yield value -> map((Map<?, ?>) value, entry);
      }
      case RECORD -> {
        RecordFields fields = fields(schema);
        yield value -> new RecordView((IndexedRecord) value, fields);
      }
      default -> value -> value;
    };
  }

  private static UnaryOperator<Object> number(Schema schema) {
    if (!RecordTypes.isTime(schema)) {
      return value -> ((Number) value).longValue();
    }
    return switch (schema.getProp("logicalType")) {
      case "timestamp-millis" -> value -> Instant.ofEpochMilli((Long) value);
      case "timestamp-micros" -> value -> Instant.EPOCH.plus((Long) value, ChronoUnit.MICROS);
      default -> value -> Instant.EPOCH.plus((Integer) value, ChronoUnit.DAYS);
    };
  }

  /** A record type can hold itself, so its fields are looked at when first asked for. */
  private RecordFields fields(Schema schema) {
    return records.computeIfAbsent(schema, record -> new RecordFields(record, this));
  }

  private List<Object> list(Collection<?> elements, UnaryOperator<Object> conversion) {
    checkSize(elements.size());
    List<Object> list = new ArrayList<>(elements.size());
    for (Object element : elements) {
      list.add(conversion.apply(element));
    }
    return list;
  }

  private Map<String, Object> map(Map<?, ?> entries, UnaryOperator<Object> conversion) {
    checkSize(entries.size());
    Map<String, Object> map = new HashMap<>();
    entries.forEach((key, value) -> map.put(key.toString(), conversion.apply(value)));
    return map;
  }

  private void checkSize(int size) {
    if (size > maxElements) {
      throw new CelIterationLimitExceededException(maxElements);
    }
    steps.take((long) Steps.ELEMENT * size);
  }

  /**
   * A record that is null: CEL takes it for null, unless it asks for a field, which is null too.
   */
  @SuppressWarnings("Immutable") // what the fields keep depends on their schema alone
  private static final class NullRecord extends CelValue implements SelectableValue<String> {
    private final RecordFields fields;

    NullRecord(RecordFields fields) {
      this.fields = fields;
    }

    @Override
    public Object select(String field) {
      return fields.absent(field);
    }

    @Override
    public Optional<Object> find(String field) {
      return Optional.empty();
    }

    @Override
    public Object value() {
      return NullValue.NULL_VALUE;
    }

    @Override
    public boolean isZeroValue() {
      return true;
    }

    @Override
    public CelType celType() {
      return SimpleType.NULL_TYPE;
    }
  }

  /** A record inside a record; its fields are converted as they are asked for. */
  private record RecordView(IndexedRecord record, RecordFields fields)
      implements SelectableValue<String> {
    @Override
    public Object select(String field) {
      return fields.get(record, field);
    }

    @Override
    public Optional<Object> find(String field) {
      return fields.isNull(record, field) ? Optional.empty() : Optional.of(select(field));
    }
  }

  /** The fields of a record type, as far as the type checker lets a filter ask for them. */
  private static final class RecordFields {
    private final Schema schema;
    private final RecordValues values;
    private final Map<String, UnaryOperator<Object>> conversions = new HashMap<>();

    RecordFields(Schema schema, RecordValues values) {
      this.schema = schema;
      this.values = values;
    }

    boolean isNull(IndexedRecord record, String name) {
      return record.get(schema.getField(name).pos()) == null;
    }

    Object get(IndexedRecord record, String name) {
      return conversion(name).apply(record.get(schema.getField(name).pos()));
    }

    /** What stands for the field of a record that is null. */
    Object absent(String name) {
      return conversion(name).apply(null);
    }

    private UnaryOperator<Object> conversion(String name) {
      UnaryOperator<Object> conversion = conversions.get(name);
      if (conversion == null) {
        conversion = values.of(schema.getField(name).schema());
        conversions.put(name, conversion);
      }
      return conversion;
    }
  }
}
