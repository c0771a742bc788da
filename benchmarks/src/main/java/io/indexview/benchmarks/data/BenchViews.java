package io.indexview.benchmarks.data;

import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/** Views of {@link People} in the KV store. */
public final class BenchViews {
  private static final List<String> KEYS =
      List.of(
          "org",
          "org, cost",
          "city",
          "country, city",
          "rating",
          "born",
          "hiredAt",
          "active, org",
          "tags",
          "name");
  private static final List<String> INCLUDES = List.of("name", "cost, note");

  /** Fields that change with every update, so that every update changes every row. */
  private static final String COVERED = "name, city, cost, note";

  /** A view that is defined beside others. */
  public static final String ADDED = "added";

  /** Definition of the added view. */
  public static final String ADDED_DEFINITION = definition(ADDED, keyValue("city", "name"));

  private BenchViews() {}

  /**
   * Views for deriving, all different up to twenty: the first five have keys of {@code org}, {@code
   * org, cost}, {@code city}, {@code country, city} and {@code rating} and include {@code name}.
   */
  public static List<ViewGeneration> forDeriving(int count) {
    return IntStream.range(0, count)
        .mapToObj(i -> generation(name(i), 1, keyValue(KEYS.get(i % KEYS.size()), includes(i))))
        .toList();
  }

  /**
   * The files of views of a whole application, by name: two cover what changes, by {@code org} and
   * by {@code org, born}; of another number each is as {@link #forDeriving} has it.
   */
  static Map<String, String> files(int count) {
    Map<String, String> files = new LinkedHashMap<>();
    for (int i = 0; i < count; i++) {
      String body =
          count == 2
              ? keyValue(i == 0 ? "org" : "org, born", COVERED)
              : keyValue(KEYS.get(i % KEYS.size()), includes(i));
      files.put(name(i), definition(name(i), body));
    }
    return files;
  }

  /** The file of a view of those whose organisation begins with a text. */
  static Map<String, String> filtered(String start) {
    return file(keyValue("org", COVERED) + "where: org.startsWith(\"%s\")\n".formatted(start));
  }

  /** The file of a view by tags; every update changes all rows of a person. */
  static Map<String, String> ofTags() {
    return file(keyValue("tags", "name, cost"));
  }

  private static Map<String, String> file(String body) {
    return Map.of(name(0), definition(name(0), body));
  }

  /** The first generations of the views of files, by name. */
  static List<ViewGeneration> generations(Map<String, String> files) {
    return files.entrySet().stream()
        .map(file -> freeze(file.getKey(), 1, file.getValue()))
        .toList();
  }

  private static String name(int view) {
    return "view-" + view;
  }

  private static String includes(int view) {
    return INCLUDES.get(view / KEYS.size() % INCLUDES.size());
  }

  private static String keyValue(String key, String include) {
    return """
        key: [%s]
        include: [%s]
        target: kv
        layout: key-value
        """
        .formatted(key, include);
  }

  /**
   * A generation of a view.
   *
   * @param yaml the definition after name and source
   */
  public static ViewGeneration generation(String name, int number, String yaml) {
    return freeze(name, number, definition(name, yaml));
  }

  private static String definition(String name, String yaml) {
    return "name: %s\nsource: %s\n%s".formatted(name, People.NAME, yaml);
  }

  private static ViewGeneration freeze(String name, int number, String definition) {
    return ViewGeneration.freeze(
        new ViewDefinitionParser().parse(name + ".yaml", definition),
        number,
        People.RECORD_SET,
        People.TOPICS);
  }
}
