package io.indexview.schemas.serde;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NestingTest {
  private static final String DIRECTLY = "[\"null\", \"Node\"]";
  private static final String IN_AN_ARRAY = "{\"type\": \"array\", \"items\": \"Node\"}";
  private static final String IN_A_MAP = "{\"type\": \"map\", \"values\": \"Node\"}";

  private static Schema node(String next) {
    return new Schema.Parser()
        .parse(
            """
            {"type": "record", "name": "Node", "fields": [
              {"name": "a", "type": {"type": "record", "name": "Leaf", "fields": []}},
              {"name": "b", "type": "Leaf"},
              {"name": "next", "type": %s}]}
            """
                .formatted(next));
  }

  private static GenericRecord nested(Schema schema, int records) {
    Schema.Type type = schema.getField("next").schema().getType();
    GenericRecord outer = null;
    for (int i = 0; i < records; i++) {
      GenericRecord node = new GenericData.Record(schema);
      if (outer != null) {
        node.put(
            "next",
            switch (type) {
              case ARRAY -> List.of(outer);
              case MAP -> Map.of("next", outer);
              default -> outer;
            });
      }
      outer = node;
    }
    return outer;
  }

  @Test
  void countsRecords() {
    Schema schema = node(DIRECTLY);
    Nesting nesting = new Nesting(schema);

    assertThat(nesting.isTooDeep(nested(schema, Nesting.MAX_LEVELS))).isFalse();
    assertThat(nesting.isTooDeep(nested(schema, Nesting.MAX_LEVELS + 1))).isTrue();
    assertThat(nesting.isTooDeep(nested(schema, 100_000))).isTrue();
  }

  @ParameterizedTest
  @ValueSource(strings = {IN_AN_ARRAY, IN_A_MAP})
  void countsWhatRecordsLieIn(String next) {
    Schema schema = node(next);
    Nesting nesting = new Nesting(schema);

    assertThat(nesting.isTooDeep(nested(schema, Nesting.MAX_LEVELS / 2))).isFalse();
    assertThat(nesting.isTooDeep(nested(schema, Nesting.MAX_LEVELS / 2 + 1))).isTrue();
  }

  /** Types that come twice are no types that hold themselves. */
  @Test
  void looksAtNoRecordOfASchemaThatEnds() {
    Schema schema = node("\"Leaf\"");
    GenericRecord record =
        new GenericData.Record(schema) {
          @Override
          public Object get(int position) {
            throw new AssertionError("looked at");
          }
        };

    assertThat(new Nesting(schema).isTooDeep(record)).isFalse();
  }
}
