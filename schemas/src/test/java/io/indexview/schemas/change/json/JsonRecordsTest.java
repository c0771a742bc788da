package io.indexview.schemas.change.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.indexview.schemas.change.MalformedEventException;
import java.io.IOException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.DecoderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonRecordsTest {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private static Schema record(String type) {
    return new Schema.Parser()
        .parse(
            "{\"type\":\"record\",\"name\":\"R\",\"fields\":[{\"name\":\"f\",\"type\":%s}]}"
                .formatted(type.replace('\'', '"')));
  }

  private static byte[] write(Schema schema, String json)
      throws IOException, MalformedEventException {
    return new JsonRecords(schema).write(JSON.readTree(json.replace('\'', '"')));
  }

  private static Object read(String type, String json) throws Exception {
    Schema schema = record(type);
    byte[] bytes = write(schema, "{'f':%s}".formatted(json));
    GenericRecord record =
        new GenericDatumReader<GenericRecord>(schema)
            .read(null, DecoderFactory.get().binaryDecoder(bytes, null));
    return record.get("f");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "{'type':'enum','name':'E','symbols':['A','B']} | 'C' | is a text; it must be one of A, B",
        "{'type':'enum','name':'E','symbols':['A','B']} | 1 | is a whole number; it must be one of A, B",
        "'boolean' | 'true' | is a text; it must be true or false",
        "'string' | false | is true or false; it must be a text",
        "'int' | 1.5 | is a number with a fraction; it must be a whole number",
        "'int' | 'x' | is a text; it must be a whole number",
        "'int' | 2147483648 | is out of the range of int, of 32 bits; give it a wider type",
        "'long' | 9223372036854775808 | is out of the range of long, of 64 bits; give it a wider type",
        "'float' | 3.5e38 | is out of the range of its type",
        "'double' | 1e309 | is out of the range of its type",
        "'double' | '1.5' | is a text; it must be a number (decimals that the connector writes as text have the type string)",
        "'bytes' | 7 | is a whole number; it must be base64 text",
        "'bytes' | '%%%' | is no base64",
        "{'type':'fixed','name':'F','size':2} | 'AQID' | must have 2 bytes",
        "{'type':'fixed','name':'F','size':2} | '%%%' | is no base64",
        "{'type':'array','items':'int'} | {} | is an object; it must be an array",
        "{'type':'map','values':'int'} | [] | is an array; it must be an object",
        "{'type':'record','name':'Q','fields':[]} | null | is null; it must be an object",
        "{'type':'bytes','logicalType':'decimal','precision':4,'scale':2} | 100 | is out of the range of its type, a decimal of 4 digits, 2 of them behind the point",
        "{'type':'bytes','logicalType':'decimal','precision':4,'scale':2} | 1.234 | has more than 2 digits behind the point, the scale of its type",
        "{'type':'bytes','logicalType':'decimal','precision':4,'scale':2} | '' | is no number and no base64 of a decimal's digits; with decimal.handling.mode=string its type is string, with double it is double",
      })
  void namesTheFieldThatDoesNotFit(String type, String json, String message) {
    assertThatThrownBy(() -> write(record(type), "{'f':%s}".formatted(json)))
        .isInstanceOf(MalformedEventException.class)
        .hasMessage("value: field \"f\" " + message);
  }

  @Test
  void namesElementsOfArraysAndMaps() {
    assertThatThrownBy(
            () -> write(record("{'type':'array','items':'int'}"), "{'f':[1,'x',2,true]}"))
        .hasMessage(
            "value: field \"f[1]\" is a text; it must be a whole number; field \"f[3]\" is true or false; it must be a whole number");
    assertThatThrownBy(
            () -> write(record("{'type':'map','values':'int'}"), "{'f':{'a':1,'b':'x'}}"))
        .hasMessage("value: field \"f.b\" is a text; it must be a whole number");
  }

  @Test
  void namesEachFieldThatDoesNotFit() {
    Schema two =
        new Schema.Parser()
            .parse(
                """
                {"type":"record","name":"R","fields":[
                  {"name":"a","type":"int"},{"name":"b","type":{"type":"fixed","name":"F","size":2}}]}
                """);

    assertThatThrownBy(() -> write(two, "{'a':true,'b':'AQID'}"))
        .hasMessage(
            "value: field \"a\" is true or false; it must be a whole number; field \"b\" must have 2 bytes");
  }

  @Test
  void namesTenFieldsAtMost() throws Exception {
    Schema array = record("{'type':'array','items':'int'}");

    assertThatThrownBy(() -> write(array, texts(10)))
        .message()
        .doesNotContain("more")
        .contains("[9]");
    assertThatThrownBy(() -> write(array, texts(11)))
        .message()
        .contains("[9]")
        .doesNotContain("[10]")
        .endsWith("; and 1 more");
    assertThatThrownBy(() -> write(array, texts(13))).message().endsWith("; and 3 more");
  }

  private static String texts(int count) {
    return IntStream.range(0, count)
        .mapToObj(unused -> "'x'")
        .collect(Collectors.joining(",", "{'f':[", "]}"));
  }

  @Test
  void knowsNothingOfARecordBefore() throws Exception {
    JsonRecords records = new JsonRecords(record("'int'"));
    assertThatThrownBy(() -> records.write(JSON.readTree("{\"f\":true}")))
        .isInstanceOf(MalformedEventException.class);

    assertThat(records.write(JSON.readTree("{\"f\":1}"))).containsExactly(2);
    assertThat(records.write(JSON.readTree("{\"f\":2}"))).containsExactly(4);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '~',
      value = {
        "'int' | 2147483647 | 2147483647",
        "'float' | 3.4028234663852886E38 | 3.4028235E38",
        "'double' | -1.7976931348623157E308 | -1.7976931348623157E308",
        "'double' | 'NaN' | NaN",
        "'float' | '-Infinity' | -Infinity",
        "'double' | 'Infinity' | Infinity",
        "{'type':'enum','name':'E','symbols':['A','B']} | 'B' | B",
        "{'type':'array','items':'int'} | [1, 2] | [1, 2]",
        "{'type':'map','values':['null','string']} | {'a':null} | {a=null}",
        "['string','null'] | null | null",
        "{'type':'fixed','name':'F','size':2} | 'AQI=' | [1, 2]",
      })
  void writesWhatFits(String type, String json, String value) throws Exception {
    assertThat(String.valueOf(read(type, json))).isEqualTo(value);
  }

  @ParameterizedTest
  @CsvSource({"99.99,'27,0f'", "-99.99,'d8,f1'", "0e40,'00'", "1.20,'78'", "1e1,'03,e8'"})
  void writesDecimalsWithTheScaleOfTheirType(String number, String hex) throws Exception {
    Schema schema = record("{'type':'bytes','logicalType':'decimal','precision':4,'scale':2}");
    byte[] digits = new byte[(hex.length() + 1) / 3];
    for (int i = 0; i < digits.length; i++) {
      digits[i] = (byte) Integer.parseInt(hex.substring(3 * i, 3 * i + 2), 16);
    }

    byte[] written = write(schema, "{'f':%s}".formatted(number));

    assertThat(written).startsWith((byte) (2 * digits.length)).endsWith(digits);
    assertThat(written).hasSize(1 + digits.length);
  }

  @Test
  void refusesSchemasThatJsonCannotSay() {
    assertThatThrownBy(() -> new JsonRecords(Schema.create(Schema.Type.INT)))
        .hasMessage("a primary record's schema must be an Avro record, not int");
    assertThatThrownBy(() -> new JsonRecords(record("['int','string']")))
        .hasMessageContaining("is one of [int, string]; JSON does not say which");
    assertThatThrownBy(
            () ->
                new JsonRecords(
                    record(
                        "{'type':'fixed','name':'D','size':4,'logicalType':'decimal','precision':4,'scale':2}")))
        .hasMessageContaining("a decimal must have the type bytes, not fixed");
    assertThatCode(() -> new JsonRecords(record("['null','int']"))).doesNotThrowAnyException();
  }
}
