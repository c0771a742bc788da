package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.Samples;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvRowValueTest {
  private static final Map<String, Object> KEY = Map.of("org", "Support", "_primaryKey", "/p/1");

  private final KvLayout layout =
      KvLayout.of(
          Samples.people(
              "key: [org]\ninclude: [name, cost, age, rating, active, photo, tags, notes, address]\n"
                  + "layout: key-value\ntarget: kv"));

  private String row() {
    Map<String, Object> values = new HashMap<>();
    values.put("name", "Ann");
    values.put("cost", 242L);
    values.put("age", 42);
    values.put("rating", 1.5);
    values.put("active", true);
    values.put("photo", new byte[] {1});
    values.put("tags", List.of("a"));
    values.put("notes", Map.of("a", "b"));
    values.put("address", Map.of("city", "Cork"));
    return new String(layout.value(KEY::get, values::get, 1), StandardCharsets.UTF_8);
  }

  private StoredRow read(String row) {
    return layout.row(layout.path(KEY::get), row.getBytes(StandardCharsets.UTF_8));
  }

  /** Read as the next best value, it could not be told from that. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          cost    | 242                        | 242.7
          cost    | 242                        | "242"
          cost    | 242                        | 1e2
          cost    | 242                        | 99999999999999999999
          cost    | 242                        | []
          age     | 42                         | 42.5
          age     | 42                         | 4294967338
          age     | 42                         | true
          rating  | 1.5                        | "high"
          rating  | 1.5                        | false
          active  | true                       | "true"
          active  | true                       | 1
          name    | "Ann"                      | 5
          name    | "Ann"                      | {}
          photo   | "AQ=="                     | 1
          photo   | "AQ=="                     | "!"
          tags    | ["a"]                      | {}
          tags    | ["a"]                      | "a"
          tags    | ["a"]                      | [1]
          notes   | {"a":"b"}                  | []
          notes   | {"a":"b"}                  | "b"
          address | {"city":"Cork","zip":null} | []
          address | {"city":"Cork","zip":null} | "Cork"
          """)
  void refusesValuesThatAreNoneOfTheirField(String field, String written, String other) {
    String before = "\"%s\":%s".formatted(field, written);
    assertThat(row()).contains(before);
    assertThat(read(row()).values()).containsKey(field);

    assertThatThrownBy(() -> read(row().replace(before, "\"%s\":%s".formatted(field, other))))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining(field);
  }
}
