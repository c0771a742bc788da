package io.indexview.server.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.indexview.schemas.serde.Nesting;
import io.indexview.schemas.serde.UnionAttempts;
import io.indexview.server.json.Json;
import io.indexview.server.problem.ProblemDetails;
import io.indexview.server.problem.ProblemException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.avro.util.RandomData;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonRecordTest {
  private static final Schema ALL =
      new Schema.Parser()
          .parse(
              """
              {"type": "record", "name": "All", "fields": [
                {"name": "text", "type": "string"},
                {"name": "number", "type": "int"},
                {"name": "big", "type": "long"},
                {"name": "part", "type": "float"},
                {"name": "real", "type": "double"},
                {"name": "flag", "type": "boolean"},
                {"name": "raw", "type": "bytes"},
                {"name": "hash", "type": {"type": "fixed", "name": "Hash", "size": 3}},
                {"name": "price", "type":
                  {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
                {"name": "day", "type": {"type": "int", "logicalType": "date"}},
                {"name": "at", "type": {"type": "long", "logicalType": "timestamp-millis"}},
                {"name": "exactly", "type": {"type": "long", "logicalType": "timestamp-micros"}},
                {"name": "color", "type": {"type": "enum", "name": "Color", "symbols": ["RED", "BLUE"]}},
                {"name": "maybe", "type": ["null", "string"], "default": null},
                {"name": "either", "type": ["string", "long", {"type": "array", "items": "int"}], "default": ""},
                {"name": "list", "type": {"type": "array", "items": ["null", "long"]}},
                {"name": "map", "type": {"type": "map", "values": "double"}},
                {"name": "inner", "type": {"type": "record", "name": "Inner", "fields": [
                  {"name": "a", "type": "string", "default": "x"}, {"name": "b", "type": "int"}]}}]}""");
  private static final String VALID =
      """
      {"text": "t", "number": 1, "big": 9007199254740993, "part": 1.5, "real": "NaN", "flag": true,
       "raw": "AP8=", "hash": "AQID", "price": "12.50", "day": "2017-08-20",
       "at": "2017-08-20T12:30:00.123Z", "exactly": "2017-08-20T12:30:00.123456Z", "color": "RED",
       "list": [1, null], "map": {"x": 1.5}, "inner": {"b": 2}}""";

  private static ObjectNode valid() throws JsonProcessingException {
    return (ObjectNode) Json.MAPPER.readTree(VALID);
  }

  private static byte[] avro(GenericRecord record) throws IOException {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
    new GenericDatumWriter<GenericRecord>(ALL).write(record, encoder);
    encoder.flush();
    return out.toByteArray();
  }

  private static GenericRecord throughAvro(GenericRecord record) throws IOException {
    return new GenericDatumReader<GenericRecord>(ALL)
        .read(null, DecoderFactory.get().binaryDecoder(avro(record), null));
  }

  @Test
  void readsWhatItWrites() throws IOException {
    GenericRecord record = read(ALL, valid());
    JsonNode json = Json.of(throughAvro(record));

    ObjectNode whole = valid();
    whole.put("maybe", (String) null).put("either", "");
    ((ObjectNode) whole.path("inner")).put("a", "x");
    assertThat(json.toString()).isEqualTo(ordered(whole));
    assertThat(avro(read(ALL, json))).isEqualTo(avro(record));
  }

  private static String ordered(ObjectNode json) throws JsonProcessingException {
    ObjectNode ordered = Json.MAPPER.createObjectNode();
    ALL.getFields().forEach(field -> ordered.set(field.name(), json.get(field.name())));
    ObjectNode inner = Json.MAPPER.createObjectNode();
    List.of("a", "b").forEach(name -> inner.set(name, json.path("inner").get(name)));
    ordered.set("inner", inner);
    return Json.MAPPER.writeValueAsString(ordered);
  }

  @Provide
  Arbitrary<GenericRecord> records() {
    return Arbitraries.longs()
        .map(seed -> (GenericRecord) new RandomData(PLAIN, 1, seed).iterator().next());
  }

  /** Random numbers are no dates, times or decimals that have a text. */
  private static final Schema PLAIN =
      new Schema.Parser()
          .parse(ALL.toString().replaceAll("\"logicalType\":\"[a-z-]+\"", "\"comment\":\"plain\""));

  @Property(tries = 300)
  void losesNothingOfAnyRecord(@ForAll("records") GenericRecord record)
      throws JsonProcessingException {
    JsonNode json = Json.MAPPER.readTree(Json.of(record).toString());
    GenericRecord back = read(PLAIN, json);

    assertThat(Json.of(back)).isEqualTo(Json.of(record));
  }

  /** Libraries cut such numbers to what fits. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {
        "number | 3000000000",
        "number | 1.5",
        "number | \"1\"",
        "big | 9223372036854775808",
        "big | 1.0",
        "price | \"1.255\"",
        "price | 12345678.00",
        "price | true",
        "price | 1.5e-6",
        "price | \"abc\"",
        "price | \"\"",
        "part | 1e39",
        "part | -1e39",
        "part | 1e-60",
        "part | 16777217",
        "real | 1e400",
        "real | 1e-400",
        "real | 9007199254740993",
        "hash | \"AQI=\"",
        "hash | \"not base64!\"",
        "raw | 5",
        "day | \"2017-02-30\"",
        "day | \"20.8.2017\"",
        "at | \"2017-08-20T12:30:00.123456Z\"",
        "at | \"2017-08-20\"",
        "color | \"GREEN\"",
        "flag | \"true\"",
        "flag | null",
        "text | 5",
        "real | \"much\"",
        "either | 1.5",
        "list | 1",
        "map | []",
        "inner | \"x\""
      })
  void refusesWhatDoesNotFit(String field, String value) throws JsonProcessingException {
    ObjectNode json = valid();
    json.set(field, Json.MAPPER.readTree(value));

    assertThat(problems(json)).extracting(ProblemDetails.Item::field).containsExactly(field);
  }

  /** Brought to the type's scale, any of these would take minutes and gigabytes. */
  @ParameterizedTest
  @ValueSource(strings = {"1e100000", "-1E+100000", "1e-100000", "\"1e600000000\"", "1e600000000"})
  @Timeout(60)
  void refusesExponentsBeforeItReckonsWithThem(String number) throws JsonProcessingException {
    ObjectNode json = valid();
    json.set("price", Json.MAPPER.readTree(number));

    assertThat(problems(json)).extracting(ProblemDetails.Item::field).containsExactly("price");
  }

  @Test
  void refusesDecimalsOfALengthThatTakesLongToRead() throws JsonProcessingException {
    ObjectNode json = valid();
    json.put("price", "0".repeat(1_000_000) + "1");

    assertThat(problems(json))
        .extracting(ProblemDetails.Item::message)
        .allMatch(message -> message.contains("characters"));
  }

  @ParameterizedTest
  @CsvSource({
    "1.5, 1.50",
    "1.5000, 1.50",
    "150e-2, 1.50",
    "15e5, 1500000.00",
    "0e600000000, 0.00",
    "0e-600000000, 0.00",
    "-9999999.99, -9999999.99"
  })
  void readsDecimalsHoweverTheyAreWritten(String written, BigDecimal meant)
      throws JsonProcessingException {
    ObjectNode json = valid();
    json.put("price", written);
    ByteBuffer price = (ByteBuffer) read(ALL, json).get("price");

    assertThat(new BigDecimal(new BigInteger(price.array()), 2)).isEqualTo(meant);
  }

  /** No long holds how many nanoseconds lie between them and the epoch. */
  @ParameterizedTest
  @CsvSource({
    "9999-12-31T23:59:59.999999Z, 253402300799999999",
    "0001-01-01T00:00:00Z, -62135596800000000",
    "+294247-01-10T04:00:54.775807Z, 9223372036854775807",
    "-290308-12-21T19:59:05.224192Z, -9223372036854775808"
  })
  void readsTimesFarFromTheEpoch(String time, long micros) throws JsonProcessingException {
    ObjectNode json = valid();
    json.put("exactly", time);

    assertThat(read(ALL, json).get("exactly")).isEqualTo(micros);
  }

  @ParameterizedTest
  @CsvSource({
    "exactly, +300000-01-01T00:00:00Z, from -290308-12-21T19:59:05.224192Z to +294247-01-10T04:00:54.775807Z",
    "at, -300000000-01-01T00:00:00Z, from -292275055-05-16T16:47:04.192Z to +292278994-08-17T07:12:55.807Z"
  })
  void namesTheTimesThatFit(String field, String time, String fitting)
      throws JsonProcessingException {
    ObjectNode json = valid();
    json.put(field, time);

    assertThat(problems(json))
        .containsExactly(new ProblemDetails.Item(field, time, "use a time " + fitting));
  }

  /** As of a text that a script cut in the middle of a character. */
  @Test
  void refusesHalfACharacter() throws JsonProcessingException {
    ObjectNode text = (ObjectNode) Json.MAPPER.readTree(VALID);
    text.put("text", "Ann\ud83d");
    assertThat(problems(text)).extracting(ProblemDetails.Item::field).containsExactly("text");

    ObjectNode name = (ObjectNode) Json.MAPPER.readTree(VALID);
    name.putObject("map").put("\ude00", 1.0);
    assertThat(problems(name)).extracting(ProblemDetails.Item::field).containsExactly("map");
  }

  @Test
  void namesEverythingThatIsWrong() throws JsonProcessingException {
    ObjectNode json = valid();
    json.remove("text");
    json.put("extra", 1);
    json.putArray("list").add("x").add(1).add("y");
    json.putObject("inner").put("b", "2").put("c", 3);

    assertThat(problems(json))
        .extracting(ProblemDetails.Item::field)
        .containsExactlyInAnyOrder("text", "extra", "list[0]", "list[2]", "inner.b", "inner.c");
  }

  private static List<ProblemDetails.Item> problems(JsonNode json) {
    ProblemException refused = catchThrowableOfType(ProblemException.class, () -> read(ALL, json));
    assertThat(refused).isNotNull();
    return refused.details().problems();
  }

  /** What reads the event might not get as deep as what wrote it. */
  @Test
  void refusesWhatNestsTooDeep() throws JsonProcessingException {
    Schema node =
        new Schema.Parser()
            .parse(
                """
                {"type": "record", "name": "Node", "fields": [
                  {"name": "next", "type": ["null", "Node"], "default": null}]}
                """);

    assertThat(read(node, nested(Nesting.MAX_LEVELS))).isNotNull();
    assertThatThrownBy(() -> read(node, nested(Nesting.MAX_LEVELS + 1)))
        .isInstanceOf(ProblemException.class)
        .extracting(failure -> ((ProblemException) failure).details().problems().get(0).message())
        .isEqualTo("nests more than 500 levels deep");
  }

  private static JsonNode nested(int records) throws JsonProcessingException {
    return Json.MAPPER.readTree("{\"next\":".repeat(records - 1) + "{}" + "}".repeat(records - 1));
  }

  private static final Schema EITHER =
      new Schema.Parser()
          .parse(
              """
                {"type": "record", "name": "A", "fields": [
                  {"name": "x", "type": ["null", "A",
                    {"type": "record", "name": "B", "fields": [{"name": "x", "type": ["null", "A", "B"]}]}]}]}
                """);

  /** Each level of what fits nothing would take twice as long as the one in it. */
  @Test
  @Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void givesUpOnUnionsInUnions() throws JsonProcessingException {
    JsonNode json = Json.MAPPER.readTree("{\"x\":".repeat(100) + "1" + "}".repeat(100));

    assertThatThrownBy(() -> read(EITHER, json))
        .isInstanceOf(ProblemException.class)
        .extracting(failure -> ((ProblemException) failure).details().problems().get(0).message())
        .isEqualTo("fits none of A, B");
  }

  /** Else a request of many operations could try as often with each. */
  @Test
  void givesUpOnUnionsOfOneRequestTogether() throws JsonProcessingException {
    UnionAttempts attempts = new UnionAttempts();
    String levels = "{\"x\":".repeat(100);
    JsonNode wrong = Json.MAPPER.readTree(levels + "1" + "}".repeat(100));
    JsonNode right = Json.MAPPER.readTree(levels + "null" + "}".repeat(100));
    List<ProblemDetails.Item> problems = new ArrayList<>();

    read(right, attempts, problems);
    assertThat(problems).isEmpty();
    read(wrong, attempts, problems);
    problems.clear();
    read(right, attempts, problems);
    assertThat(problems).isNotEmpty();
  }

  private static void read(
      JsonNode json, UnionAttempts attempts, List<ProblemDetails.Item> problems) {
    JsonToRecord.read(EITHER, new Nesting(EITHER), json, "", attempts, problems);
  }

  private static GenericRecord read(Schema schema, JsonNode json) {
    return JsonToRecord.read(schema, new Nesting(schema), json);
  }
}
