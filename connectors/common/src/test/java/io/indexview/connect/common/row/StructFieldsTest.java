package io.indexview.connect.common.row;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

class StructFieldsTest {
  private static final Schema INNER =
      SchemaBuilder.struct()
          .field("city", Schema.STRING_SCHEMA)
          .field("zip", Schema.OPTIONAL_STRING_SCHEMA)
          .build();

  @Test
  void givesStructsInsideAsMaps() {
    Struct bern = new Struct(INNER).put("city", "Bern").put("zip", "3000");
    Schema schema =
        SchemaBuilder.struct()
            .field("one", INNER)
            .field("list", SchemaBuilder.array(INNER))
            .field("map", SchemaBuilder.map(Schema.STRING_SCHEMA, INNER))
            .field("text", Schema.STRING_SCHEMA)
            .build();
    Struct struct =
        new Struct(schema)
            .put("one", bern)
            .put("list", List.of(bern))
            .put("map", Map.of("home", bern))
            .put("text", "x");

    Map<String, Object> plain = Map.of("city", "Bern", "zip", "3000");
    var fields = StructFields.of(struct);

    assertThat(fields.apply("one")).isEqualTo(plain);
    assertThat(fields.apply("list")).isEqualTo(List.of(plain));
    assertThat(fields.apply("map")).isEqualTo(Map.of("home", plain));
    assertThat(fields.apply("text")).isEqualTo("x");
  }

  @Test
  void givesNullWhereASchemaHasADefault() {
    Schema state = SchemaBuilder.string().optional().defaultValue("NEW").build();
    Schema line = SchemaBuilder.struct().field("state", state).build();
    Schema schema = SchemaBuilder.struct().field("state", state).field("line", line).build();
    Struct struct = new Struct(schema).put("line", new Struct(line));

    assertThat(StructFields.of(struct).apply("state")).isNull();
    assertThat(StructFields.of(struct).apply("line")).hasToString("{state=null}");
  }
}
