package io.indexview.cli.view;

import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import io.indexview.cli.api.ApiPath;
import io.indexview.cli.api.CommandException;
import io.indexview.cli.api.ServerClient.Body;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.stream.Collectors;

/**
 * A view definition from a file. Only its name is looked at here; the server says what is wrong
 * with the rest.
 *
 * @param origin names it in messages
 */
record DefinitionFile(String origin, String view, Body body) {
  private static final Path STANDARD_INPUT = Path.of("-");

  /**
   * Reads a file, {@code -} for standard input.
   *
   * @throws CommandException.Usage if it cannot be read, or names no view
   */
  static DefinitionFile read(Path file, InputStream standardInput) {
    String origin = file.equals(STANDARD_INPUT) ? "standard input" : file.toString();
    try {
      String text =
          file.equals(STANDARD_INPUT)
              ? new String(standardInput.readAllBytes(), StandardCharsets.UTF_8)
              : Files.readString(file);
      boolean json = text.stripLeading().startsWith("{");
      ObjectMapper mapper = json ? JsonMapper.builder().build() : new YAMLMapper();
      String name = name(mapper.readTree(text), origin);
      return new DefinitionFile(
          origin, name, new Body(text, json ? "application/json" : "application/yaml"));
    } catch (JsonProcessingException e) {
      throw new CommandException.Usage(
          "%s is neither JSON nor YAML: %s".formatted(origin, cause(e)), e);
    } catch (NoSuchFileException e) {
      throw new CommandException.Usage("there is no file " + origin, e);
    } catch (CharacterCodingException e) {
      throw new CommandException.Usage(origin + " is no text in UTF-8", e);
    } catch (IOException e) {
      throw new CommandException.Usage(
          "%s cannot be read: %s".formatted(origin, e.getMessage()), e);
    }
  }

  /** Cause without the excerpt, whose lines would stand under a message of one line. */
  private static String cause(JsonProcessingException failure) {
    String text =
        failure
            .getOriginalMessage()
            .lines()
            .map(String::strip)
            .filter(line -> !line.isEmpty() && !line.equals("^") && !line.startsWith("in '"))
            .collect(Collectors.joining(", "));
    JsonLocation place = failure.getLocation();
    return place == null
        ? text
        : "%s (line %d, column %d)".formatted(text, place.getLineNr(), place.getColumnNr());
  }

  private static String name(JsonNode definition, String origin) {
    JsonNode name = definition.path("name");
    if (!name.isTextual() || name.textValue().isEmpty()) {
      throw new CommandException.Usage(origin + " has no property \"name\"; give the view one");
    }
    return name.textValue();
  }

  ApiPath path() {
    return ApiPath.of("views", view);
  }
}
