package io.indexview.views.filter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.filter.RecordFilter.FilterException;
import java.nio.ByteBuffer;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Expressions made to keep a stream thread busy for minutes, on records as large as they come. */
@Timeout(60)
class FilterCostTest {
  private static final Schema SCHEMA =
      SchemaBuilder.record("Hostile")
          .fields()
          .requiredString("text")
          .requiredString("same")
          .requiredString("part")
          .requiredBytes("raw")
          .name("tags")
          .type()
          .array()
          .items()
          .stringType()
          .noDefault()
          .name("inner")
          .type()
          .record("Inner")
          .fields()
          .name("tags")
          .type()
          .array()
          .items()
          .stringType()
          .noDefault()
          .endRecord()
          .noDefault()
          .name("counts")
          .type()
          .map()
          .values()
          .longType()
          .noDefault()
          .endRecord();

  private static final List<String> TAGS = Collections.nCopies(9_000, "a".repeat(100));

  private static final GenericRecord RECORD =
      new GenericRecordBuilder(SCHEMA)
          .set("text", "a".repeat(1_000_000))
          .set("same", "a".repeat(1_000_000))
          .set("part", "a".repeat(500_000) + "b")
          .set("raw", ByteBuffer.wrap(new byte[1_000_000]))
          .set("tags", TAGS)
          .set("inner", inner(TAGS))
          .set("counts", Map.of("a", 1L))
          .build();

  private static GenericRecord inner(List<String> tags) {
    return new GenericRecordBuilder(SCHEMA.getField("inner").schema()).set("tags", tags).build();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tags.all(t, text == same)",
        "tags.all(t, !(text != same))",
        "tags.all(t, text <= same)",
        "tags.all(t, text >= same && !(text < same) && !(text > same))",
        "tags.all(t, size(text) > 1)",
        "tags.all(t, bytes(text) == raw || true)",
        "tags.all(t, raw == raw)",
        "tags.all(t, string(text) != t)",
        "tags.all(t, text.startsWith(same))",
        "tags.all(t, text.endsWith(same))",
        "tags.all(t, !text.contains(part))",
        "tags.all(t, !('b' in tags))",
        "tags.all(t, tags == tags)",
        "tags.all(t, !('b' in [text, same, part]))",
        "tags.all(t, text in {text: 1})",
        "tags.all(t, text.matches('a+'))",
        "tags.all(t, tags[0] == t)",
        "tags.all(t, tags.exists(u, true))",
        "tags.all(t, size(inner.tags) > 1 || inner.tags[0] == t)"
      })
  void endsWhatWouldTakeTooLong(String expression) {
    RecordFilter filter = RecordFilter.compile(expression, SCHEMA);

    assertThatThrownBy(() -> filter.matches(RECORD))
        .isInstanceOf(FilterException.class)
        .hasMessageContaining("too long texts");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "!text.contains(part) && !same.contains(part) && text.contains(same)",
        "text == same && tags == tags && raw == raw && text.startsWith(same)",
        "!('b' in tags) && size(text) == 1000000",
        "tags.all(t, t.startsWith('a') && t != 'b' && t < 'b' && t.contains('aa') && size(t) =="
            + " 100)",
        "!tags.exists(t, t in ['x', 'y'])",
        "tags.all(t, int('7') == 7 && double('1.5') > 1.0)",
        "tags.all(t, 'a' in counts && counts['a'] == 1 && counts.size() == 1)"
      })
  void evaluatesWhatTakesNoLongerThanReadingTheRecord(String expression) throws Exception {
    assertThat(RecordFilter.compile(expression, SCHEMA).matches(RECORD)).isTrue();
  }

  @Test
  void countsAnewForEachRecord() throws Exception {
    RecordFilter filter = RecordFilter.compile("tags.all(t, !text.contains('b'))", SCHEMA);
    GenericRecord small =
        new GenericRecordBuilder(SCHEMA)
            .set("text", "a")
            .set("same", "a")
            .set("part", "a")
            .set("raw", ByteBuffer.wrap(new byte[0]))
            .set("tags", List.of("a"))
            .set("inner", inner(List.of()))
            .set("counts", Map.of())
            .build();

    assertThatThrownBy(() -> filter.matches(RECORD)).isInstanceOf(FilterException.class);
    assertThat(filter.matches(small)).isTrue();
  }

  @Test
  void refusesAtSubmissionWhatIsTooLongTooDeepOrTooComplex() {
    assertThat(RecordFilter.issues("text == 'a' || ".repeat(150) + "true", SCHEMA)).isNotEmpty();
    assertThat(RecordFilter.issues("(".repeat(40) + "true" + ")".repeat(40), SCHEMA)).isNotEmpty();
    assertThat(RecordFilter.issues("text.matches('((a{30}){30}){30}')", SCHEMA)).isNotEmpty();
    assertThat(RecordFilter.issues("text.matches(part)", SCHEMA)).isNotEmpty();
  }
}
