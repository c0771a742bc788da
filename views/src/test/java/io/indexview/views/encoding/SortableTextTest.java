package io.indexview.views.encoding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.LocalDate;
import java.util.Arrays;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class SortableTextTest {

  /** Two values of one type. */
  record Pair(FieldType type, Object left, Object right) {}

  @Property(tries = 4000)
  void ordersTextsAsValues(@ForAll("pairs") Pair pair) {
    SortableText text = SortableText.of(pair.type, true);
    Object left = pair.type.normalise(pair.left);
    Object right = pair.type.normalise(pair.right);

    int order = compareUtf8(text.encode(pair.left), text.encode(pair.right));

    assertThat(Integer.signum(order)).isEqualTo(Integer.signum(pair.type.compare(left, right)));
  }

  @Property(tries = 4000)
  void givesValuesBack(@ForAll("pairs") Pair pair, @ForAll boolean nullable) {
    SortableText text = SortableText.of(pair.type, nullable);
    if (pair.left == null && !nullable) {
      assertThatThrownBy(() -> text.encode(null)).isInstanceOf(IllegalArgumentException.class);
    } else {
      assertThat(text.decode(text.encode(pair.left))).isEqualTo(pair.type.normalise(pair.left));
    }
  }

  @Property(tries = 2000)
  void refusesTextsItNeverWrites(@ForAll FieldType type, @ForAll String garbage) {
    SortableText text = SortableText.of(type, true);
    try {
      assertThat(text.encode(text.decode(garbage))).isEqualTo(garbage);
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).matches("(a|the) text .*");
    }
  }

  @Property(tries = 4000)
  void takesOneTextOfAWholeNumberOnly(
      @ForAll("numberLike") String garbage, @ForAll boolean isLong) {
    SortableText text = SortableText.of(isLong ? FieldType.LONG : FieldType.INT, false);
    try {
      assertThat(text.encode(text.decode(garbage))).isEqualTo(garbage);
    } catch (IllegalArgumentException e) {
      assertThat(e.getMessage()).matches("a text .*");
    }
  }

  /** Texts of numbers with a character exchanged, left out or put in. */
  @Provide
  Arbitrary<String> numberLike() {
    Arbitrary<Long> numbers =
        Arbitraries.oneOf(
            Arbitraries.longs(),
            Arbitraries.of(0L, -1L, Long.MAX_VALUE, Long.MIN_VALUE, 1L << 31, -(1L << 31) - 1));
    Arbitrary<String> inserted = Arbitraries.strings().withChars("-ahiskyz0189:/").ofMaxLength(2);
    return Combinators.combine(
            numbers,
            Arbitraries.doubles().between(0, 1),
            Arbitraries.integers().between(0, 2),
            inserted)
        .as(
            (number, share, cut, put) -> {
              String text = SortableText.of(FieldType.LONG, false).encode(number);
              int at = (int) (share * text.length());
              return text.substring(0, at)
                  + put
                  + text.substring(Math.min(text.length(), at + cut));
            });
  }

  @Provide
  Arbitrary<Pair> pairs() {
    return Arbitraries.of(FieldType.class)
        .flatMap(
            type ->
                values(type)
                    .injectNull(0.05)
                    .tuple2()
                    .map(pair -> new Pair(type, pair.get1(), pair.get2())));
  }

  private static Arbitrary<?> values(FieldType type) {
    return switch (type) {
      case STRING, ENUM ->
          Arbitraries.oneOf(
              Arbitraries.strings().ofMaxLength(4).withCharRange('\u0000', '\ud7ff'),
              Arbitraries.of(
                  "", "=", "-", "/", "%2F", "\ue000", "\ud83d\ude00", "\uffff", "a/-/b"));
      case INT -> Arbitraries.integers();
      case LONG -> Arbitraries.longs();
      case FLOAT ->
          Arbitraries.oneOf(
              Arbitraries.integers().map(Float::intBitsToFloat),
              Arbitraries.of(0.0f, -0.0f, Float.NaN, Float.MIN_VALUE, -Float.MIN_VALUE, 1f, -1f));
      case DOUBLE ->
          Arbitraries.oneOf(
              Arbitraries.longs().map(Double::longBitsToDouble),
              Arbitraries.of(
                  0.0, -0.0, Double.NaN, Double.MIN_VALUE, Double.NEGATIVE_INFINITY, 1d));
      case BOOLEAN -> Arbitraries.of(true, false);
      case DATE -> Arbitraries.integers();
      case TIMESTAMP_MILLIS, TIMESTAMP_MICROS -> Arbitraries.longs();
    };
  }

  private static int compareUtf8(String left, String right) {
    return Arrays.compareUnsigned(
        left.getBytes(StandardCharsets.UTF_8), right.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "0, a0",
    "7, a7",
    "1500, d1500",
    "-1, -z8",
    "-42, -y57",
    "9223372036854775807, s9223372036854775807",
    "-9223372036854775808, -h0776627963145224191"
  })
  void writesWholeNumbersReadably(long number, String text) {
    assertThat(SortableText.of(FieldType.LONG, false).encode(number)).isEqualTo(text);
  }

  @ParameterizedTest
  @CsvSource({
    "2017-08-20, 2017-08-20",
    "0000-01-01, 0000-01-01",
    "9999-12-31, 9999-12-31",
    "+10000-01-01, Y0000010000-01-01",
    "+12345-06-07, Y0000012345-06-07",
    "-0001-12-31, -9999999998-12-31"
  })
  void writesDatesAsIsoText(LocalDate date, String text) {
    assertThat(SortableText.of(FieldType.DATE, false).encode(date)).isEqualTo(text);
  }

  @Test
  void writesTimestampsWithAllDigits() {
    Instant instant = Instant.parse("2017-08-20T09:30:00.12Z");

    assertThat(SortableText.of(FieldType.TIMESTAMP_MILLIS, false).encode(instant))
        .isEqualTo("2017-08-20T09:30:00.120Z");
    assertThat(SortableText.of(FieldType.TIMESTAMP_MICROS, false).encode(instant))
        .isEqualTo("2017-08-20T09:30:00.120000Z");
  }

  @Test
  void tellsNullFromTheEmptyText() {
    SortableText text = SortableText.of(FieldType.STRING, true);

    assertThat(text.encode(null)).isEmpty();
    assertThat(text.encode("")).isEqualTo("=");
    assertThat(text.decode("=")).isEqualTo("");
  }

  @ParameterizedTest
  @EnumSource(FieldType.class)
  void refusesNullWhereThereIsNone(FieldType type) {
    assertThatThrownBy(() -> SortableText.of(type, false).encode(null))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("no nulls");
  }

  @ParameterizedTest
  @CsvSource({
    "DOUBLE, bff8000000000000, BFF8000000000000",
    "DOUBLE, 8000000000000000, 7fffffffffffffff",
    "FLOAT, bfc00000, BFC00000",
    "DATE, 2017-08-20, 2017_08_20",
    "TIMESTAMP_MILLIS, 2017-08-20T09:30:00.120Z, 2017-08-20 09:30:00.120Z",
    "TIMESTAMP_MICROS, 2017-08-20T09:30:00.120000Z, 2017-08-20T09:30:00.12Z"
  })
  void takesOneTextOfAValueOnly(FieldType type, String text, String other) {
    SortableText texts = SortableText.of(type, false);

    assertThat(texts.encode(texts.decode(text))).isEqualTo(text);
    assertThatThrownBy(() -> texts.decode(other))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("is no encoded " + type);
  }
}
