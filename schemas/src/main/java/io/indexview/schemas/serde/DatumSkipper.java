package io.indexview.schemas.serde;

import java.io.IOException;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SystemLimitException;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.io.Decoder;

/**
 * Steps over Avro data of one schema, as {@link GenericDatumReader#skip} does. What that looks up
 * in the schema for each array is worked out once here. Stateless and safe for use by several
 * threads.
 */
@FunctionalInterface
public interface DatumSkipper {
  /** Steps over one datum. */
  void skip(Decoder in) throws IOException;

  /** Leaves arrays of what takes no bytes to Avro, which bounds how many they say they have. */
  static DatumSkipper of(Schema schema) {
    return hasUnboundedArray(schema, new IdentityHashMap<>())
        ? in -> GenericDatumReader.skip(schema, in)
        : of(schema, new IdentityHashMap<>());
  }

  private static DatumSkipper of(Schema schema, Map<Schema, OfRecord> records) {
    return switch (schema.getType()) {
      case RECORD -> ofRecord(schema, records);
      case ENUM -> Decoder::readEnum;
      case ARRAY -> ofArray(of(schema.getElementType(), records));
      case MAP -> ofMap(of(schema.getValueType(), records));
      case UNION -> ofUnion(schema.getTypes().stream().map(type -> of(type, records)).toList());
      case FIXED -> in -> in.skipFixed(schema.getFixedSize());
      case STRING -> Decoder::skipString;
      case BYTES -> Decoder::skipBytes;
      case INT -> Decoder::readInt;
      case LONG -> Decoder::readLong;
      case FLOAT -> Decoder::readFloat;
      case DOUBLE -> Decoder::readDouble;
      case BOOLEAN -> Decoder::readBoolean;
      case NULL -> Decoder::readNull;
    };
  }

  /** A record, which may hold itself. */
  final class OfRecord implements DatumSkipper {
    private DatumSkipper[] fields;

    private OfRecord() {}

    @Override
    public void skip(Decoder in) throws IOException {
      for (DatumSkipper field : fields) {
        field.skip(in);
      }
    }
  }

  private static DatumSkipper ofRecord(Schema schema, Map<Schema, OfRecord> records) {
    OfRecord known = records.get(schema);
    if (known != null) {
      return known;
    }
    OfRecord record = new OfRecord();
    records.put(schema, record);
    record.fields =
        schema.getFields().stream()
            .map(field -> of(field.schema(), records))
            .toArray(DatumSkipper[]::new);
    return record;
  }

  private static DatumSkipper ofArray(DatumSkipper element) {
    return in -> {
      long total = 0;
      for (long count = in.skipArray(); count > 0; count = in.skipArray()) {
        total = SystemLimitException.checkMaxCollectionLength(total, count);
        for (long i = 0; i < count; i++) {
          element.skip(in);
        }
      }
    };
  }

  private static DatumSkipper ofMap(DatumSkipper value) {
    return in -> {
      long total = 0;
      for (long count = in.skipMap(); count > 0; count = in.skipMap()) {
        total = SystemLimitException.checkMaxCollectionLength(total, count);
        for (long i = 0; i < count; i++) {
          in.skipString();
          value.skip(in);
        }
      }
    };
  }

  private static DatumSkipper ofUnion(List<DatumSkipper> branches) {
    return in -> branches.get(in.readIndex()).skip(in);
  }

  private static boolean hasUnboundedArray(Schema schema, Map<Schema, Boolean> seen) {
    return switch (schema.getType()) {
      case RECORD ->
          seen.put(schema, true) == null
              && schema.getFields().stream()
                  .anyMatch(field -> hasUnboundedArray(field.schema(), seen));
      case ARRAY ->
          mayBeNoBytes(schema.getElementType(), new IdentityHashMap<>())
              || hasUnboundedArray(schema.getElementType(), seen);
      case MAP -> hasUnboundedArray(schema.getValueType(), seen);
      case UNION -> schema.getTypes().stream().anyMatch(type -> hasUnboundedArray(type, seen));
      default -> false;
    };
  }

  private static boolean mayBeNoBytes(Schema schema, Map<Schema, Boolean> open) {
    return switch (schema.getType()) {
      case NULL -> true;
      case FIXED -> schema.getFixedSize() == 0;
      case RECORD -> {
        if (open.put(schema, true) != null) {
          yield true;
        }
        boolean none =
            schema.getFields().stream().allMatch(field -> mayBeNoBytes(field.schema(), open));
        open.remove(schema);
        yield none;
      }
      default -> false;
    };
  }
}
