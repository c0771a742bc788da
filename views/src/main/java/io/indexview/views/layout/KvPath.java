package io.indexview.views.layout;

import java.util.ArrayList;
import java.util.Arrays;
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

  /**
   * A primary key as key components, and back, whatever it contains. A key that looks like a path
   * ({@code /Corporate/people/-/10012}) becomes its steps; any other begins with an empty
   * component.
   */
  static final class PrimaryKeyPath {
    private PrimaryKeyPath() {}

    static List<String> split(String primaryKey) {
      boolean path = primaryKey.startsWith("/") && !primaryKey.startsWith("//");
      if (path) {
        return Arrays.asList(primaryKey.substring(1).split("/", -1));
      }
      List<String> components = new ArrayList<>();
      components.add("");
      components.addAll(Arrays.asList(primaryKey.split("/", -1)));
      return components;
    }

    static String join(List<String> components) {
      boolean path = components.size() == 1 || !components.get(0).isEmpty();
      return path
          ? "/" + String.join("/", components)
          : String.join("/", components.subList(1, components.size()));
    }
  }
}
