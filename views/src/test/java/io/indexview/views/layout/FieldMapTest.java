package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import org.junit.jupiter.api.Test;

class FieldMapTest {
  private static final FieldMap.Names NAMES = new FieldMap.Names(List.of("org", "born", "a\"ü"));

  private final Map<String, Object> fields = new FieldMap(NAMES, new Object[] {"Support", null, 7});
  private final Map<String, Object> same = new LinkedHashMap<>();

  FieldMapTest() {
    same.put("org", "Support");
    same.put("born", null);
    same.put("a\"ü", 7);
  }

  @Test
  void isAMapInTheOrderOfTheFields() {
    assertThat(fields).isEqualTo(same).hasSameHashCodeAs(same).hasToString(same.toString());
    assertThat(same).isEqualTo(fields);
    assertThat(new ArrayList<>(fields.keySet())).containsExactly("org", "born", "a\"ü");
    assertThat(new ArrayList<>(fields.values())).containsExactly("Support", null, 7);
    assertThat(fields.get("org")).isEqualTo("Support");
    assertThat(fields.get("born")).isNull();
    assertThat(fields).containsKey("born").doesNotContainKey("city");
    assertThat(fields.get("city")).isNull();
    assertThat(fields.get(null)).isNull();
    assertThat(fields).isNotEqualTo(new FieldMap(NAMES, new Object[] {"Support", null, 8}));
  }

  @Test
  void isWrittenAsAnyMap() throws IOException {
    assertThat(json(fields))
        .isEqualTo(json(same))
        .isEqualTo("{\"org\":\"Support\",\"born\":null,\"a\\\"ü\":7}");
    assertThat(JsonValues.toJson(fields)).hasToString(json(same));
  }

  private static String json(Map<String, Object> fields) throws IOException {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = new JsonFactory().createGenerator(text)) {
      JsonValues.write(fields, json);
    }
    return text.toString();
  }

  @Test
  void cannotBeChanged() {
    Iterator<Map.Entry<String, Object>> entries = fields.entrySet().iterator();
    Map.Entry<String, Object> first = entries.next();

    assertThatThrownBy(() -> fields.put("org", "Sales"))
        .isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(fields::clear).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(entries::remove).isInstanceOf(UnsupportedOperationException.class);
    assertThatThrownBy(() -> first.setValue("Sales"))
        .isInstanceOf(UnsupportedOperationException.class);
    entries.next();
    entries.next();
    assertThatThrownBy(entries::next).isInstanceOf(NoSuchElementException.class);
    assertThat(fields).isEqualTo(same);
  }
}
