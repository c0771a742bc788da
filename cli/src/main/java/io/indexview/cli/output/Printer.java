package io.indexview.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import java.io.PrintWriter;
import java.util.function.Consumer;

/**
 * Prints answers: as a table for people, or as the server gave them.
 *
 * @param out where to
 */
public record Printer(PrintWriter out, Format format) {
  /**
   * Prints an answer.
   *
   * @param table prints it for people
   */
  public void print(JsonNode answer, Consumer<PrintWriter> table) {
    switch (format) {
      case TABLE -> table.accept(out);
      case JSON ->
          out.println(text(JsonMapper.builder().build().writerWithDefaultPrettyPrinter(), answer));
      case YAML -> {
        out.println("---");
        out.print(yaml(answer));
      }
    }
    out.flush();
  }

  /** A tree as YAML, ending in a line break. */
  public static String yaml(JsonNode tree) {
    YAMLMapper mapper =
        YAMLMapper.builder()
            .disable(YAMLGenerator.Feature.WRITE_DOC_START_MARKER)
            .enable(YAMLGenerator.Feature.MINIMIZE_QUOTES)
            .build();
    return text(mapper.writer(), tree);
  }

  private static String text(ObjectWriter writer, JsonNode tree) {
    try {
      return writer.writeValueAsString(tree);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }

  /** How a command prints what it has learnt. */
  public enum Format {
    TABLE,
    JSON,
    YAML
  }
}
