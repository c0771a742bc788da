package io.indexview.views.derive;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.apache.avro.AvroTypeException;
import org.apache.avro.Schema;
import org.apache.avro.SystemLimitException;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.util.Utf8;

/**
 * A field of one text, number or boolean, or of null and one of those. What Avro's encoder writes
 * for it depends on the value alone.
 *
 * @param isOptional whether it is a union, whose first branch is null
 */
record PlainField(Schema.Type type, boolean isOptional) {
  private static final int INT_BYTES = 5;
  private static final int LONG_BYTES = 10;
  private static final int INT_END = 0x0f;
  private static final int LONG_END = 1;
  private static final int PAYLOAD_BITS = 7;
  private static final int PAYLOAD = 0x7f;

  /** Empty: it is another one. */
  static Optional<PlainField> of(Schema schema) {
    if (!schema.isUnion()) {
      return isPlain(schema)
          ? Optional.of(new PlainField(schema.getType(), false))
          : Optional.empty();
    }
    List<Schema> types = schema.getTypes();
    return types.size() == 2 && types.get(0).getType() == Schema.Type.NULL && isPlain(types.get(1))
        ? Optional.of(new PlainField(types.get(1).getType(), true))
        : Optional.empty();
  }

  private static boolean isPlain(Schema schema) {
    return switch (schema.getType()) {
      // Properties may ask for another class.
      case STRING -> !schema.hasProps();
      case INT, LONG, FLOAT, DOUBLE, BOOLEAN -> true;
      default -> false;
    };
  }

  /** Reads it into a record: as a slice if Avro's encoder would write just those bytes. */
  void read(BinaryDecoder in, int end, int position, SlicedRecord out) throws IOException {
    int begin = end - in.inputStream().available();
    if (isOptional) {
      int branch = in.readIndex();
      if (branch != 0 && branch != 1) {
        throw new AvroTypeException("a union of two has no branch " + branch);
      }
      int next = end - in.inputStream().available();
      if (branch == 0) {
        if (next - begin == 1) {
          out.setSlice(position, begin, next);
        }
        return;
      }
      boolean isShort = next - begin == 1;
      read(in, end, position, isShort ? begin : -1, next, out);
    } else {
      read(in, end, position, begin, begin, out);
    }
  }

  /**
   * @param begin of the slice that it may be; negative: it is none
   */
  private void read(BinaryDecoder in, int end, int position, int begin, int from, SlicedRecord out)
      throws IOException {
    byte[] bytes = out.bytes();
    Object value = null;
    boolean isAsEncoded = begin >= 0;
    switch (type) {
      case INT -> {
        int number = in.readInt();
        int to = end - in.inputStream().available();
        isAsEncoded &= isShortest(bytes, from, to, INT_BYTES, INT_END);
        value = isAsEncoded ? null : (Object) number;
      }
      case LONG -> {
        long number = in.readLong();
        int to = end - in.inputStream().available();
        isAsEncoded &= isShortest(bytes, from, to, LONG_BYTES, LONG_END);
        value = isAsEncoded ? null : (Object) number;
      }
      case FLOAT -> {
        float number = in.readFloat();
        value = isAsEncoded ? null : (Object) number;
      }
      case DOUBLE -> {
        double number = in.readDouble();
        value = isAsEncoded ? null : (Object) number;
      }
      case BOOLEAN -> {
        boolean is = in.readBoolean();
        isAsEncoded &= bytes[from] == 0 || bytes[from] == 1;
        value = isAsEncoded ? null : (Object) is;
      }
      default -> {
        int length = SystemLimitException.checkMaxStringLength(in.readLong());
        int textFrom = end - in.inputStream().available();
        in.skipFixed(length);
        isAsEncoded &= isShortest(bytes, from, textFrom, LONG_BYTES, LONG_END);
        value =
            isAsEncoded ? null : new Utf8(Arrays.copyOfRange(bytes, textFrom, textFrom + length));
      }
    }
    if (isAsEncoded) {
      out.setSlice(position, begin, end - in.inputStream().available());
    } else {
      out.set(position, value);
    }
  }

  /** Whether a number has no bytes that say nothing, and no bits beyond its size. */
  private static boolean isShortest(byte[] bytes, int from, int to, int maxLength, int maxLast) {
    int last = bytes[to - 1];
    return to - from == 1 || (last != 0 && (to - from < maxLength || last <= maxLast));
  }

  /** The value of a slice, without the branch of a union, as Avro's reader gives it. */
  Object value(byte[] bytes, int from, int to) {
    return switch (type) {
      case INT -> (int) number(bytes, from);
      case LONG -> number(bytes, from);
      case FLOAT -> Float.intBitsToFloat((int) bits(bytes, from, Float.BYTES));
      case DOUBLE -> Double.longBitsToDouble(bits(bytes, from, Double.BYTES));
      case BOOLEAN -> bytes[from] == 1;
      default -> new Utf8(Arrays.copyOfRange(bytes, textFrom(bytes, from), to));
    };
  }

  /** Where the text of a slice begins, behind its length. */
  int textFrom(byte[] bytes, int from) {
    int at = from;
    while (bytes[at] < 0) {
      at++;
    }
    return at + 1;
  }

  private static long number(byte[] bytes, int from) {
    long zigZag = 0;
    int at = from;
    int shift = 0;
    for (; bytes[at] < 0; at++) {
      zigZag |= (long) (bytes[at] & PAYLOAD) << shift;
      shift += PAYLOAD_BITS;
    }
    zigZag |= (long) bytes[at] << shift;
    return (zigZag >>> 1) ^ -(zigZag & 1);
  }

  private static long bits(byte[] bytes, int from, int count) {
    long bits = 0;
    for (int i = count - 1; i >= 0; i--) {
      bits = bits << Byte.SIZE | bytes[from + i] & 0xff;
    }
    return bits;
  }
}
