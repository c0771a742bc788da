package io.indexview.kvstore;

import java.util.List;

/**
 * How the store orders and measures key components: bytes of modified UTF-8 (NUL as two bytes, a
 * supplementary character as its two surrogates), unsigned.
 */
final class KeyOrder {
  private KeyOrder() {}

  /** Component by component; a path sorts before its extensions. */
  static int comparePaths(List<String> left, List<String> right) {
    int common = Math.min(left.size(), right.size());
    for (int i = 0; i < common; i++) {
      int difference = compareComponents(left.get(i), right.get(i));
      if (difference != 0) {
        return difference;
      }
    }
    return Integer.compare(left.size(), right.size());
  }

  static int compareComponents(String left, String right) {
    int common = Math.min(left.length(), right.length());
    for (int i = 0; i < common; i++) {
      char l = left.charAt(i);
      char r = right.charAt(i);
      if (l != r) {
        return Integer.compare(rank(l), rank(r));
      }
    }
    return Integer.compare(left.length(), right.length());
  }

  /** NUL is written as C0 80, after every other character of one byte. */
  private static int rank(char c) {
    return c == 0 ? 0xFF : c << 1;
  }

  static int serializedLength(List<String> major, List<String> minor) {
    long length = major.size() + minor.size() - 1L;
    for (String component : major) {
      length += length(component);
    }
    for (String component : minor) {
      length += length(component);
    }
    return (int) Math.min(length, Integer.MAX_VALUE);
  }

  private static long length(String component) {
    long bytes = component.length();
    for (int i = 0; i < component.length(); i++) {
      char c = component.charAt(i);
      if (c >= 0x800) {
        bytes += 2;
      } else if (c >= 0x80 || c == 0) {
        bytes++;
      }
    }
    return bytes;
  }
}
