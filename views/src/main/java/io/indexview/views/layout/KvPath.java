package io.indexview.views.layout;

import java.util.List;

/** A key of the KV store; components are plain text, the store escapes them. */
public record KvPath(List<String> major, List<String> minor) {
  public KvPath {
    major = List.copyOf(major);
    minor = List.copyOf(minor);
  }

  /** Bytes that the key takes in the store at most. */
  public int storedSize() {
    int size = 1;
    for (String component : major) {
      size += storedSize(component);
    }
    for (String component : minor) {
      size += storedSize(component);
    }
    return size;
  }

  private static int storedSize(String component) {
    int size = 1;
    for (int i = 0; i < component.length(); i++) {
      char unit = component.charAt(i);
      size += unit == 0 ? 2 : unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    }
    return size;
  }
}
