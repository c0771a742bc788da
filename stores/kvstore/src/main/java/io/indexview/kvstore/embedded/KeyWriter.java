package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvKey;
import java.util.Arrays;

/** A growing buffer of encoded key bytes. */
final class KeyWriter {
  private byte[] buffer;
  private int size;

  KeyWriter(int capacity) {
    buffer = new byte[capacity];
  }

  KeyWriter parent(KvKey key) {
    KeyCodec.write(this, key);
    return this;
  }

  KeyWriter separator(byte kind) {
    require(2);
    buffer[size++] = KeyCodec.SEPARATOR;
    buffer[size++] = kind;
    return this;
  }

  KeyWriter one(int unsignedByte) {
    require(1);
    buffer[size++] = (byte) unsignedByte;
    return this;
  }

  KeyWriter component(String component) {
    require(component.length() * 3);
    for (int i = 0; i < component.length(); i++) {
      char c = component.charAt(i);
      if (c != 0 && c < 0x80) {
        buffer[size++] = (byte) c;
      } else if (c < 0x800) {
        buffer[size++] = (byte) (0xC0 | c >> 6);
        buffer[size++] = (byte) (0x80 | (c & 0x3F));
      } else {
        buffer[size++] = (byte) (0xE0 | c >> 12);
        buffer[size++] = (byte) (0x80 | (c >> 6 & 0x3F));
        buffer[size++] = (byte) (0x80 | (c & 0x3F));
      }
    }
    return this;
  }

  int size() {
    return size;
  }

  byte[] toByteArray() {
    return Arrays.copyOf(buffer, size);
  }

  private void require(int more) {
    if (size + more > buffer.length) {
      buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
    }
  }
}
