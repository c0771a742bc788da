package io.indexview.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class TextTableTest {
  private static String[] printed(TextTable table) {
    StringWriter text = new StringWriter();
    table.print(new PrintWriter(text));
    return text.toString().split(System.lineSeparator());
  }

  @Test
  void alignsTextLeftAndNumbersRight() {
    TextTable table = new TextTable("view", "rows").row("a", 12_345L).row("longer", 7);

    assertThat(printed(table))
        .containsExactly(
            "  view      rows", "  ------  ------", "  a       12,345", "  longer       7");
  }

  @Test
  void cutsWhatIsTooLong() {
    assertThat(printed(new TextTable("x").row("y".repeat(100)))[2]).hasSize(2 + 72).endsWith("…");
  }

  @Test
  void refusesARowOfAnotherWidth() {
    TextTable table = new TextTable("a", "b");
    assertThatIllegalArgumentException().isThrownBy(() -> table.row("only one"));
  }
}
