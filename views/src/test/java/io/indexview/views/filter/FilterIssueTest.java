package io.indexview.views.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.Samples;
import io.indexview.views.filter.RecordFilter.FilterIssue;
import java.util.Collections;
import java.util.List;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FilterIssueTest {

  private static List<FilterIssue> issues(String expression) {
    return RecordFilter.issues(expression, Samples.PERSON);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '#',
      textBlock =
          """
          nme == 'x'                    | 1  | "nme": no such field in schema test.Person
          cost > 1 && nme == 'x'        | 13 | "nme": no such field
          address.town == 'x'           | 8  | "address.town": no such field
          address.city.x == 'x'         | 13 | type 'string or null' does not support field selection
          orders.exists(o, o.x == 1)    | 19 | undefined field 'x'
          either == 1                   | 1  | "either" is or holds a decimal or a union
          now() > seen                  | 4  | "now": no such function
          name.toUpper() == 'A'         | 13 | "toUpper": no such function
          tags.map(t, t) == tags        | 9  | "map": no such function
          cost                          | 1  | expected type 'bool' but found 'int'
          cost > 'a'                    | 6  | > does not take (int, string)
          cost == 1.5                   | 6  | == does not take (int, double)
          age == 'a'                    | 5  | == does not take (int or null, string)
          cost == null                  | 6  | == does not take (int, null)
          seen > 5                      | 6  | > does not take (timestamp, int)
          address == 5                  | 9  | == does not take (record test.Address or null, int)
          name + 'a' == 'b'             | 6  | + does not take (string, string)
          tags + tags == tags           | 6  | + does not take (list(string), list(string))
          string(rating) == '1'         | 7  | string does not take (double)
          seen.getHours('UTC') == 1     | 14 | getHours does not take
          dyn(cost) == 'a'              | 4  | "dyn": no such function
          type(cost) == int             | 5  | "type": no such function
          name in ['a', 1]              | 9  | several types
          size([]) == 0                 | 6  | several types or of none
          cost = 7                      | 6  | syntax: token recognition error at: '= '; compare with ==
          cost == 7)                    | 10 | syntax: extraneous input
          name == 'x                    | 9  | syntax: token recognition error
          has(name)                     | 4  | syntax: invalid argument to has() macro
          name.matches('[')             | 14 | no pattern in the syntax of RE2
          name.matches('(?=a)')         | 14 | no pattern in the syntax of RE2
          name.matches(org)             | 14 | must be a text in quotes
          name.matches('((a{50}){10})') | 14 | too complex
          born > timestamp('17.5.1983') | 17 | a text or number is not what the function takes
          born > timestamp('1983-02-30')| 17 | a text or number is not what the function takes
          seen - seen > duration('1d')  | 23 | a text or number is not what the function takes
          1 / 0 > cost                  | 3  | divides by zero
          """)
  void namesWhatIsWrongAndWhere(String expression, int column, String message) {
    assertThat(issues(expression))
        .anySatisfy(
            issue -> {
              assertThat(issue.message()).contains(message);
              assertThat(issue.column()).isEqualTo(column);
              assertThat(issue.line()).isEqualTo(1);
            });
  }

  @Test
  void tellsEverythingAtOnce() {
    assertThat(issues("nme == 'x' &&\n  cost > 'a' &&\n    foo(cost)"))
        .extracting(issue -> List.of(issue.line(), issue.column()))
        .containsExactly(List.of(1, 1), List.of(2, 8), List.of(3, 8));
  }

  @Test
  void offersTheNamesThatExist() {
    assertThat(issues("nme == 'x'").get(0).unknown()).isEqualTo("nme");
    assertThat(issues("nme == 'x'").get(0).known())
        .contains("name", "address")
        .doesNotContain("either");
    assertThat(issues("address.town == 'x'").get(0).known())
        .containsExactly("address.city", "address.zip");
    assertThat(issues("siez(tags) == 1").get(0).known()).contains("size", "exists", "getHours");
    assertThat(issues("siez(tags) == 1").get(0).known()).allMatch(name -> name.matches("\\w+"));
  }

  @Test
  void refusesConditionsThatCanBeNull() {
    Schema schema =
        SchemaBuilder.record("R")
            .fields()
            .requiredBoolean("sure")
            .optionalBoolean("perhaps")
            .name("flags")
            .type(
                Schema.createArray(
                    Schema.createUnion(
                        Schema.create(Schema.Type.NULL), Schema.create(Schema.Type.BOOLEAN))))
            .noDefault()
            .endRecord();
    for (String expression :
        List.of(
            "sure && perhaps",
            "perhaps || sure",
            "perhaps ? sure : sure",
            "flags.exists(f, f)",
            "flags.all(f, f)",
            "flags.exists_one(f, f)")) {
      assertThat(RecordFilter.issues(expression, schema))
          .as(expression)
          .singleElement()
          .satisfies(issue -> assertThat(issue.message()).contains("can be null"));
    }
    assertThat(RecordFilter.issues("sure && perhaps == true", schema)).isEmpty();
    assertThat(RecordFilter.issues("flags.exists(f, f == true)", schema)).isEmpty();
  }

  @Test
  void knowsNoDecimals() {
    Schema decimal = LogicalTypes.decimal(9, 2).addToSchema(Schema.create(Schema.Type.BYTES));
    Schema schema =
        SchemaBuilder.record("R").fields().name("price").type(decimal).noDefault().endRecord();
    assertThat(RecordFilter.issues("price > 5", schema))
        .singleElement()
        .satisfies(issue -> assertThat(issue.message()).contains("decimal"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "  ", "\n"})
  void refusesNothing(String expression) {
    assertThat(issues(expression)).singleElement().asString().contains("is empty");
  }

  @Test
  void boundsLengthAndDepth() {
    String term = "cost == 1";
    assertThat(issues(String.join(" || ", Collections.nCopies(150, term)))).isEmpty();
    assertThat(issues(String.join(" || ", Collections.nCopies(160, term))))
        .singleElement()
        .asString()
        .contains("2000");
    assertThat(issues("(".repeat(10) + term + ")".repeat(10))).isEmpty();
    for (String open : List.of("(", "[", "!(", "-(", "{1:", "f(", "a[")) {
      assertThat(issues(open.repeat(1900 / open.length()))).as(open).isNotEmpty();
    }
    assertThat(issues("cost" + " + cost".repeat(20) + " > 5")).isEmpty();
    assertThat(issues("cost" + " + cost".repeat(280) + " > 5")).isNotEmpty();
    assertThat(issues("cost in [1" + ", 1".repeat(600) + "]")).isEmpty();
  }

  @Test
  void refusesToCompileWhatHasIssues() {
    assertThatThrownBy(() -> RecordFilter.compile("nme == 'x'", Samples.PERSON))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("nme");
  }
}
