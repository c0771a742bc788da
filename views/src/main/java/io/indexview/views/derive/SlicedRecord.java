package io.indexview.views.derive;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;

/**
 * A record whose plain fields stay slices of its bytes until somebody asks for them; rows are made
 * of the slices. Knows where in the bytes its other fields were, too. Cannot be changed, and is not
 * safe for use by several threads, as reading keeps values. Avro's copy constructor copies none of
 * its fields: for views alone.
 */
final class SlicedRecord extends GenericData.Record {
  private final byte[] bytes;
  private final PlainField[] fields;

  /** Slices by position: begin in the upper half, end in the lower; 0: it is not known. */
  private final long[] slices;

  private SlicedRecord comparedWith;
  private long changed;

  /**
   * @param bytes not copied
   * @param fields by position, null: not a plain one
   */
  SlicedRecord(Schema schema, byte[] bytes, PlainField[] fields) {
    super(schema);
    this.bytes = bytes;
    this.fields = fields;
    this.slices = new long[fields.length];
  }

  byte[] bytes() {
    return bytes;
  }

  void setSlice(int position, int from, int to) {
    slices[position] = (long) from << Integer.SIZE | to;
  }

  private int from(int position) {
    return (int) (slices[position] >>> Integer.SIZE);
  }

  private int to(int position) {
    return (int) slices[position];
  }

  private int valueFrom(int position) {
    return fields[position].isOptional() ? from(position) + 1 : from(position);
  }

  /** Whether a field is plain, and lies here as Avro's encoder writes it. */
  boolean hasSlice(int position) {
    return fields[position] != null && slices[position] != 0;
  }

  /** The bit that stands for a field in {@link #changedFrom}. */
  static long bit(int position) {
    return 1L << Math.min(position, Long.SIZE - 1);
  }

  /** Bits of the fields that may have another value than in a record that was read before. */
  long changedFrom(SlicedRecord other) {
    if (other != comparedWith) {
      comparedWith = other;
      changed = 0;
      for (int i = 0; i < slices.length; i++) {
        if (fields != other.fields || !hasBytesOf(other, i)) {
          changed |= bit(i);
        }
      }
    }
    return changed;
  }

  private boolean hasBytesOf(SlicedRecord other, int position) {
    return slices[position] != 0
        && other.slices[position] != 0
        && Arrays.equals(
            bytes,
            from(position),
            to(position),
            other.bytes,
            other.from(position),
            other.to(position));
  }

  /** Whether a field that is a slice is null. */
  boolean isNull(int position) {
    return valueFrom(position) == to(position);
  }

  /** Whether a field that is a slice is text of ASCII alone, or no text. */
  boolean isAscii(int position) {
    if (fields[position].type() == Schema.Type.STRING) {
      int last = 0;
      for (int i = fields[position].textFrom(bytes, valueFrom(position)); i < to(position); i++) {
        last |= bytes[i];
      }
      return last >= 0;
    }
    return true;
  }

  /** Writes a field that is a slice, with the branch of its union if it has one. */
  void writeField(int position, OutputStream out) throws IOException {
    out.write(bytes, from(position), to(position) - from(position));
  }

  /** Writes a field that is a slice and not null, without the branch of a union. */
  void writeValue(int position, OutputStream out) throws IOException {
    int from = valueFrom(position);
    out.write(bytes, from, to(position) - from);
  }

  /** Sets a field that was read; it may have a slice, too. */
  void set(int position, Object value) {
    super.put(position, value);
  }

  /** Returns a copy with the same fields, without the bytes. */
  GenericRecord toRecord() {
    GenericRecord record = new GenericData.Record(getSchema());
    for (int i = 0; i < slices.length; i++) {
      record.put(i, get(i));
    }
    return record;
  }

  @Override
  public Object get(int position) {
    Object value = super.get(position);
    if (value == null && hasSlice(position) && !isNull(position)) {
      value = fields[position].value(bytes, valueFrom(position), to(position));
      set(position, value);
    }
    return value;
  }

  @Override
  public Object get(String name) {
    Schema.Field field = getSchema().getField(name);
    return field == null ? super.get(name) : get(field.pos());
  }

  @Override
  public void put(int position, Object value) {
    throw unchangeable();
  }

  @Override
  public void put(String name, Object value) {
    throw unchangeable();
  }

  private static UnsupportedOperationException unchangeable() {
    return new UnsupportedOperationException("rows are made of the record's bytes");
  }
}
