package io.indexview.schemas.change.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import org.apache.avro.JsonProperties;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ConnectSchemasTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  private static Schema record(String fields) throws IOException {
    return new ConnectSchemas()
        .record(
            JSON.readTree(
                "{'type':'struct','name':'shop.Order','fields':[%s]}"
                    .formatted(fields)
                    .replace('\'', '"')));
  }

  private static Schema.Field field(String connect) throws IOException {
    return record("{'field':'f'," + connect + "}").getField("f");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'type':'boolean','default':true | Boolean | true",
        "'type':'int16','default':3 | Integer | 3",
        "'type':'int64','default':-9223372036854775808 | Long | -9223372036854775808",
        "'type':'float','default':1.5 | Float | 1.5",
        "'type':'double','default':2.25 | Double | 2.25",
        "'type':'string','default':'x' | String | x",
      })
  void takesDefaults(String connect, String type, String value) throws IOException {
    Schema.Field required = field(connect);
    assertThat(required.defaultVal()).hasToString(value);
    assertThat(required.defaultVal().getClass().getSimpleName()).isEqualTo(type);
    assertThat(required.schema().isUnion()).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'type':'boolean','default':1",
        "'type':'int32','default':1.5",
        "'type':'int32','default':2147483648",
        "'type':'int64','default':1.5",
        "'type':'int64','default':9223372036854775808",
        "'type':'float','default':'1'",
        "'type':'double','default':'1'",
        "'type':'string','default':1",
        "'type':'bytes','default':1",
        "'type':'bytes','default':'%%%'",
        "'type':'int32'",
        "'type':'array','items':{'type':'int32'},'default':[1]",
      })
  void leavesOutDefaultsThatAvroHasNot(String connect) throws IOException {
    assertThat(field(connect).hasDefaultValue()).isFalse();
  }

  @Test
  void takesBytesOfDefaults() throws IOException {
    assertThat(field("'type':'bytes','default':'AQI='").defaultVal()).isEqualTo(new byte[] {1, 2});
  }

  @Test
  void putsTheTypeOfTheDefaultFirst() throws IOException {
    Schema.Field none = record("{'field':'a','type':'int32','optional':true}").getField("a");
    assertThat(none.schema()).hasToString("[\"null\",\"int\"]");
    assertThat(none.defaultVal()).isEqualTo(JsonProperties.NULL_VALUE);

    Schema.Field some = field("'type':'int32','optional':true,'default':7");
    assertThat(some.schema()).hasToString("[\"int\",\"null\"]");
    assertThat(some.defaultVal()).isEqualTo(7);
  }

  @Test
  void takesElementsThatMayBeNull() throws IOException {
    assertThat(field("'type':'array','items':{'type':'int32','optional':true}").schema())
        .hasToString("{\"type\":\"array\",\"items\":[\"null\",\"int\"]}");
    assertThat(
            record("{'field':'m','type':'map','keys':{'type':'string'},'values':{'type':'int32'}}")
                .getField("m")
                .schema())
        .hasToString("{\"type\":\"map\",\"values\":\"int\"}");
  }

  @ParameterizedTest
  @CsvSource({
    "org.apache.kafka.connect.data.Date, int32, date",
    "org.apache.kafka.connect.data.Time, int32, time-millis",
    "org.apache.kafka.connect.data.Timestamp, int64, timestamp-millis",
    "io.debezium.time.Date, int32, date",
    "io.debezium.time.MicroTimestamp, int64, timestamp-micros",
  })
  void takesLogicalTypesByName(String name, String type, String logical) throws IOException {
    Schema schema = field("'type':'%s','name':'%s'".formatted(type, name)).schema();

    assertThat(schema.getLogicalType().getName()).isEqualTo(logical);
    assertThat(schema.getProp("connect.name")).isEqualTo(name);
  }

  @Test
  void keepsNamesThatItDoesNotKnow() throws IOException {
    Schema schema = field("'type':'string','name':'io.debezium.data.Uuid'").schema();

    assertThat(schema.getLogicalType()).isNull();
    assertThat(schema.getProp("connect.name")).isEqualTo("io.debezium.data.Uuid");
  }

  @ParameterizedTest
  @CsvSource({"0, 10, 10", "2, 10, 10", "1000, 10, 1000", "0, 0, 1", "5, , 1000"})
  void takesDecimals(int scale, String precision, int digits) throws IOException {
    String more = precision == null ? "" : ",'connect.decimal.precision':'" + precision + "'";
    Schema schema =
        field(
                "'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'%d'%s}"
                    .formatted(scale, more))
            .schema();

    assertThat(schema.getLogicalType()).isEqualTo(LogicalTypes.decimal(digits, scale));
  }

  @ParameterizedTest
  @CsvSource({"-1", "1001"})
  void refusesDecimalsThatAvroHasNot(int scale) {
    assertThatThrownBy(
            () ->
                field(
                    "'type':'bytes','name':'org.apache.kafka.connect.data.Decimal','parameters':{'scale':'%d'}"
                        .formatted(scale)))
        .hasMessage(
            "field \"f\": a decimal of scale %d; set decimal.handling.mode=string or double in the connector",
            scale);
  }

  @Test
  void givesStructsOfOneNameNamesOfTheirOwn() throws IOException {
    Schema schema =
        record(
            """
            {'field':'a','type':'struct','name':'P','fields':[{'field':'x','type':'int32'}]},
            {'field':'b','type':'struct','name':'P','fields':[{'field':'y','type':'int32'}]},
            {'field':'c','type':'struct','name':'P','fields':[{'field':'z','type':'int32'}]},
            {'field':'d','type':'struct','name':'P','fields':[{'field':'y','type':'int32'}]}
            """);

    assertThat(schema.getFields())
        .extracting(field -> field.schema().getFullName())
        .containsExactly("P", "P_2", "P_3", "P_2");
  }

  @Test
  void refusesWhatAvroCannotSay() {
    assertThatThrownBy(() -> new ConnectSchemas().record(JSON.readTree("{\"type\":\"int32\"}")))
        .hasMessage("a record must be a struct, not of type \"int32\"");
    assertThatThrownBy(() -> record("{'field':'a-b','type':'int32'}"))
        .hasMessageStartingWith("field \"a-b\": Avro and views take names of A-Z a-z 0-9 _ alone");
    assertThatThrownBy(() -> field("'type':'map','keys':{'type':'int32'}"))
        .hasMessage("field \"f\": a map must have keys of type string");
    assertThatThrownBy(() -> field("'type':'any'"))
        .hasMessage("field \"f\": \"any\" is no type of Kafka Connect");
  }
}
