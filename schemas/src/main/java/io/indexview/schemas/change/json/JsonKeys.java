package io.indexview.schemas.change.json;

import com.fasterxml.jackson.databind.JsonNode;
import io.indexview.schemas.change.MalformedEventException;
import io.indexview.schemas.change.PrimaryKeys;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;

/**
 * Keys in JSON as the texts that identify their records. Not safe for use by several threads.
 *
 * <p>Bytes and decimals are those only where a schema says so; without schemas they are the base64
 * that JsonConverter writes.
 */
final class JsonKeys {
  private static final HexFormat HEX = HexFormat.of();

  private final ConnectJson<Map<String, JsonNode>> messages =
      new ConnectJson<>("key", JsonKeys::binary);

  /** The schema of each field that is base64. */
  private static Map<String, JsonNode> binary(JsonNode schema) {
    Map<String, JsonNode> binary = new HashMap<>();
    schema
        .path("fields")
        .forEach(
            field -> {
              if (field.path("type").asText().equals("bytes")) {
                binary.put(field.path("field").asText(), field);
              }
            });
    return binary;
  }

  /** A key as its text in UTF-8. */
  byte[] key(byte[] message) throws MalformedEventException {
    JsonNode key;
    Map<String, JsonNode> binary;
    try {
      ConnectJson.Payload<Map<String, JsonNode>> payload = messages.payload(message);
      binary = payload.schema() == null ? Map.of() : payload.schema();
      key = messages.tree(payload);
    } catch (IOException e) {
      throw new MalformedEventException(
          "key: no JSON; with encoding=json keys must be written by JsonConverter (key.converter)",
          e);
    }
    return text(key, binary).getBytes(StandardCharsets.UTF_8);
  }

  private static String text(JsonNode key, Map<String, JsonNode> binary)
      throws MalformedEventException {
    if (!key.isObject()) {
      return scalar(key, "key");
    }
    List<String> texts = new ArrayList<>();
    for (Map.Entry<String, JsonNode> field : key.properties()) {
      String what = "key field \"" + field.getKey() + "\"";
      JsonNode schema = binary.get(field.getKey());
      texts.add(
          schema != null && field.getValue().isTextual()
              ? bytes(field.getValue(), schema, what)
              : scalar(field.getValue(), what));
    }
    return PrimaryKeys.text(texts);
  }

  private static String bytes(JsonNode base64, JsonNode schema, String what)
      throws MalformedEventException {
    if (schema.path("name").asText().equals(ConnectSchemas.DECIMAL)) {
      return decimal(base64, schema.path("parameters").path("scale").asInt(), false, what);
    }
    try {
      return HEX.formatHex(base64.binaryValue());
    } catch (IOException e) {
      throw new MalformedEventException(what + " is no base64", e);
    }
  }

  private static String scalar(JsonNode json, String what) throws MalformedEventException {
    if (json.isObject()
        && json.size() == 2
        && json.path("scale").isInt()
        && json.path("value").isTextual()) {
      return decimal(json.get("value"), json.get("scale").intValue(), true, what);
    }
    if (json.isTextual() || json.isNumber() || json.isBoolean()) {
      return json.isBigDecimal() ? text(json.decimalValue(), false, what) : json.asText();
    }
    throw new MalformedEventException(
        what
            + (json.isNull() || json.isMissingNode()
                ? " is null; a change event is keyed by its primary record"
                : " is neither text, number nor boolean"));
  }

  private static String decimal(JsonNode base64, int scale, boolean isOfAnyScale, String what)
      throws MalformedEventException {
    BigDecimal number;
    try {
      number = new BigDecimal(new BigInteger(base64.binaryValue()), scale);
    } catch (IOException | NumberFormatException e) {
      throw new MalformedEventException(what + " is no base64 of a decimal's digits", e);
    }
    return text(number, isOfAnyScale, what);
  }

  private static String text(BigDecimal number, boolean isOfAnyScale, String what)
      throws MalformedEventException {
    try {
      return PrimaryKeys.text(number, isOfAnyScale);
    } catch (ArithmeticException e) {
      throw new MalformedEventException(
          what + ": its exponent is none of a decimal; key the records by another column", e);
    } catch (IllegalArgumentException e) {
      throw new MalformedEventException(what + ": " + e.getMessage(), e);
    }
  }
}
