package io.indexview.views.derive;

import io.indexview.views.definition.ViewFields;
import io.indexview.views.encoding.FieldType;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.Schema;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.EncoderFactory;

/** Writes keys and values of rows. */
final class RowEncoder {
  private final FieldAccess[] keyAccess;
  private final FieldWriter[] keyWriters;
  private final boolean[] keyNullable;

  /** Positions of the key's fields that may be slices; -1: the field never is. */
  private final int[] keySlices;

  private final List<ViewFields.ValueField> valueFields;
  private final FieldAccess[] valueAccess;
  private final FieldWriter[] valueWriters;

  /** Positions of the value's fields that may be slices; -1: the field never is. */
  private final int[] valueSlices;

  private final List<ViewFields.KeyField> keyFields;
  private final RowBuffer buffer = new RowBuffer();
  private final BinaryEncoder encoder = EncoderFactory.get().directBinaryEncoder(buffer, null);

  RowEncoder(ViewFields fields, Schema recordSchema) {
    keyFields = fields.key();
    int keys = keyFields.size();
    keyAccess = new FieldAccess[keys];
    keyWriters = new FieldWriter[keys];
    keyNullable = new boolean[keys];
    keySlices = new int[keys];
    for (int i = 0; i < keys; i++) {
      ViewFields.KeyField field = keyFields.get(i);
      keyAccess[i] = FieldAccess.of(recordSchema, field.path());
      Schema leaf = keyAccess[i].leaf();
      FieldType type = FieldType.ofKey(leaf).orElse(null);
      if (type != field.type()) {
        throw new IllegalArgumentException(
            "field \"%s\" is of type %s instead of %s"
                .formatted(field.path(), leaf.getType().getName(), field.type()));
      }
      keyWriters[i] = FieldWriter.ofKey(type, leaf);
      keyNullable[i] = field.nullable();
      keySlices[i] = isWrittenAsItIs(type) ? keyAccess[i].position() : -1;
    }
    valueFields = fields.values();
    int values = valueFields.size();
    valueAccess = new FieldAccess[values];
    valueWriters = new FieldWriter[values];
    valueSlices = new int[values];
    for (int i = 0; i < values; i++) {
      ViewFields.ValueField field = valueFields.get(i);
      valueAccess[i] = FieldAccess.ofWhole(recordSchema, field.path());
      valueWriters[i] = FieldWriter.of(field.schema());
      int position = valueAccess[i].position();
      boolean isSame =
          position >= 0
              && recordSchema.getFields().get(position).schema().equals(field.schema())
              && FieldWriter.takesAny(field.schema());
      valueSlices[i] = isSame ? position : -1;
    }
  }

  /** Numbers that are not whole have one form in keys, and symbols the number of their schema. */
  private static boolean isWrittenAsItIs(FieldType type) {
    return switch (type) {
      case STRING, INT, DATE, LONG, TIMESTAMP_MILLIS, TIMESTAMP_MICROS, BOOLEAN -> true;
      case FLOAT, DOUBLE, ENUM -> false;
    };
  }

  /** The first access that fans out leads to the array; null if there is none. */
  FieldAccess arrayAccess() {
    for (FieldAccess access : keyAccess) {
      if (access.fansOut()) {
        return access;
      }
    }
    return null;
  }

  /**
   * Writes a row key.
   *
   * @param element of the array that the key fans out over; null if there is none
   * @return null if a field is null that has no nulls
   */
  byte[] key(IndexedRecord record, Object element, String primaryKey) throws DerivationException {
    buffer.reset();
    int i = 0;
    try {
      SlicedRecord sliced = record instanceof SlicedRecord one ? one : null;
      for (; i < keyAccess.length; i++) {
        if (sliced != null && isKeySlice(sliced, keySlices[i])) {
          if (keyNullable[i]) {
            encoder.writeIndex(1);
          }
          sliced.writeValue(keySlices[i], buffer);
          continue;
        }
        FieldAccess access = keyAccess[i];
        Object value = access.fansOut() ? access.getInElement(element) : access.get(record);
        if (value == null) {
          if (!keyNullable[i]) {
            return null;
          }
          encoder.writeIndex(0);
          continue;
        }
        if (keyNullable[i]) {
          encoder.writeIndex(1);
        }
        keyWriters[i].write(value, encoder);
      }
      encoder.writeString(primaryKey);
      return buffer.toByteArray();
    } catch (IllegalArgumentException e) {
      throw new DerivationException(
          "key field \"%s\": %s".formatted(keyFields.get(i).path(), e.getMessage()), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Text that is not ASCII is looked through when it is written. */
  private static boolean isKeySlice(SlicedRecord record, int position) {
    return position >= 0
        && record.hasSlice(position)
        && !record.isNull(position)
        && record.isAscii(position);
  }

  /**
   * Writes the key of a row that was read back.
   *
   * @param values normalised, by field name
   * @throws IllegalArgumentException if they are no key
   */
  byte[] key(Map<String, Object> values, String primaryKey) {
    buffer.reset();
    try {
      for (int i = 0; i < keyWriters.length; i++) {
        ViewFields.KeyField field = keyFields.get(i);
        Object value = values.get(field.name());
        if (keyNullable[i]) {
          encoder.writeIndex(value == null ? 0 : 1);
        } else if (value == null) {
          throw new IllegalArgumentException("key field \"%s\" is null".formatted(field.name()));
        }
        if (value != null) {
          keyWriters[i].write(field.type().toAvro(value), encoder);
        }
      }
      encoder.writeString(primaryKey);
      return buffer.toByteArray();
    } catch (ClassCastException | AvroRuntimeException e) {
      throw new IllegalArgumentException("the values are no key of the view", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  byte[] value(IndexedRecord record) throws DerivationException {
    buffer.reset();
    int i = 0;
    try {
      SlicedRecord sliced = record instanceof SlicedRecord one ? one : null;
      for (; i < valueAccess.length; i++) {
        int slice = valueSlices[i];
        if (sliced != null && slice >= 0 && sliced.hasSlice(slice)) {
          sliced.writeField(slice, buffer);
          continue;
        }
        valueWriters[i].write(valueAccess[i].get(record), encoder);
      }
      return buffer.toByteArray();
    } catch (IllegalArgumentException e) {
      throw new DerivationException(
          "field \"%s\": %s".formatted(valueFields.get(i).path(), e.getMessage()), e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Bytes of one row part at a time; unlike the JDK's stream, without locks. */
  private static final class RowBuffer extends OutputStream {
    private static final int KEPT_BYTES = 1 << 16;

    private byte[] bytes = new byte[512];
    private int length;

    void reset() {
      length = 0;
      if (bytes.length > KEPT_BYTES) {
        bytes = new byte[512];
      }
    }

    byte[] toByteArray() {
      return Arrays.copyOf(bytes, length);
    }

    @Override
    public void write(int oneByte) {
      ensure(1);
      bytes[length++] = (byte) oneByte;
    }

    @Override
    public void write(byte[] source, int offset, int count) {
      Objects.checkFromIndexSize(offset, count, source.length);
      ensure(count);
      System.arraycopy(source, offset, bytes, length, count);
      length += count;
    }

    private void ensure(int more) {
      if (bytes.length - length < more) {
        bytes = Arrays.copyOf(bytes, Math.max(length + more, 2 * bytes.length));
      }
    }
  }
}
