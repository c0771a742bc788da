package io.indexview.schemas.docs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Range;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidList;
import org.apache.kafka.common.config.ConfigDef.Validator;
import org.apache.kafka.common.config.ConfigDef.Width;
import org.junit.jupiter.api.Test;

class ConfigTableTest {
  private final ConfigDef definition = new ConfigDef();

  @Test
  void writesATablePerGroupInTheOrderOfTheDefinition() {
    define("b.url", Type.STRING, ConfigDef.NO_DEFAULT_VALUE, null, "B", 1);
    define("a.count", Type.INT, 3, Range.between(1, 9), "A", 2);
    define("a.first", Type.BOOLEAN, false, null, "A", 1);

    assertThat(ConfigTable.render(definition))
        .isEqualTo(
            """
            ## B

            | key | type | default | valid values | importance | what it does |
            |---|---|---|---|---|---|
            | `b.url` | string | **required** | any | low | Doc of b.url. |

            ## A

            | key | type | default | valid values | importance | what it does |
            |---|---|---|---|---|---|
            | `a.first` | boolean | `false` | true, false | low | Doc of a.first. |
            | `a.count` | int | `3` | 1 to 9 | low | Doc of a.count. |
            """);
  }

  @Test
  void saysWhatADefaultMeans() {
    define("retention.ms", Type.LONG, Duration.ofDays(15).toMillis(), null, "A", 1);
    define("memory.bytes", Type.LONG, 1L << 20, null, "A", 2);
    define("nothing", Type.STRING, null, null, "A", 3);
    define("no.text", Type.STRING, "", null, "A", 4);
    define("none.of.many", Type.LIST, List.of(), null, "A", 5);
    define("some.of.many", Type.LIST, List.of("x", "y"), null, "A", 6);
    define("pattern", Type.STRING, "a|b", null, "A", 7);

    assertThat(ConfigTable.render(definition))
        .contains("| `1296000000` (15 d) |")
        .contains("| `1048576` (1 MiB) |")
        .contains("| `nothing` | string | none |")
        .contains("| `no.text` | string | empty |")
        .contains("| `none.of.many` | list | empty |")
        .contains("| `x,y` |")
        .contains("| `a\\|b` |");
  }

  @Test
  void saysWhatIsValid() {
    define("minimum", Type.INT, 1, Range.atLeast(1), "A", 1);
    define("range", Type.INT, 1, Range.between(-1, 9), "A", 2);
    define("words", Type.STRING, "a", ConfigDef.ValidString.in("a", "b"), "A", 3);
    define("many", Type.LIST, List.of("a"), ValidList.anyNonDuplicateValues(false, false), "A", 4);

    assertThat(ConfigTable.render(definition))
        .contains("| 1 or more |")
        .contains("| -1 to 9 |")
        .contains("| a, b |")
        .contains("| any, each once |");
  }

  @Test
  void keepsTextFromBeingTakenForMarkup() {
    definition.define(
        "k", Type.STRING, "", null, Importance.LOW, "a <b> | *c*\n d", "A", 1, Width.LONG, "k");

    assertThat(ConfigTable.render(definition)).contains("| a &lt;b> \\| \\*c\\* d |");
  }

  @Test
  void refusesAKeyThatSaysTooLittle() {
    assertThatThrownBy(
            () -> ConfigTable.render(new ConfigDef().define("k", Type.INT, Importance.LOW, "Doc.")))
        .hasMessage("k: give it a group and a documentation");

    define("checked", Type.STRING, "", (key, value) -> {}, "A", 1);
    assertThatThrownBy(() -> ConfigTable.render(definition))
        .hasMessage("checked: its validator cannot say what is valid; use LambdaValidator.with");
  }

  private void define(
      String key, Type type, Object byDefault, Validator validator, String group, int order) {
    definition.define(
        key,
        type,
        byDefault,
        validator,
        Importance.LOW,
        "Doc of " + key + ".",
        group,
        order,
        Width.LONG,
        key);
  }
}
