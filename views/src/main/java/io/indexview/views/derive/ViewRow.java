package io.indexview.views.derive;

import java.util.Arrays;
import org.apache.avro.io.BinaryData;

/**
 * One row of a view, as Avro binary.
 *
 * @param keyBody the row key, without the wire format's header; not copied, never to be changed
 * @param valueBody the row value, without the header and without {@code _revision}, its last field;
 *     not copied, never to be changed
 */
public record ViewRow(byte[] keyBody, byte[] valueBody) {
  /** Length of the wire format's header: a zero and the schema id. */
  public static final int HEADER_BYTES = 5;

  private static final int PAYLOAD_BITS = 7;

  /** The key in the wire format. */
  public byte[] key(int schemaId) {
    return framed(schemaId, keyBody, 0);
  }

  /** The value in the wire format, with the revision. */
  public byte[] value(int schemaId, long revision) {
    byte[] framed = framed(schemaId, valueBody, varintLength(revision));
    BinaryData.encodeLong(revision, framed, HEADER_BYTES + valueBody.length);
    return framed;
  }

  /** Whether it is in the place of another row. */
  public boolean hasKeyOf(ViewRow other) {
    return Arrays.equals(keyBody, other.keyBody);
  }

  private static byte[] framed(int schemaId, byte[] body, int tail) {
    byte[] framed = new byte[HEADER_BYTES + body.length + tail];
    framed[1] = (byte) (schemaId >>> 24);
    framed[2] = (byte) (schemaId >>> 16);
    framed[3] = (byte) (schemaId >>> 8);
    framed[4] = (byte) schemaId;
    System.arraycopy(body, 0, framed, HEADER_BYTES, body.length);
    return framed;
  }

  private static int varintLength(long number) {
    long zigZag = (number << 1) ^ (number >> 63);
    int bits = Long.SIZE - Long.numberOfLeadingZeros(zigZag | 1);
    return (bits + PAYLOAD_BITS - 1) / PAYLOAD_BITS;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof ViewRow that
        && Arrays.equals(keyBody, that.keyBody)
        && Arrays.equals(valueBody, that.valueBody);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(keyBody) + Arrays.hashCode(valueBody);
  }
}
