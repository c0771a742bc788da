package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.indexview.views.definition.ViewFields;
import io.indexview.views.layout.KvPath.PrimaryKeyPath;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * What rows are told apart and compared by, read without the fields that they hold beside.
 *
 * @param primaryKey null if the row has none, as it must in a list
 */
record KvRowHead(String primaryKey, long revision, boolean isTombstone) {
  static final String DELETED = "_deleted";

  private static final JsonFactory JSON = new JsonFactory();

  /** Reads something out of the bytes of a record. */
  @FunctionalInterface
  interface Reading<T> {
    T read(JsonParser parser) throws IOException;
  }

  /**
   * Opens a record's value.
   *
   * @throws LayoutException if it is no JSON
   */
  static <T> T parse(byte[] value, Reading<T> reading) {
    try (JsonParser parser = JSON.createParser(value)) {
      return reading.read(parser);
    } catch (IOException e) {
      throw new LayoutException(
          "the row's value of %d bytes is not JSON".formatted(value.length), e);
    }
  }

  /**
   * The head of a record with one row.
   *
   * @throws LayoutException if it is no row
   */
  static KvRowHead of(byte[] value) {
    return parse(
        value,
        parser -> {
          parser.nextToken();
          return read(parser);
        });
  }

  /**
   * Reads an object to its end.
   *
   * @param parser at its beginning
   * @throws LayoutException if it is no row
   */
  static KvRowHead read(JsonParser parser) throws IOException {
    String primaryKey = null;
    Long revision = null;
    boolean isTombstone = false;
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
        JsonToken token = parser.nextToken();
        switch (name) {
          case ViewFields.PRIMARY_KEY -> primaryKey = primaryKey(parser);
          case ViewFields.REVISION ->
              revision = token == JsonToken.VALUE_NUMBER_INT ? parser.getLongValue() : null;
          case DELETED -> isTombstone = token == JsonToken.VALUE_TRUE;
          default -> parser.skipChildren();
        }
      }
    }
    if (revision == null) {
      throw new LayoutException("the row's value lacks " + ViewFields.REVISION);
    }
    return new KvRowHead(primaryKey, revision, isTombstone);
  }

  /**
   * The primary key.
   *
   * @throws LayoutException if the row has none
   */
  String requirePrimaryKey() {
    if (primaryKey == null) {
      throw new LayoutException("the row's value lacks " + ViewFields.PRIMARY_KEY);
    }
    return primaryKey;
  }

  /** Reads the primary key in either form, whichever the view has. */
  private static String primaryKey(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_STRING) {
      return parser.getText();
    } else if (parser.currentToken() != JsonToken.START_ARRAY) {
      parser.skipChildren();
      return null;
    }
    List<String> components = new ArrayList<>();
    boolean isText = true;
    while (parser.nextToken() != JsonToken.END_ARRAY) {
      isText &= parser.currentToken() == JsonToken.VALUE_STRING;
      components.add(parser.getText());
      parser.skipChildren();
    }
    return isText && !components.isEmpty() ? PrimaryKeyPath.join(components) : null;
  }
}
