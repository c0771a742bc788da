package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.math.BigDecimal;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JsonValuesTest {
  private static final Schema MONEY =
      LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));
  private static final Schema FLOAT = Schema.create(Schema.Type.FLOAT);
  private static final Schema DOUBLE = Schema.create(Schema.Type.DOUBLE);

  private static Object read(Schema schema, String json) throws JsonProcessingException {
    return JsonValues.fromJson(schema, JsonMapper.builder().build().readTree(json));
  }

  private static void refuses(Schema schema, String json) throws JsonProcessingException {
    JsonNode node = JsonMapper.builder().build().readTree(json);

    assertThatIllegalArgumentException().isThrownBy(() -> JsonValues.fromJson(schema, node));
  }

  @Test
  void readsDecimalsInTheScaleOfTheirSchema() throws JsonProcessingException {
    assertThat(read(MONEY, "\"-1.50\"")).isEqualTo(new BigDecimal("-1.50"));
    assertThat(read(MONEY, "\"1.5\"")).isEqualTo(new BigDecimal("1.50"));
    assertThat(read(MONEY, "\"0E-999999999\"")).isEqualTo(new BigDecimal("0.00"));
    assertThat(read(MONEY, "\"1" + "0".repeat(2_000) + "\""))
        .isEqualTo(BigDecimal.TEN.pow(2_000).setScale(2));
  }

  /** Written out, a few characters of them would fill the memory. */
  @ParameterizedTest
  @ValueSource(
      strings = {"\"1.505\"", "\"1E+999999999\"", "\"1E-999999999\"", "\"one\"", "1.5", "true"})
  void refusesWhatIsNoDecimalOfTheSchema(String json) throws JsonProcessingException {
    refuses(MONEY, json);
  }

  /** To strip so many zeros would take a minute. */
  @Test
  @Timeout(20)
  void refusesMoreZerosBehindThePointThanAnyStoreWrites() throws JsonProcessingException {
    refuses(MONEY, "\"1." + "0".repeat(200_000) + "\"");
    assertThat(read(MONEY, "\"1.500\"")).isEqualTo(new BigDecimal("1.50"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"NaN", "Infinity", "-Infinity"})
  void readsNumbersThatJsonLacks(String text) throws JsonProcessingException {
    assertThat(read(DOUBLE, "\"" + text + "\"")).isEqualTo(Double.valueOf(text));
    assertThat(read(FLOAT, "\"" + text + "\"")).isEqualTo(Float.valueOf(text));
  }

  @ParameterizedTest
  @ValueSource(strings = {"1e400", "-1e400", "\"1.5\"", "\" NaN\"", "\"1d\"", "\"0x1p3\""})
  void refusesWhatIsNoFloatingPointNumber(String json) throws JsonProcessingException {
    refuses(DOUBLE, json);
    refuses(FLOAT, json);
  }

  @Test
  void refusesNumbersThatAreTooLargeForAFloat() throws JsonProcessingException {
    assertThat(read(FLOAT, "1e38")).isEqualTo(1e38f);
    refuses(FLOAT, "1e39");
  }
}
