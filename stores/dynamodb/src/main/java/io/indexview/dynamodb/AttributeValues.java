package io.indexview.dynamodb;

import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Plain Java values to attribute values and back. */
final class AttributeValues {
  private static final AttributeValue NULL = AttributeValue.fromNul(true);

  private AttributeValues() {}

  static Map<String, AttributeValue> of(Map<String, ?> item) {
    Map<String, AttributeValue> attributes = new LinkedHashMap<>(item.size() * 2);
    item.forEach(
        (name, value) -> {
          if (value != null) {
            attributes.put(name, valueOf(name, value));
          }
        });
    return attributes;
  }

  static AttributeValue valueOf(String name, Object value) {
    if (value instanceof String text) {
      return AttributeValue.fromS(text);
    }
    if (value instanceof Number number) {
      return AttributeValue.fromN(number(name, number));
    }
    if (value instanceof Boolean flag) {
      return AttributeValue.fromBool(flag);
    }
    if (value instanceof byte[] bytes) {
      return AttributeValue.fromB(SdkBytes.fromByteArray(bytes));
    }
    if (value instanceof ByteBuffer bytes) {
      return AttributeValue.fromB(SdkBytes.fromByteBuffer(bytes));
    }
    if (value instanceof List<?> list) {
      return AttributeValue.fromL(
          list.stream().map(element -> element == null ? NULL : valueOf(name, element)).toList());
    }
    if (value instanceof Map<?, ?> map) {
      return AttributeValue.fromM(nested(name, map));
    }
    throw new ItemStoreException.Rejected(
        "attribute %s: a %s cannot be stored".formatted(name, value.getClass().getName()), null);
  }

  private static Map<String, AttributeValue> nested(String name, Map<?, ?> map) {
    Map<String, AttributeValue> attributes = new LinkedHashMap<>(map.size() * 2);
    map.forEach(
        (key, value) -> {
          if (value != null) {
            attributes.put(key.toString(), valueOf(name + "." + key, value));
          }
        });
    return attributes;
  }

  private static String number(String name, Number number) {
    if (number instanceof Double || number instanceof Float) {
      if (!Double.isFinite(number.doubleValue())) {
        throw new ItemStoreException.Rejected(
            "attribute %s: %s is not a number that DynamoDB can hold".formatted(name, number),
            null);
      }
    }
    return number.toString();
  }

  static Map<String, Object> toItem(Map<String, AttributeValue> attributes) {
    Map<String, Object> item = new LinkedHashMap<>(attributes.size() * 2);
    attributes.forEach((name, value) -> item.put(name, toValue(value)));
    return item;
  }

  private static Object toValue(AttributeValue value) {
    return switch (value.type()) {
      case S -> value.s();
      case N -> new BigDecimal(value.n());
      case BOOL -> value.bool();
      case B -> value.b().asByteArray();
      case L -> value.l().stream().map(AttributeValues::toValue).toList();
      case M -> toItem(value.m());
      case SS -> List.copyOf(value.ss());
      case NS -> value.ns().stream().map(BigDecimal::new).toList();
      case BS -> value.bs().stream().map(SdkBytes::asByteArray).toList();
      case NUL -> null;
      case UNKNOWN_TO_SDK_VERSION ->
          throw new ItemStoreException.Rejected("an attribute of an unknown type", null);
    };
  }
}
