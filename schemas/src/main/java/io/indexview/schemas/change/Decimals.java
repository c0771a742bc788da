package io.indexview.schemas.change;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;

/**
 * Decimals as Avro holds them without conversions: bytes of one scale, or Debezium's record of
 * {@code scale} and {@code value} for columns whose numbers have any.
 */
public final class Decimals {
  private static final String VARIABLE_SCALE = "io.debezium.data.VariableScaleDecimal";

  private Decimals() {}

  /** Whether the values of a schema that is no union are decimals. */
  public static boolean areOf(Schema schema) {
    return schema.getLogicalType() instanceof LogicalTypes.Decimal || isOfAnyScale(schema);
  }

  /** Whether each value brings its scale. */
  public static boolean isOfAnyScale(Schema schema) {
    return schema.getType() == Schema.Type.RECORD
        && schema.getFullName().equals(VARIABLE_SCALE)
        && schema.getFields().size() == 2
        && schema.getFields().get(0).schema().getType() == Schema.Type.INT
        && schema.getFields().get(1).schema().getType() == Schema.Type.BYTES;
  }

  /**
   * The number of a value.
   *
   * @param schema of which values {@link #areOf decimals are}
   * @throws IllegalArgumentException if it has no digits
   */
  public static BigDecimal of(Schema schema, Object value) {
    if (value instanceof IndexedRecord record) {
      return new BigDecimal(digits(record.get(1)), (Integer) record.get(0));
    }
    int scale = ((LogicalTypes.Decimal) schema.getLogicalType()).getScale();
    return new BigDecimal(digits(value), scale);
  }

  private static BigInteger digits(Object value) {
    byte[] bytes;
    if (value instanceof GenericFixed fixed) {
      bytes = fixed.bytes();
    } else {
      ByteBuffer buffer = ((ByteBuffer) value).duplicate();
      bytes = new byte[buffer.remaining()];
      buffer.get(bytes);
    }
    if (bytes.length == 0) {
      throw new IllegalArgumentException("a decimal has no byte");
    }
    return new BigInteger(bytes);
  }
}
