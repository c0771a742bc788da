package io.indexview.streams.controller;

import io.indexview.views.definition.ViewDefinitionParser;
import java.util.Map;
import java.util.TreeMap;

/**
 * What the definitions of the simulated world mean. A definition has a variant, and the last digit
 * of a value says what becomes of it: 1 to 4 cannot be derived by one of the variants, the sink
 * rejects 6 of even variants and 7 of odd ones.
 */
final class SimView {
  static final int VARIANTS = 4;
  private static final int[] CLEAN = {0, 5, 8, 9};
  private static final String[] INCLUDES = {"[]", "[org]", "[age]", "[org, age]"};

  private SimView() {}

  /** A definition that the machine can parse and the worker can freeze. */
  static String definition(String view, String recordSet, int variant) {
    String head = "{name: %s, source: %s, ".formatted(view, recordSet);
    String tail =
        switch (view) {
          case "v2" ->
              "kind: document, target: dynamodb, table: InPlace, swap: in-place, include: %s}"
                  .formatted(INCLUDES[variant]);
          case "v3" ->
              "kind: document, target: dynamodb, table: Tables, include: %s}"
                  .formatted(INCLUDES[variant]);
          default ->
              "kind: index, target: kv, key: [name], layout: key-value, include: %s}"
                  .formatted(INCLUDES[variant]);
        };
    return new ViewDefinitionParser().parse("sim.yaml", head + tail).toJson();
  }

  static int variant(String definition) {
    boolean org = definition.contains("\"org\"");
    boolean age = definition.contains("\"age\"");
    return (org ? 1 : 0) + (age ? 2 : 0);
  }

  static boolean fails(int variant, int value) {
    return value % 10 == variant + 1;
  }

  static boolean isRejected(int variant, int value) {
    return value % 10 == 6 + variant % 2;
  }

  /** A value that nobody has trouble with. */
  static int clean(int value) {
    return value / 10 * 10 + CLEAN[value % CLEAN.length];
  }

  static boolean isDocument(String definition) {
    return definition.contains("\"document\"");
  }

  /** Rows of one record, by row key. */
  static Map<String, Integer> rows(String definition, String key, Integer value) {
    int variant = variant(definition);
    if (value == null || fails(variant, value)) {
      return Map.of();
    }
    String rowKey = isDocument(definition) ? key : value % (2 + variant) + "/" + key;
    return Map.of(rowKey, value);
  }

  static Map<String, Integer> rows(String definition, Map<String, Integer> state) {
    Map<String, Integer> rows = new TreeMap<>();
    state.forEach((key, value) -> rows.putAll(rows(definition, key, value)));
    return rows;
  }
}
