package io.indexview.views.derive;

import java.util.Arrays;

/**
 * One row of a view, as Avro binary.
 *
 * @param keyBody the row key, without the wire format's header; not copied, never to be changed
 * @param valueBody the row value, without the header and without {@code _revision}, its last field;
 *     not copied, never to be changed
 */
public record ViewRow(byte[] keyBody, byte[] valueBody) {

  /** The key in the wire format. */
  public byte[] key(int schemaId) {
    throw new IllegalStateException("not built yet");
  }

  /** The value in the wire format, with the revision. */
  public byte[] value(int schemaId, long revision) {
    throw new IllegalStateException("not built yet");
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
