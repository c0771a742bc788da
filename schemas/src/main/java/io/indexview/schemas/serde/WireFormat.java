package io.indexview.schemas.serde;

import java.util.Objects;
import org.apache.kafka.common.errors.SerializationException;

/** The five bytes before every Avro message: {@code 0}, then the schema id, big-endian. */
public final class WireFormat {
  public static final byte MAGIC = 0;

  /** Bytes before the Avro binary. */
  public static final int HEADER_LENGTH = 5;

  private WireFormat() {}

  /** A message of its own: header, then a copy of the slice. */
  public static byte[] frame(int schemaId, byte[] avro, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, avro.length);
    byte[] message = new byte[HEADER_LENGTH + length];
    writeHeader(schemaId, message);
    System.arraycopy(avro, offset, message, HEADER_LENGTH, length);
    return message;
  }

  /** {@link #frame(int, byte[], int, int)} of a whole array. */
  public static byte[] frame(int schemaId, byte[] avro) {
    return frame(schemaId, avro, 0, avro.length);
  }

  /**
   * The schema id of a message; its Avro binary is everything from {@link #HEADER_LENGTH} on.
   *
   * @throws SerializationException if the bytes are not in the wire format
   */
  public static int schemaId(byte[] message) {
    if (message.length < HEADER_LENGTH) {
      throw new SerializationException(
          "%d bytes are too few for the Confluent wire format (magic byte 0, 4-byte schema id): is the producer's serializer one that uses the schema registry?"
              .formatted(message.length));
    }
    if (message[0] != MAGIC) {
      throw new SerializationException(
          "first byte 0x%02x instead of 0x00: not in the Confluent wire format; is the producer's serializer one that uses the schema registry?"
              .formatted(message[0]));
    }
    return (message[1] & 0xff) << 24
        | (message[2] & 0xff) << 16
        | (message[3] & 0xff) << 8
        | (message[4] & 0xff);
  }

  /** Writes the header over the first bytes of an array. */
  static void writeHeader(int schemaId, byte[] target) {
    target[0] = MAGIC;
    target[1] = (byte) (schemaId >>> 24);
    target[2] = (byte) (schemaId >>> 16);
    target[3] = (byte) (schemaId >>> 8);
    target[4] = (byte) schemaId;
  }
}
