package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.schemas.control.UnexpectedRow;
import io.indexview.views.Samples;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class UnexpectedRemovalTest {
  private static final ViewGeneration GENERATION =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse("v.yaml", "name: by-org\nsource: people\nkey: [org]\ntarget: dynamodb\n"),
          3,
          Samples.PEOPLE,
          new Topics("indexview"));

  @Test
  void comesBackFromItsJson() {
    UnexpectedRemoval removal =
        new UnexpectedRemoval(
            GENERATION,
            List.of(
                new UnexpectedRow("[\"a\",\"b\"]", "00ff"), new UnexpectedRow("/x/-/ä %2F", "01")));

    assertThat(UnexpectedRemoval.fromJson(removal.toJson())).isEqualTo(removal);
    for (String text : List.of("{", "{}", "{\"generation\": 7}", "[]")) {
      assertThatThrownBy(() -> UnexpectedRemoval.fromJson(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void keysOfItemsComeBackFromTheirTexts() {
    DynamoDbLayout layout = DynamoDbLayout.of(GENERATION);
    Map<String, Object> key = Map.of("_pk", "a\"b", "_sk", "c,d");

    assertThat(layout.keyOf(layout.id(key))).isEqualTo(key);
    for (String text :
        List.of("", "no key", "null", "[]", "[\"a\"]", "{}", "[\"a\",\"b\",\"c\"]")) {
      assertThatThrownBy(() -> layout.keyOf(text))
          .as(text)
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void contentsAreAlikeForEqualItemsOnly() {
    Map<String, Object> item = new LinkedHashMap<>();
    item.put("a", List.of("x", 1));
    item.put("b", Map.of("c", true));
    Map<String, Object> turned = new LinkedHashMap<>();
    turned.put("b", Map.of("c", true));
    turned.put("a", List.of("x", new BigDecimal("1.0")));
    assertThat(DynamoDbLayout.content(item)).isEqualTo(DynamoDbLayout.content(turned));

    List<Map<String, Object>> different =
        List.of(
            Map.of("a", "1"),
            Map.of("a", 1),
            Map.of("a", true),
            Map.of("a", new byte[] {1}),
            Map.of("a", List.of("1")),
            Map.of("a", List.of("1", "2")),
            Map.of("a", List.of("1s1:2")),
            Map.of("a", Map.of("1", "2")),
            Map.of("a", "1", "b", "2"),
            Map.of("a", "1s1:bs1:2"),
            Map.of());
    assertThat(different.stream().map(one -> UnexpectedRow.digest(DynamoDbLayout.content(one))))
        .doesNotHaveDuplicates();
  }
}
