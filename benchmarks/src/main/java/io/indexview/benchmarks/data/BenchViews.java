package io.indexview.benchmarks.data;

import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.util.List;
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

  private BenchViews() {}

  /**
   * Views for deriving, all different up to twenty: the first five have keys of {@code org}, {@code
   * org, cost}, {@code city}, {@code country, city} and {@code rating} and include {@code name}.
   */
  public static List<ViewGeneration> forDeriving(int count) {
    return IntStream.range(0, count)
        .mapToObj(
            i ->
                generation(
                    "view-" + i,
                    1,
                    """
                    key: [%s]
                    include: [%s]
                    target: kv
                    layout: key-value
                    """
                        .formatted(
                            KEYS.get(i % KEYS.size()),
                            INCLUDES.get(i / KEYS.size() % INCLUDES.size()))))
        .toList();
  }

  /**
   * A generation of a view.
   *
   * @param yaml the definition after name and source
   */
  public static ViewGeneration generation(String name, int number, String yaml) {
    String definition = "name: %s\nsource: %s\n%s".formatted(name, People.NAME, yaml);
    return ViewGeneration.freeze(
        new ViewDefinitionParser().parse(name + ".yaml", definition),
        number,
        People.RECORD_SET,
        People.TOPICS);
  }
}
