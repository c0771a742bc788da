package io.indexview.views.definition;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** Typed access to the properties of a tree's object; what does not fit is noted. */
final class TreeFields {
  private final JsonNode tree;
  private final String prefix;
  private final List<Problem> problems;

  TreeFields(JsonNode tree, String prefix) {
    this(tree, prefix, new ArrayList<>());
  }

  private TreeFields(JsonNode tree, String prefix, List<Problem> problems) {
    this.tree = tree;
    this.prefix = prefix;
    this.problems = problems;
  }

  List<Problem> problems() {
    return problems;
  }

  void problem(String property, String message) {
    problems.add(new Problem(prefix + property, valueText(tree.path(property)), message));
  }

  private static String valueText(JsonNode node) {
    return node.isMissingNode() ? "" : node.isValueNode() ? node.asText() : node.toString();
  }

  boolean hasProblem(String property) {
    return problems.stream().anyMatch(problem -> problem.field().equals(prefix + property));
  }

  /** Whether the property is there and not null. */
  boolean has(String property) {
    return tree.hasNonNull(property);
  }

  boolean isList(String property) {
    return tree.path(property).isArray();
  }

  void refuseUnknown(Collection<String> known) {
    tree.fieldNames()
        .forEachRemaining(
            name -> {
              if (!known.contains(name)) {
                problem(name, "no such property; " + Suggestions.remedy(name, known));
              }
            });
  }

  /** A text; null for {@code otherwise} makes it a must. */
  String text(String property, String otherwise) {
    if (!has(property)) {
      if (otherwise == null) {
        problem(property, "is missing; give a text");
        return "";
      }
      return otherwise;
    }
    JsonNode node = tree.path(property);
    if (!node.isTextual()) {
      problem(property, "is no text; write a text, in quotes if it looks like a number");
      return "";
    }
    return node.textValue();
  }

  int integer(String property, int otherwise) {
    JsonNode node = tree.path(property);
    if (!has(property)) {
      return otherwise;
    }
    if (!node.canConvertToInt() || !node.isIntegralNumber()) {
      problem(property, "is no whole number; write one");
      return otherwise;
    }
    return node.intValue();
  }

  List<String> texts(String property) {
    JsonNode node = tree.path(property);
    if (!node.isArray()) {
      problem(property, "is no list; write [" + valueText(node) + "]");
      return List.of();
    }
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      if (node.get(i).isTextual()) {
        texts.add(node.get(i).textValue());
      } else {
        problems.add(
            new Problem(
                prefix + property + "[" + i + "]",
                valueText(node.get(i)),
                "is no text; write a field path"));
      }
    }
    return texts;
  }

  /**
   * The properties of an object; null if it is none.
   *
   * @param example what it may look like
   */
  TreeFields object(String property, String example) {
    JsonNode node = tree.path(property);
    if (!node.isObject()) {
      problem(property, "is no object; write " + example + " below it");
      return null;
    }
    return new TreeFields(node, prefix + property + ".", problems);
  }

  List<TreeFields> objects(String property) {
    JsonNode node = tree.path(property);
    if (!node.isArray()) {
      problem(property, "is no list; write a list of objects");
      return List.of();
    }
    List<TreeFields> objects = new ArrayList<>();
    for (int i = 0; i < node.size(); i++) {
      String place = prefix + property + "[" + i + "]";
      if (node.get(i).isObject()) {
        objects.add(new TreeFields(node.get(i), place + ".", problems));
      } else {
        problems.add(new Problem(place, valueText(node.get(i)), "is no object; write name: value"));
      }
    }
    return objects;
  }
}
