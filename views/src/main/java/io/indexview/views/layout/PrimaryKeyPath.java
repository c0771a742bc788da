package io.indexview.views.layout;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A primary key as key components, and back, whatever it contains. A key that looks like a path
 * ({@code /Corporate/people/-/10012}) becomes its steps; any other begins with an empty component.
 */
final class PrimaryKeyPath {
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
