package io.indexview.views.layout;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.views.layout.DynamoDbLayout.AttributeType;
import io.indexview.views.layout.DynamoDbLayout.KeyAttribute;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Items of DynamoDB as texts. */
final class ItemTexts {
  private static final ObjectMapper JSON = JsonMapper.builder().build();

  private ItemTexts() {}

  static String id(List<KeyAttribute> attributes, Map<String, ?> item) {
    try {
      return JSON.writeValueAsString(
          attributes.stream().map(attribute -> text(attribute, item)).toList());
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("text is always JSON", e);
    }
  }

  private static String text(KeyAttribute attribute, Map<String, ?> item) {
    String text = String.valueOf(item.get(attribute.name()));
    return attribute.type() == AttributeType.N ? plain(new BigDecimal(text)) : text;
  }

  private static String plain(BigDecimal number) {
    return number.stripTrailingZeros().toPlainString();
  }

  static Map<String, Object> key(List<KeyAttribute> attributes, String id) {
    String[] texts;
    try {
      texts = JSON.readValue(id, String[].class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("no id of an item: " + id, e);
    }
    if (texts == null || texts.length != attributes.size()) {
      throw new IllegalArgumentException("no id of an item: " + id);
    }
    Map<String, Object> key = new HashMap<>();
    for (KeyAttribute attribute : attributes) {
      String text = texts[key.size()];
      if (text == null) {
        throw new IllegalArgumentException("no id of an item: " + id);
      }
      key.put(attribute.name(), attribute.type() == AttributeType.N ? new BigDecimal(text) : text);
    }
    return key;
  }

  static byte[] content(Map<String, ?> item) {
    StringBuilder text = new StringBuilder();
    append(item, text);
    return text.toString().getBytes(StandardCharsets.UTF_8);
  }

  /** Each with a letter for its type, and texts with their lengths, so that no two are alike. */
  private static void append(Object value, StringBuilder text) {
    if (value instanceof Map<?, ?> map) {
      text.append('m').append(map.size()).append('{');
      Map<String, Object> sorted = new TreeMap<>();
      map.forEach((name, element) -> sorted.put(String.valueOf(name), element));
      sorted.forEach(
          (name, element) -> {
            append(name, text);
            append(element, text);
          });
    } else if (value instanceof List<?> list) {
      text.append('l').append(list.size()).append('[');
      list.forEach(element -> append(element, text));
    } else if (value instanceof byte[] bytes) {
      text.append('b').append(HexFormat.of().formatHex(bytes)).append(';');
    } else if (value instanceof Number number) {
      text.append('n').append(plain(new BigDecimal(number.toString()))).append(';');
    } else if (value instanceof Boolean bool) {
      text.append(bool ? 't' : 'f');
    } else {
      String string = String.valueOf(value);
      text.append('s').append(string.length()).append(':').append(string);
    }
  }
}
