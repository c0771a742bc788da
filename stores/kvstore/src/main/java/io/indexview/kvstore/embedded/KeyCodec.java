package io.indexview.kvstore.embedded;

import io.indexview.kvstore.KvKey;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Keys as bytes whose unsigned order is the store's key order. Components are modified UTF-8, which
 * holds no zero byte, so that a zero always begins a separator: {@code 00 01} before the minor
 * path, {@code 00 02} before any other component. Whatever lies below a path starts with the path's
 * bytes and {@code 00}: one range.
 */
final class KeyCodec {
  static final byte SEPARATOR = 0;
  static final byte MINOR = 1;
  static final byte NEXT = 2;

  private KeyCodec() {}

  static byte[] encode(KvKey key) {
    KeyWriter writer = new KeyWriter(64);
    write(writer, key);
    return writer.toByteArray();
  }

  static void write(KeyWriter writer, KvKey key) {
    List<String> major = key.major();
    for (int i = 0; i < major.size(); i++) {
      if (i > 0) {
        writer.separator(NEXT);
      }
      writer.component(major.get(i));
    }
    List<String> minor = key.minor();
    for (int i = 0; i < minor.size(); i++) {
      writer.separator(i == 0 ? MINOR : NEXT);
      writer.component(minor.get(i));
    }
  }

  static KvKey decode(byte[] bytes) {
    List<String> major = new ArrayList<>(4);
    List<String> minor = new ArrayList<>(2);
    List<String> path = major;
    int start = 0;
    boolean isAscii = true;
    for (int i = 0; i < bytes.length; i++) {
      if (bytes[i] < 0) {
        isAscii = false;
      } else if (bytes[i] == SEPARATOR) {
        path.add(component(bytes, start, i, isAscii));
        if (bytes[i + 1] == MINOR) {
          path = minor;
        }
        i++;
        start = i + 1;
        isAscii = true;
      }
    }
    path.add(component(bytes, start, bytes.length, isAscii));
    return new KvKey(major, minor);
  }

  private static String component(byte[] bytes, int start, int end, boolean isAscii) {
    if (isAscii) {
      return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
    }
    char[] chars = new char[end - start];
    int length = 0;
    int i = start;
    while (i < end) {
      int b = bytes[i];
      if (b >= 0) {
        chars[length++] = (char) b;
        i++;
      } else if ((b & 0xE0) == 0xC0) {
        chars[length++] = (char) ((b & 0x1F) << 6 | (bytes[i + 1] & 0x3F));
        i += 2;
      } else {
        chars[length++] =
            (char) ((b & 0x0F) << 12 | (bytes[i + 1] & 0x3F) << 6 | (bytes[i + 2] & 0x3F));
        i += 3;
      }
    }
    return new String(chars, 0, length);
  }

  /** Whether an encoded key is that of the path, or one below it. */
  static boolean isWithin(byte[] key, byte[] path) {
    return key.length >= path.length
        && Arrays.equals(key, 0, path.length, path, 0, path.length)
        && (key.length == path.length || key[path.length] == SEPARATOR);
  }

  /** A growing buffer of encoded key bytes. */
  static final class KeyWriter {
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

    byte[] toByteArray() {
      return Arrays.copyOf(buffer, size);
    }

    private void require(int more) {
      if (size + more > buffer.length) {
        buffer = Arrays.copyOf(buffer, Math.max(buffer.length * 2, size + more));
      }
    }
  }
}
