package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.client.read.ViewQuery.Prefix;
import io.indexview.client.read.ViewQuery.Range;
import io.indexview.client.read.target.KeyQuery;
import io.indexview.client.read.target.ViewRows.InvalidQueryException;
import io.indexview.views.definition.ViewFields.KeyField;
import io.indexview.views.encoding.FieldType;
import java.time.Instant;
import java.time.LocalDate;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueryResolverTest {
  private static final int MAX_LIMIT = 50;
  private static final List<KeyField> FIELDS =
      List.of(
          new KeyField("org", "org", FieldType.STRING, true),
          new KeyField("city", "address.city", FieldType.STRING, false),
          new KeyField("day", "day", FieldType.DATE, false),
          new KeyField("cost", "cost", FieldType.LONG, false));
  private static final ViewQuery ALL = ViewQuery.of("v").withLimit(MAX_LIMIT);

  private static List<String> problems(ViewQuery query) {
    return catchThrowableOfType(
            InvalidQueryException.class, () -> QueryResolver.resolve(query, FIELDS, MAX_LIMIT))
        .problems();
  }

  private static KeyQuery resolve(ViewQuery query) {
    return QueryResolver.resolve(query, FIELDS, MAX_LIMIT);
  }

  @Test
  void takesALeadingRunInAnyOrderByNameOrPath() {
    KeyQuery query =
        resolve(ALL.where("day", "2017-08-20").where("address.city", "").where("org", null));

    assertThat(query.equal()).containsExactly(null, "", LocalDate.of(2017, 8, 20));
    assertThat(resolve(ALL.where("city", "x").where("org", "y")).equal()).containsExactly("y", "x");
  }

  @Test
  void rangesOverTheNextFieldNamedOrNot() {
    ViewQuery three = ALL.where("org", "o").where("city", "c").where("day", "1969-12-31");

    assertThat(resolve(three.where(new Range(null, "-5", false, 7, true))))
        .satisfies(q -> assertThat(q.from()).isEqualTo(new KeyQuery.Bound(-5L, false)))
        .satisfies(q -> assertThat(q.to()).isEqualTo(new KeyQuery.Bound(7L, true)));
    assertThat(resolve(ALL.where(new Prefix("org", "Su"))).prefix()).isEqualTo("Su");
  }

  @Test
  void leavesNullOutOfRangesThatAreOpenBelow() {
    assertThat(resolve(ALL.where(new Range("org", null, true, "x", true))).from())
        .isEqualTo(new KeyQuery.Bound(null, false));
  }

  @Test
  void tellsEverythingThatIsWrongAtOnce() {
    ViewQuery query =
        ALL.withLimit(MAX_LIMIT + 1)
            .where("colour", "red")
            .where("day", "yesterday")
            .where("day", "2017-08-20")
            .where("address.city", null)
            .where(new Range("cost", "much", true, null, true));

    assertThat(problems(query))
        .anySatisfy(p -> assertThat(p).contains("limit 51", "1 to 50"))
        .anySatisfy(p -> assertThat(p).contains("\"colour\"", "org, address.city, day, cost"))
        .anySatisfy(p -> assertThat(p).contains("\"day\"", "yesterday", "2017-08-20"))
        .anySatisfy(p -> assertThat(p).contains("\"day\" is given twice"))
        .anySatisfy(p -> assertThat(p).contains("\"address.city\" holds no nulls"))
        .anySatisfy(p -> assertThat(p).contains("\"day\" is given without \"org\" before it"));
  }

  @Test
  void refusesAConditionOnAnyOtherFieldThanTheNext() {
    assertThat(problems(ALL.where(new Range("day", "2017-08-20", true, null, true))))
        .containsExactly(
            "field \"day\" is given without \"org\" before it; give a leading run of"
                + " org, address.city, day, cost");
    assertThat(problems(ALL.where("org", "o").where(new Prefix("org", "x"))))
        .singleElement()
        .asString()
        .contains("has a value already");
    ViewQuery full =
        ALL.where("org", "o").where("city", "c").where("day", "1970-01-01").where("cost", 1);
    assertThat(problems(full.where(new Range(null, 1, true, 2, true))))
        .singleElement()
        .asString()
        .contains("no field is left");
  }

  @Test
  void refusesAPrefixOfWhatIsNoTextAndARangeWithoutBounds() {
    ViewQuery two = ALL.where("org", "o").where("city", "c");

    assertThat(problems(two.where(new Prefix("day", "2017"))))
        .singleElement()
        .asString()
        .contains("holds no text");
    assertThat(problems(two.where(new Range("day", null, true, null, true))))
        .singleElement()
        .asString()
        .contains("no bound");
  }

  @Test
  void readsValuesOfEveryType() {
    assertThat(FieldValues.of(FieldType.INT, "-7")).isEqualTo(-7);
    assertThat(FieldValues.of(FieldType.INT, 7L)).isEqualTo(7);
    assertThat(FieldValues.of(FieldType.LONG, 7)).isEqualTo(7L);
    assertThat(FieldValues.of(FieldType.DOUBLE, "-0.0")).isEqualTo(0.0);
    assertThat(FieldValues.of(FieldType.DOUBLE, 3)).isEqualTo(3.0);
    assertThat(FieldValues.of(FieldType.DOUBLE, "0e-400")).isEqualTo(0.0);
    assertThat(FieldValues.of(FieldType.DOUBLE, "1e308")).isEqualTo(1e308);
    assertThat(FieldValues.of(FieldType.DOUBLE, "-Infinity")).isEqualTo(Double.NEGATIVE_INFINITY);
    assertThat(FieldValues.of(FieldType.DOUBLE, "NaN")).isEqualTo(Double.NaN);
    assertThat(FieldValues.of(FieldType.FLOAT, "0.1")).isEqualTo(0.1f);
    assertThat(FieldValues.of(FieldType.FLOAT, "16777216")).isEqualTo(16_777_216f);
    assertThat(FieldValues.of(FieldType.DOUBLE, " 1.5")).isEqualTo(1.5);
    assertThat(FieldValues.of(FieldType.DOUBLE, "9007199254740993.0")).isEqualTo(0x1p53);
    assertThat(FieldValues.of(FieldType.DOUBLE, "9.007199254740993e15")).isEqualTo(0x1p53);
    assertThat(FieldValues.of(FieldType.FLOAT, "1.6777217e7")).isEqualTo(0x1p24f);
    assertThat(FieldValues.of(FieldType.FLOAT, 0.5)).isEqualTo(0.5f);
    assertThat(FieldValues.of(FieldType.BOOLEAN, "false")).isEqualTo(false);
    assertThat(FieldValues.of(FieldType.DATE, "1969-12-31")).isEqualTo(LocalDate.of(1969, 12, 31));
    assertThat(FieldValues.of(FieldType.TIMESTAMP_MILLIS, "1969-12-31T23:00:00.5-01:00"))
        .isEqualTo(Instant.parse("1970-01-01T00:00:00.500Z"));
    assertThat(FieldValues.of(FieldType.STRING, "7")).isEqualTo("7");
    assertThat(FieldValues.of(FieldType.DATE, null)).isNull();
  }

  @Test
  void refusesValuesOfOtherTypes() {
    refuses(FieldType.INT, "2147483648", "32 bits");
    refuses(FieldType.INT, 2147483648L, "32 bits");
    refuses(FieldType.LONG, "1.5", "64 bits");
    refuses(FieldType.LONG, 1.5, "64 bits");
    refuses(FieldType.LONG, " 1", "64 bits");
    refuses(FieldType.DOUBLE, Long.MAX_VALUE, "double precision");
    refuses(FieldType.FLOAT, 0.1, "single precision");
    for (String none : List.of("1e400", "-1e400", "1e-400", "9007199254740993", "0x1p3", "1d")) {
      refuses(FieldType.DOUBLE, none, "double precision");
    }
    for (String none : List.of("1e39", "1e-50", "16777217", "infinite")) {
      refuses(FieldType.FLOAT, none, "single precision");
    }
    refuses(FieldType.BOOLEAN, "TRUE", "neither true nor false");
    refuses(FieldType.DATE, "20.8.2017", "give it as 2017-08-20");
    refuses(FieldType.DATE, 17_000, "no date");
    refuses(FieldType.TIMESTAMP_MILLIS, "2017-08-20", "give it as");
    refuses(FieldType.TIMESTAMP_MILLIS, Instant.ofEpochSecond(0, 1), "whole milliseconds");
    for (FieldType timestamp : List.of(FieldType.TIMESTAMP_MILLIS, FieldType.TIMESTAMP_MICROS)) {
      refuses(timestamp, "+999999999-12-31T23:59:59-18:00", "give it as");
      refuses(timestamp, Instant.MIN, "give it as");
    }
    refuses(FieldType.STRING, 7, "no text");
    refuses(FieldType.STRING, "\uD800", "surrogate");
  }

  private static void refuses(FieldType type, Object given, String message) {
    assertThat(
            catchThrowableOfType(IllegalArgumentException.class, () -> FieldValues.of(type, given)))
        .as("%s %s", type, given)
        .hasMessageContaining(message);
  }

  /** As decimals of up to 15 digits, and programs that print no exponent, write them. */
  @Test
  void takesWholeNumbersAsTheyAreWrittenShortest() {
    assertThat(FieldValues.of(FieldType.DOUBLE, "12345678901234500000"))
        .isEqualTo(1.23456789012345E19);
    assertThat(FieldValues.of(FieldType.DOUBLE, "-1" + "0".repeat(23))).isEqualTo(-1e23);
    assertThat(FieldValues.of(FieldType.DOUBLE, "12345678901234567000"))
        .isEqualTo(1.2345678901234567E19);
    assertThat(FieldValues.of(FieldType.FLOAT, "12345600000000000000")).isEqualTo(1.23456E19f);
    assertThat(FieldValues.of(FieldType.FLOAT, "12345678000")).isEqualTo(1.2345678E10f);
    refuses(FieldType.DOUBLE, "12345678901234567001", "double precision");
    refuses(FieldType.FLOAT, "12345678001", "single precision");
  }
}
