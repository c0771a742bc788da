package io.indexview.cli.output;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.fasterxml.jackson.dataformat.yaml.YAMLGenerator;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.fasterxml.jackson.dataformat.yaml.util.StringQuotingChecker;
import io.indexview.cli.api.CommandException;
import java.io.PrintWriter;
import java.util.function.Consumer;
import java.util.regex.Pattern;

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
   * @throws CommandException.OutputLost if it does not get where it is printed to
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
    if (out.checkError()) {
      throw new CommandException.OutputLost();
    }
  }

  /** A tree as YAML, ending in a line break. */
  public static String yaml(JsonNode tree) {
    YAMLMapper mapper =
        YAMLMapper.builder(YAMLFactory.builder().stringQuotingChecker(new Quoting()).build())
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

  /** Quotes also what is a text here, and would be read as a number or a time. */
  private static final class Quoting extends StringQuotingChecker.Default {
    private static final long serialVersionUID = 1L;

    /** Whole, with a point or an exponent, hexadecimal, octal, in sixties; of any YAML. */
    private static final Pattern NUMBER =
        Pattern.compile(
            "[-+]?[.0-9](?:[eE][-+]|[0-9a-fA-FxXoO_.:])*+|[-+]?\\.(?i:inf)|\\.(?i:nan)");

    /** A day, perhaps with a time of day; of YAML 1.1. */
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d?-\\d\\d?(?:[Tt \\t].*)?");

    @Override
    public boolean needToQuoteValue(String value) {
      return isReadAsOther(value) || super.needToQuoteValue(value);
    }

    @Override
    public boolean needToQuoteName(String name) {
      return isReadAsOther(name) || super.needToQuoteName(name);
    }

    private static boolean isReadAsOther(String text) {
      return NUMBER.matcher(text).matches() || TIME.matcher(text).matches();
    }
  }
}
