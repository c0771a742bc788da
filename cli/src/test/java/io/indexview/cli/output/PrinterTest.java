package io.indexview.cli.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.output.Printer.Format;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class PrinterTest {
  private static final JsonNode ANSWER = JsonNodeFactory.instance.objectNode().put("name", "Ann");

  /** A post code is no number, and begins with 0. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "01234", "7", "-7", "+7", "1.5", "1.", ".5", "1e5", "1.0e+5", "1E-5", "0x1F", "0o17",
            "1_000",
        "12:30:45", ".inf", "-.INF", ".NaN", "true", "no", "Null", "~", "", " a", "a ", "a\nb",
            "a: b",
        "#a", "- a", "-", "2017-08-20", "Dublin", "\u00e9", "a\tb", "!a", "&a", "*a", "@a", "%a",
            "|",
        "'", "\"", "{a", "[a", "? a", "=", "<<"
      })
  void keepsTextsTextsInYaml(String text) throws IOException {
    ObjectNode tree = JsonNodeFactory.instance.objectNode().put("value", text).put(text, "name");

    assertThat(new YAMLMapper().readTree(Printer.yaml(tree))).isEqualTo(tree);
  }

  @ParameterizedTest
  @ValueSource(strings = {"Dublin", "/World/people/1", "2017-08-20-a", "v1~topic~0~5"})
  void quotesNoMoreThanItMust(String text) {
    assertThat(Printer.yaml(JsonNodeFactory.instance.objectNode().put("value", text)))
        .isEqualTo("value: " + text + "\n");
  }

  /** Readers of YAML 1.1 make dates and times of them. */
  @ParameterizedTest
  @ValueSource(
      strings = {"2017-08-20", "2017-8-2", "2017-08-20T09:30:00Z", "2017-08-20 09:30:00.5 +02:00"})
  void quotesDatesAndTimes(String text) {
    assertThat(Printer.yaml(JsonNodeFactory.instance.objectNode().put("value", text).put(text, 1)))
        .isEqualTo("value: \"%s\"\n\"%s\": 1\n".formatted(text, text));
  }

  @Test
  void quotesDigitsHoweverManyThereAre() {
    String digits = "0".repeat(100_000);

    assertThat(Printer.yaml(JsonNodeFactory.instance.objectNode().put("value", digits)))
        .isEqualTo("value: \"" + digits + "\"\n");
  }

  /** As head does when it has seen enough, and a disk that is full. */
  @ParameterizedTest
  @EnumSource
  void saysThatNobodyTakesWhatItPrints(Format format) {
    OutputStream closed =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            throw new IOException("Broken pipe");
          }
        };
    PrintWriter out = new PrintWriter(closed, true, StandardCharsets.UTF_8);

    assertThatThrownBy(() -> new Printer(out, format).print(ANSWER, table -> table.println("Ann")))
        .isInstanceOf(CommandException.OutputLost.class)
        .hasMessageContaining("standard output");
  }

  @Test
  void saysNothingWhereAllIsPrinted() {
    PrintWriter out =
        new PrintWriter(OutputStream.nullOutputStream(), true, StandardCharsets.UTF_8);

    new Printer(out, Format.JSON).print(ANSWER, table -> {});

    assertThat(out.checkError()).isFalse();
  }
}
