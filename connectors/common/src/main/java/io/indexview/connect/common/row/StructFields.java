package io.indexview.connect.common.row;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.apache.kafka.connect.data.Field;
import org.apache.kafka.connect.data.Struct;

/** Fields of a struct as layouts take them: structs inside it as maps, nulls as nulls. */
public final class StructFields {
  private StructFields() {}

  public static Function<String, Object> of(Struct struct) {
    return name -> plain(struct.getWithoutDefault(name));
  }

  private static Object plain(Object value) {
    if (value instanceof Struct struct) {
      Map<String, Object> fields = new LinkedHashMap<>();
      for (Field field : struct.schema().fields()) {
        fields.put(field.name(), plain(struct.getWithoutDefault(field.name())));
      }
      return fields;
    } else if (value instanceof List<?> list) {
      List<Object> elements = new ArrayList<>(list.size());
      list.forEach(element -> elements.add(plain(element)));
      return elements;
    } else if (value instanceof Map<?, ?> map) {
      Map<Object, Object> entries = new LinkedHashMap<>();
      map.forEach((key, entry) -> entries.put(key, plain(entry)));
      return entries;
    }
    return value;
  }
}
