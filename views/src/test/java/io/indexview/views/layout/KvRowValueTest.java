package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.Samples;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

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
          rating  | 1.5                        | 1e400
          rating  | 1.5                        | "1.5"
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

  /** It is undecodable, and has to go with its generation. */
  @ParameterizedTest
  @ValueSource(strings = {"key-value", "list"})
  void knowsARowByItsKeyAndHeadWhateverElseItHolds(String form) {
    KvLayout people =
        KvLayout.of(
            Samples.people("key: [org]\ninclude: [cost]\nlayout: " + form + "\ntarget: kv"));
    KvPath path = people.path(KEY::get);
    String row = new String(people.value(KEY::get, name -> 242L, 1), StandardCharsets.UTF_8);
    byte[] undecodable = utf8(row.replace(":242", ":242.7"));
    assertThatThrownBy(() -> people.rows(path, undecodable)).isInstanceOf(LayoutException.class);

    assertThatCode(() -> people.requireRows(path, undecodable)).doesNotThrowAnyException();
    assertThatCode(() -> people.requireRows(path, people.tombstone(KEY::get, 2)))
        .doesNotThrowAnyException();
    KvPath elsewhere = new KvPath(path.major(), List.of("elsewhere"));
    assertThatThrownBy(() -> people.requireRows(elsewhere, undecodable))
        .isInstanceOf(LayoutException.class);
    for (String part : List.of("_primaryKey", "_revision")) {
      byte[] other = utf8(row.replace(part, "other"));
      assertThatThrownBy(() -> people.requireRows(path, other))
          .isInstanceOf(LayoutException.class)
          .hasMessageContaining(part);
    }
  }

  private static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }
}
