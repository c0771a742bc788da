package io.indexview.kvstore.value;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.kvstore.value.ValueDecoder.UndecodableException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonDecoderTest {
  private static final String FIELD = "{\"type\":\"record\",\"name\":\"R\",\"fields\":[%s]}";

  private static Schema schema(String type) {
    return new Schema.Parser()
        .parse(FIELD.formatted("{\"name\":\"x\",\"type\":%s}".formatted(type)));
  }

  private static GenericRecord decode(Schema schema, String json) throws UndecodableException {
    GenericRecord record =
        Values.decoder(ValueFormat.JSON, schema).decode(json.getBytes(StandardCharsets.UTF_8));
    assertThat(GenericData.get().validate(schema, record)).isTrue();
    return record;
  }

  private static Object x(String type, String json) throws UndecodableException {
    return decode(schema(type), "{\"x\":" + json + "}").get("x");
  }

  @Test
  void readsEveryType() throws UndecodableException {
    assertThat(x("\"boolean\"", "true")).isEqualTo(true);
    assertThat(x("\"int\"", "-5")).isEqualTo(-5);
    assertThat(x("\"long\"", "9223372036854775807")).isEqualTo(Long.MAX_VALUE);
    assertThat(x("\"float\"", "1.5")).isEqualTo(1.5f);
    assertThat(x("\"double\"", "1e300")).isEqualTo(1e300);
    assertThat(x("\"string\"", "\"\\ud83d\\ude00\"")).isEqualTo("😀");
    assertThat(x("\"bytes\"", "\"AAH/\"")).isEqualTo(ByteBuffer.wrap(new byte[] {0, 1, -1}));
    assertThat(x("{\"type\":\"array\",\"items\":\"int\"}", "[1,2]")).isEqualTo(List.of(1, 2));
    assertThat(x("{\"type\":\"map\",\"values\":\"int\"}", "{\"a\":1}")).isEqualTo(Map.of("a", 1));
    assertThat(x("{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\"]}", "\"A\"").toString())
        .isEqualTo("A");
    assertThat(x("[\"null\",\"long\"]", "null")).isNull();
    assertThat(x("[\"null\",\"long\"]", "7")).isEqualTo(7L);
    assertThat(x("[\"long\",\"string\"]", "\"7\"")).isEqualTo("7");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "int  | date                   | 2017-08-20                    | 17398",
        "int  | time-millis            | 00:00:01.5                    | 1500",
        "long | timestamp-millis       | 2017-08-20T00:00:00Z          | 1503187200000",
        "long | timestamp-millis       | 2017-08-20T02:00:00+02:00     | 1503187200000",
        "long | timestamp-micros       | 1969-12-31T23:59:59.999999Z   | -1",
        "long | local-timestamp-millis | 1970-01-01T00:00:00.001       | 1"
      })
  void readsTimesAsText(String type, String logical, String text, long number)
      throws UndecodableException {
    String schema = "{\"type\":\"%s\",\"logicalType\":\"%s\"}".formatted(type, logical);
    assertThat(((Number) x(schema, "\"" + text + "\"")).longValue()).isEqualTo(number);
    assertThat(((Number) x(schema, Long.toString(number))).longValue()).isEqualTo(number);
  }

  @Test
  void readsDecimals() throws UndecodableException {
    String bytes = "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":6,\"scale\":2}";
    String fixed =
        """
        {"type":"fixed","name":"F","size":8,"logicalType":"decimal","precision":6,"scale":2}\
        """;
    for (String number : List.of("-12.5", "\"-12.50\"", "-1250e-2")) {
      ByteBuffer plain = (ByteBuffer) x(bytes, number);
      assertThat(new BigInteger(plain.array())).isEqualTo(-1250);
      GenericFixed filled = (GenericFixed) x(fixed, number);
      assertThat(new BigDecimal(new BigInteger(filled.bytes()), 2)).isEqualTo("-12.50");
    }
    for (String wrong :
        List.of(
            "12.505",
            "12345",
            "\"a\"",
            "1e999999999",
            "1e-999999999",
            "\"" + "1".repeat(2000) + "\"")) {
      assertThatThrownBy(() -> x(bytes, wrong))
          .isInstanceOf(UndecodableException.class)
          .hasMessageContainingAll("x", "6 digits");
    }
  }

  /** Its type has no digit before the point, and 0 needs none. */
  @ParameterizedTest
  @ValueSource(strings = {"0", "0.0", "0.0000", "\"0\"", "0e999999999", "-0.0"})
  void readsZeroAsADecimalOfFractions(String zero) throws UndecodableException {
    String fractions =
        "{\"type\":\"bytes\",\"logicalType\":\"decimal\",\"precision\":3,\"scale\":3}";

    assertThat(((ByteBuffer) x(fractions, zero)).array()).containsExactly(0);
    assertThatThrownBy(() -> x(fractions, "1")).isInstanceOf(UndecodableException.class);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "\"int\"     | 1.5",
        "\"int\"     | 1.0",
        "\"int\"     | 2147483648",
        "\"int\"     | \"1\"",
        "\"int\"     | null",
        "\"int\"     | true",
        "\"long\"    | 9223372036854775808",
        "\"float\"   | 1e39",
        "\"double\"  | 1e309",
        "\"double\"  | -1e999999999",
        "\"double\"  | \"1.5\"",
        "\"double\"  | 9007199254740993",
        "\"double\"  | 1e-400",
        "\"float\"   | 16777217",
        "\"float\"   | 1e-46",
        "\"string\"  | 1",
        "\"string\"  | null",
        "\"string\"  | \"\\ud83d\"",
        "\"string\"  | \"\\ude00a\"",
        "\"bytes\"   | \"a b\"",
        "\"bytes\"   | [1]",
        "\"boolean\" | 1",
        "\"null\"    | 0",
        "[\"int\",\"string\"] | true",
        "[\"int\",\"string\"] | null",
        "{\"type\":\"enum\",\"name\":\"E\",\"symbols\":[\"A\"]} | \"B\"",
        "{\"type\":\"fixed\",\"name\":\"F\",\"size\":2} | \"AAH/\"",
        "{\"type\":\"int\",\"logicalType\":\"date\"} | \"20.8.2017\"",
        "{\"type\":\"int\",\"logicalType\":\"date\"} | \"+999999999-12-31\"",
        "{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"} | \"2017-08-20T00:00:00.0001Z\"",
        "{\"type\":\"long\",\"logicalType\":\"timestamp-millis\"} | \"2017-08-20T00:00:00\""
      })
  void namesTheFieldThatDoesNotFit(String type, String json) {
    assertThatThrownBy(() -> x(type, json))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("field x");
  }

  @Test
  void namesFieldsByTheirPath() {
    Schema nested =
        new Schema.Parser()
            .parse(
                FIELD.formatted(
                    """
                    {"name":"people","type":{"type":"array","items":{"type":"record","name":"P",
                      "fields":[{"name":"tags","type":{"type":"map","values":"int"}}]}}}\
                    """));
    assertThatThrownBy(
            () -> decode(nested, "{\"people\":[{\"tags\":{}},{\"tags\":{\"a\":\"b\"}}]}"))
        .hasMessageContaining("field people[1].tags.a");
    assertThatThrownBy(() -> decode(nested, "{\"people\":[{}]}"))
        .hasMessageContaining("field people[0].tags is missing");
  }

  @Test
  void takesDefaultsForWhatIsMissingAndNothingThatTheSchemaDoesNotKnow()
      throws UndecodableException {
    assertThat(decode(Values.PERSON, "{\"name\":\"Ada\",\"cost\":5}").get("org"))
        .hasToString("none");
    assertThatThrownBy(() -> decode(Values.PERSON, "{\"name\":\"Ada\"}"))
        .hasMessageContaining("field cost is missing");
    assertThatThrownBy(() -> decode(Values.PERSON, "{\"name\":\"Ada\",\"cost\":5,\"orgg\":\"x\"}"))
        .hasMessageContaining("field orgg is not in the schema test.Person");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "null",
        "[]",
        "5",
        "{",
        "{\"name\":\"Ada\",\"cost\":5} {}",
        "{\"name\":\"Ada\",\"name\":\"Bob\",\"cost\":5}",
        "{name:\"Ada\",\"cost\":5}",
        "{\"name\":\"Ada\",\"cost\":NaN}",
        "\ufeff{\"name\":\"Ada\",\"cost\":5}",
        "{\"name\":\"secret",
        "{\"name\":\"Ada\",\"cost\":5,\"other\":1e99999999999}",
        "{\"name\":\"Ada\",\"cost\":5,\"other\":[{\"x\":-1.5e-99999999999}]}",
        "{\"name\":\"secret\",\"cost\":1e99999999999}"
      })
  void refusesWhatIsNoObjectInJson(String text) {
    assertThatThrownBy(() -> decode(Values.PERSON, text))
        .isInstanceOf(UndecodableException.class)
        .hasMessageNotContainingAny("secret", "99999999999")
        .hasNoCause();
  }

  @Test
  void refusesWhatNestsWithoutEnd() {
    String deep = "{\"x\":" + "[".repeat(400_000);
    assertThatThrownBy(() -> decode(schema("\"int\""), deep))
        .isInstanceOf(UndecodableException.class);
  }

  /** Each level of what fits nothing would take twice as long as the one in it. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void givesUpOnUnionsInUnions() {
    Schema either =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "A", "fields": [
                  {"name": "x", "type": ["null", "A",
                    {"type": "record", "name": "B", "fields": [{"name": "x", "type": ["null", "A", "B"]}]}]}]}
                """);
    byte[] value = ("{\"x\":".repeat(100) + "1" + "}".repeat(100)).getBytes(StandardCharsets.UTF_8);

    assertThatThrownBy(() -> new JsonDecoder(either).decode(value))
        .isInstanceOf(UndecodableException.class)
        .hasMessageContaining("one of A, B");
  }
}
