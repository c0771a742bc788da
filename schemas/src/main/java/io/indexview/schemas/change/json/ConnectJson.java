package io.indexview.schemas.change.json;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.schemas.change.MalformedEventException;
import java.io.IOException;
import java.util.Arrays;

/**
 * Messages of JsonConverter: a payload, with its schema before it if schemas are enabled. Most
 * messages of a topic begin with the same schema, many times as long as the payload; those bytes
 * are compared, not parsed. Not safe for use by several threads.
 *
 * @param <T> what a schema comes to
 */
final class ConnectJson<T> {
  static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY)
          .build();

  private static final String SCHEMA = "schema";
  private static final String PAYLOAD = "payload";

  private final String part;
  private final Schemas<T> schemas;

  /** How the last message with a schema began, up to its payload; null: there was none. */
  private byte[] beginning;

  private T last;

  /** What becomes of schemas. */
  @FunctionalInterface
  interface Schemas<T> {
    T of(JsonNode schema) throws MalformedEventException;
  }

  /**
   * A payload within the bytes of its message.
   *
   * @param schema null: there is none
   */
  record Payload<T>(T schema, byte[] bytes, int offset, int length) {

    /** Stands before the first token. */
    JsonParser parser() throws IOException {
      return MAPPER.createParser(bytes, offset, length);
    }
  }

  /**
   * @param part of an event whose messages these are: {@code key} or {@code value}
   */
  ConnectJson(String part, Schemas<T> schemas) {
    this.part = part;
    this.schemas = schemas;
  }

  /**
   * Finds the payload of a message, without reading all of it.
   *
   * @throws IOException if the bytes are no JSON
   * @throws MalformedEventException if the schema cannot be used
   */
  Payload<T> payload(byte[] message) throws IOException, MalformedEventException {
    int end = message.length - 1;
    if (beginning != null
        && end > beginning.length
        && message[end] == '}'
        && Arrays.equals(message, 0, beginning.length, beginning, 0, beginning.length)) {
      return new Payload<>(last, message, beginning.length, end - beginning.length);
    }
    try (JsonParser in = MAPPER.createParser(message)) {
      return payload(message, in);
    }
  }

  private Payload<T> payload(byte[] message, JsonParser in)
      throws IOException, MalformedEventException {
    Payload<T> plain = new Payload<>(null, message, 0, message.length);
    if (in.nextToken() != JsonToken.START_OBJECT || !SCHEMA.equals(in.nextFieldName())) {
      return plain;
    }
    JsonToken first = in.nextToken();
    if (first != JsonToken.START_OBJECT && first != JsonToken.VALUE_NULL) {
      return plain;
    }
    JsonNode schema = tree(in);
    if (!PAYLOAD.equals(in.nextFieldName())) {
      return plain;
    }
    in.nextToken();
    int start = (int) in.currentTokenLocation().getByteOffset();
    in.skipChildren();
    if (in.nextToken() != JsonToken.END_OBJECT) {
      return plain;
    }
    int end = (int) in.currentTokenLocation().getByteOffset();
    requireEnd(in);
    if (start < 0) {
      throw new MalformedEventException("the JSON is not in UTF-8");
    }
    T known = null;
    if (first == JsonToken.START_OBJECT) {
      known = schemas.of(schema);
      beginning = Arrays.copyOf(message, start);
      last = known;
    }
    return new Payload<>(known, message, start, end - start);
  }

  /** The whole payload. */
  JsonNode tree(Payload<T> payload) throws IOException, MalformedEventException {
    try (JsonParser in = payload.parser()) {
      JsonNode tree = tree(in);
      if (tree == null) {
        throw new IOException("there is no JSON");
      }
      requireEnd(in);
      return tree;
    }
  }

  /**
   * The value that a parser stands at, or before.
   *
   * @return null: there is none
   */
  JsonNode tree(JsonParser in) throws IOException, MalformedEventException {
    try {
      return in.readValueAsTree();
    } catch (NumberFormatException e) {
      // It quotes the number.
      throw new MalformedEventException(
          "%1$s: the JSON holds a number with too large an exponent, which JsonConverter (%1$s.converter) never writes; have its producer write a smaller one"
              .formatted(part));
    }
  }

  static void requireEnd(JsonParser in) throws IOException {
    if (in.nextToken() != null) {
      throw new IOException("there is more behind the end of the JSON");
    }
  }
}
