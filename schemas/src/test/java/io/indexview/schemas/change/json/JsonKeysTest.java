package io.indexview.schemas.change.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.change.MalformedEventException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JsonKeysTest {
  private static final String SCHEMA =
      """
      {"type":"struct","fields":[{"type":"int64","optional":false,"default":0,"field":"id"}],"optional":false,"name":"shop.public.orders.Key"}
      """;

  private final JsonKeys keys = new JsonKeys();

  private String text(String key) throws MalformedEventException {
    return new String(keys.key(ConnectMessages.utf8(key)), StandardCharsets.UTF_8);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {"id":17}                          | 17
          {"id":"17"}                        | 17
          {"region":"a/b%","id":17}          | a%2Fb%25/17
          {"id":9007199254740993}            | 9007199254740993
          {"id":1.50}                        | 1.5
          {"on":true}                        | true
          {"id":{"scale":1,"value":"Bwk="}}  | 180.1
          {"id":"{\\"$oid\\": \\"596e275826f08b2730779e1f\\"}"} | {"$oid": "596e275826f08b2730779e1f"}
          "17"                               | 17
          """)
  void areTheTextOfTheirFields(String key, String expected) throws Exception {
    assertThat(text(key)).isEqualTo(expected);
  }

  @Test
  void haveNoDecimalOfAnyLength() {
    String key = "{\"id\":{\"scale\":1,\"value\":\"%s\"}}".formatted("Bwkw".repeat(5_462));

    assertThatThrownBy(() -> text(key))
        .isInstanceOf(MalformedEventException.class)
        .hasMessage(
            "key field \"id\": a decimal of more than 16384 bytes is no key; key the records by another column");
  }

  @Test
  void haveNoNumberWhoseExponentIsBeyondThatOfDecimals() {
    assertThatThrownBy(() -> text("{\"id\":100E2147483647}"))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContainingAll("key field \"id\"", "exponent");
  }

  @Test
  void areTheSameWithSchemaAndWithout() throws Exception {
    for (int i = 0; i < 3; i++) {
      assertThat(text("{\"schema\":%s,\"payload\":{\"id\":%d}}".formatted(SCHEMA, i)))
          .isEqualTo(text("{\"id\":%d}".formatted(i)));
    }
  }

  @Test
  void readDecimalsAsTheSchemaSays() throws Exception {
    String schema =
        """
        {"type":"struct","fields":[{"type":"bytes","optional":false,"name":"org.apache.kafka.connect.data.Decimal","version":1,
         "parameters":{"scale":"0","connect.decimal.precision":"10"},"field":"ID"}],"optional":false,"name":"ora.Key"}
        """;

    assertThat(text("{\"schema\":%s,\"payload\":{\"ID\":\"AMg=\"}}".formatted(schema)))
        .isEqualTo("200");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          {}                                 | without fields
          {"id":null}                        | key field "id" is null
          {"id":[1]}                         | key field "id" is neither text, number nor boolean
          {"schema":null,"payload":null}     | key is null
          null                               | key is null
          '   '                              | no JSON
          17-a                               | no JSON; with encoding=json keys must be written by JsonConverter
          {"id":1}{"id":2}                   | no JSON
          {"id":1,"id":2}                    | no JSON
          """)
  void mustNameTheirRecord(String key, String message) {
    assertThatThrownBy(() -> text(key))
        .isInstanceOf(MalformedEventException.class)
        .hasMessageContaining(message);
  }
}
