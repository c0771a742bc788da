package io.indexview.client.files;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where a page starts, as text without meaning to others: the search it belongs to, and the key of
 * the last item seen.
 */
final class PageToken {
  private static final ObjectMapper JSON =
      new ObjectMapper()
          .enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .enable(DeserializationFeature.USE_BIG_INTEGER_FOR_INTS);
  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};
  private static final String SEARCH = "search";
  private static final String START = "start";

  private PageToken() {}

  /**
   * @param start null: there is no next page
   */
  static String write(String search, Map<String, Object> start) {
    if (start == null) {
      return null;
    }
    Map<String, Object> token = new LinkedHashMap<>();
    token.put(SEARCH, search);
    token.put(START, start);
    try {
      return Base64.getUrlEncoder().withoutPadding().encodeToString(JSON.writeValueAsBytes(token));
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a key of text and numbers is always JSON", e);
    }
  }

  /**
   * @param token null: the first page
   * @throws IllegalArgumentException if it is no token of this search
   */
  static Map<String, Object> read(String search, String token) {
    if (token == null) {
      return null;
    }
    Map<String, Object> read;
    try {
      read = JSON.readValue(Base64.getUrlDecoder().decode(token), MAP);
    } catch (IOException | IllegalArgumentException e) {
      throw new IllegalArgumentException("page token: not one that a search gave", e);
    }
    if (!search.equals(read.get(SEARCH)) || !(read.get(START) instanceof Map<?, ?> start)) {
      throw new IllegalArgumentException(
          "page token: of another search; repeat the search that gave it");
    }
    Map<String, Object> key = new LinkedHashMap<>();
    start.forEach(
        (name, value) ->
            key.put(
                (String) name,
                value instanceof Number number ? new BigDecimal(number.toString()) : value));
    return key;
  }
}
