package io.indexview.cli;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.cli.api.UsageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** JSON on a command line. */
final class JsonArgument {
  private static final String STANDARD_INPUT = "-";

  /** What follows the first value would be lost without a word. */
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private JsonArgument() {}

  /**
   * Reads it; {@code -} is what the standard input holds.
   *
   * @param what for messages, as in {@code the record}
   * @throws UsageException if it is no JSON, or more than one value
   */
  static JsonNode read(String argument, String what, String remedy) {
    try {
      String text =
          argument.equals(STANDARD_INPUT)
              ? new String(System.in.readAllBytes(), StandardCharsets.UTF_8)
              : argument;
      return JSON.readTree(text);
    } catch (JsonProcessingException e) {
      throw new UsageException(
          "%s is not JSON: %s; %s".formatted(what, e.getOriginalMessage(), remedy), e);
    } catch (IOException e) {
      throw new UsageException("standard input cannot be read: " + e.getMessage(), e);
    }
  }
}
