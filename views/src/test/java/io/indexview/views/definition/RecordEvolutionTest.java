package io.indexview.views.definition;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.views.Samples;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The persons' schema changes; each change is a replacement in its text. */
class RecordEvolutionTest {
  private static final String PERSON = Samples.PERSON.toString();

  private static List<String> problems(String view, String old, String changed) {
    String writer = PERSON.replace(old, changed);
    assertThat(writer).isNotEqualTo(PERSON);
    return RecordEvolution.problems(
            Samples.people(view + "\ntarget: kv"), new Schema.Parser().parse(writer))
        .stream()
        .map(Problem::toString)
        .toList();
  }

  private static final String COST = "{\"name\":\"cost\",\"type\":\"long\"}";

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '#',
      textBlock =
          """
          {"name":"cost","type":"int"}
          {"name":"cost","type":"long"},{"name":"more","type":"string","default":""}
          {"name":"cost","type":"long"},{"name":"more","type":"string"}
          {"name":"price","type":"long","aliases":["cost"]}
          {"name":"cost","type":["long"]}
          """)
  void goesOnWithWhatCanBeRead(String changed) {
    assertThat(problems("key: [cost]", COST, changed)).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '#',
      textBlock =
          """
          {"name":"price","type":"long"}           | lack "cost", which has no default
          {"name":"cost","type":"string"}          | have "cost" as string, where the view was made for long
          {"name":"cost","type":"double"}          | have "cost" as double, where the view was made for long
          {"name":"cost","type":["null","long"]}   | have "cost" as null, where the view was made for long
          """)
  void cannotGoOnWithWhatCannotBeRead(String changed, String reason) {
    assertThat(problems("key: [cost]", COST, changed))
        .containsExactly("key[0] \"cost\": records of the schema test.Person " + reason);
    assertThat(problems("key: [name]\nwhere: cost > 5", COST, changed))
        .containsExactly("where \"cost\": records of the schema test.Person " + reason);
    assertThat(problems("key: [name]\ninclude: [cost]\nlayout: key-value", COST, changed))
        .containsExactly("include \"cost\": records of the schema test.Person " + reason);
    assertThat(problems("key: [name]", COST, changed)).isEmpty();
  }

  @Test
  void looksIntoFields() {
    assertThat(
            problems(
                "key: [address.city]",
                "{\"name\":\"city\",\"type\":\"string\"}",
                "{\"name\":\"town\",\"type\":\"string\"}"))
        .singleElement()
        .asString()
        .startsWith("key[0] \"address.city\"")
        .contains("lack \"city\" in \"address\", which has no default");
    assertThat(problems("key: [level]", "[\"LOW\",\"HIGH\"]", "[\"LOW\",\"MID\",\"HIGH\"]"))
        .singleElement()
        .asString()
        .contains("can have \"level\" as MID");
    assertThat(problems("key: [org]", "[\"null\",\"string\"]", "[\"null\",\"string\",\"int\"]"))
        .isNotEmpty();
    assertThat(
            problems(
                "key: [orders.sku]", "\"sku\",\"type\":\"string\"", "\"sku\",\"type\":\"int\""))
        .singleElement()
        .asString()
        .contains("have \"orders\" as int, where the view was made for string");
  }

  @Test
  void tellsOfEachField() {
    String writer = "{\"type\":\"record\",\"name\":\"Other\",\"fields\":[]}";
    assertThat(
            RecordEvolution.problems(
                Samples.people("key: [cost, name, tags]\nwhere: rating > 1.0\ntarget: kv"),
                new Schema.Parser().parse(writer)))
        .extracting(Problem::field)
        .containsExactlyInAnyOrder("key[0]", "key[1]");
  }

  /** Avro reads the same bytes as another number, or another time. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 4} | {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2} | decimal of scale 4
          {"type": "long", "logicalType": "timestamp-millis"} | {"type": "long", "logicalType": "timestamp-micros"} | timestamp-millis
          {"type": "long", "connect.name": "io.debezium.time.Timestamp"} | {"type": "long", "logicalType": "timestamp-micros"} | timestamp-millis
          "string" | {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2} | string
          {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2} | "string" | decimal of scale 2
          {"type": "long", "connect.name": "io.debezium.time.NanoTimestamp"} | {"type": "long", "logicalType": "timestamp-micros"} | io.debezium.time.NanoTimestamp
          {"type": "array", "items": {"type": "long", "logicalType": "timestamp-millis"}} | {"type": "array", "items": {"type": "long", "logicalType": "timestamp-micros"}} | timestamp-millis
          """)
  void noticesAnotherMeaningOfTheSameBytes(String writer, String reader, String found) {
    assertThat(RecordEvolution.gaps(one(writer), one(reader), field -> true))
        .singleElement()
        .extracting(RecordEvolution.Gap::reason)
        .asString()
        .contains("have \"f\" as " + found, "where the view was made for");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"type": "bytes", "logicalType": "decimal", "precision": 12, "scale": 2} | {"type": "bytes", "logicalType": "decimal", "precision": 10, "scale": 2}
          {"type": "long", "connect.name": "io.debezium.time.MicroTimestamp"} | {"type": "long", "logicalType": "timestamp-micros"}
          {"type": "long"} | {"type": "long", "logicalType": "timestamp-micros"}
          "string" | "bytes"
          {"type": "string", "connect.name": "io.debezium.time.ZonedTimestamp"} | "string"
          """)
  void goesOnWhereNothingElseIsMeant(String writer, String reader) {
    assertThat(RecordEvolution.gaps(one(writer), one(reader), field -> true)).isEmpty();
  }

  private static Schema one(String type) {
    return new Schema.Parser()
        .parse(
            "{\"type\": \"record\", \"name\": \"R\", \"fields\": [{\"name\": \"f\", \"type\": [\"null\", %s]}]}"
                .formatted(type));
  }
}
