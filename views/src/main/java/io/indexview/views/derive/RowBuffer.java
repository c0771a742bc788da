package io.indexview.views.derive;

import java.io.OutputStream;
import java.util.Arrays;
import java.util.Objects;

/** Bytes of one row part at a time; unlike the JDK's stream, without locks. */
final class RowBuffer extends OutputStream {
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
