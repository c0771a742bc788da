package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.Samples;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Texts are looked through several bytes at a time: what ends them may stand anywhere. */
class KvRowPlanTest {
  private static final int MAX_LENGTH = 20;
  private static final Map<String, Object> KEY = Map.of("org", "Support", "_primaryKey", "/ann");

  private final KvLayout layout =
      KvLayout.of(Samples.people("key: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv\n"));
  private final KvPath path = layout.path(KEY::get);

  private byte[] stored(String name) {
    return layout.value(KEY::get, field -> name, 1);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\"", "\\", "\n", "\u0000", "\u001f", " ", "!", "#", "[", "]", "~", "\u007f", "\u0080", "ÿ",
        "€", "😀"
      })
  void readsWhateverStandsAnywhereInAText(String what) {
    for (int length = 0; length < MAX_LENGTH; length++) {
      for (int at = 0; at <= length; at++) {
        String name = "x".repeat(at) + what + "y".repeat(length - at);

        assertThat(layout.row(path, stored(name)).values()).containsEntry("name", name);
        assertThat(layout.isPlainRow(path, stored(name))).isTrue();
      }
    }
  }

  /** JSON has them as escapes only. */
  @ParameterizedTest
  @ValueSource(strings = {"\n", "\u0000", "\u001f"})
  void refusesControlCharactersAnywhereInAText(String control) {
    for (int at = 0; at < MAX_LENGTH; at++) {
      String row =
          new String(
              stored("x".repeat(at) + "_" + "y".repeat(MAX_LENGTH - at)), StandardCharsets.UTF_8);
      byte[] value =
          row.replace("x_", "x" + control)
              .replace("\"_y", "\"" + control + "y")
              .getBytes(StandardCharsets.UTF_8);

      assertThat(layout.isPlainRow(path, value)).isFalse();
      assertThatThrownBy(() -> layout.row(path, value)).isInstanceOf(LayoutException.class);
    }
  }

  @Test
  void refusesATextThatDoesNotEnd() {
    byte[] whole = stored("x".repeat(MAX_LENGTH));
    for (int length = 0; length < whole.length; length++) {
      byte[] cut = Arrays.copyOf(whole, length);

      assertThat(layout.isPlainRow(path, cut)).isFalse();
      assertThatThrownBy(() -> layout.row(path, cut)).isInstanceOf(LayoutException.class);
    }
  }

  @Test
  void refusesNumbersThatAreTooLargeForTheirField() {
    KvLayout rated =
        KvLayout.of(
            Samples.people("key: [org]\ninclude: [rating]\nlayout: key-value\ntarget: kv\n"));
    String row = new String(rated.value(KEY::get, name -> 1.5E300, 1), StandardCharsets.UTF_8);
    byte[] tooLarge = row.replace("E300", "E400").getBytes(StandardCharsets.UTF_8);

    assertThat(rated.isPlainRow(path, row.getBytes(StandardCharsets.UTF_8))).isTrue();
    assertThat(rated.isPlainRow(path, tooLarge)).isFalse();
    assertThatThrownBy(() -> rated.row(path, tooLarge))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("rating");
  }
}
