package io.indexview.verification;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.Topics;
import io.indexview.schemas.change.RecordFormat;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.TargetRows;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.RecordSet;
import io.indexview.views.definition.ViewDefinitionParser;
import io.indexview.views.definition.ViewGeneration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.Test;

class ViewVerifierTest {
  private static final Schema PERSON =
      SchemaBuilder.record("Person")
          .fields()
          .requiredString("org")
          .requiredLong("cost")
          .endRecord();
  private static final RecordSet PEOPLE =
      new RecordSet("people", "people", RecordFormat.ENVELOPE, List.of(), PERSON);
  private static final ViewGeneration BY_ORG =
      ViewGeneration.freeze(
          new ViewDefinitionParser()
              .parse(
                  "by-org.yaml",
                  "{name: by-org, source: people, key: [org], include: [cost],"
                      + " target: kv, layout: key-value}"),
          1,
          PEOPLE,
          new Topics("test"));

  private final List<Row> actual = new ArrayList<>();

  private final TargetRows target =
      new TargetRows() {
        @Override
        public Row expected(GenericRecord key, GenericRecord value, long revision) {
          return row(key.get("org") + "/" + key.get("_primaryKey"), (long) value.get("cost"));
        }

        @Override
        public void forEach(Consumer<Row> rows) {
          actual.forEach(rows);
        }
      };

  private static Row row(String id, long cost) {
    return new Row(id, id, Map.of(), Map.of("cost", cost), OptionalLong.empty());
  }

  private static PrimaryRecord person(String key, String org, long cost) {
    return new PrimaryRecord(
        key, new GenericRecordBuilder(PERSON).set("org", org).set("cost", cost).build());
  }

  private Verification verify(Set<String> ignored) {
    List<PrimaryRecord> primaries = List.of(person("/1", "a", 10), person("/2", "b", 20));
    return ViewVerifier.verify(BY_ORG, primaries.iterator(), target, ignored);
  }

  @Test
  void isExactWhenEveryRowIsThereAndNoOther() {
    actual.addAll(List.of(row("b//2", 20), row("a//1", 10)));

    assertThat(verify(Set.of())).isEqualTo(new Verification("by-org", 2, 2, 0, 0, 0, List.of()));
    assertThat(verify(Set.of()).exact()).isTrue();
  }

  @Test
  void countsMissingDanglingAndDifferentRows() {
    actual.addAll(List.of(row("a//1", 11), row("c//3", 30)));

    Verification found = verify(Set.of());
    assertThat(found.exact()).isFalse();
    assertThat(found)
        .extracting(Verification::missing, Verification::dangling, Verification::different)
        .containsExactly(1L, 1L, 1L);
    assertThat(found.samples())
        .containsExactlyInAnyOrder("missing b//2", "dangling c//3", "different a//1");
  }

  @Test
  void countsARowThatTheTargetHoldsTwiceAsDangling() {
    actual.addAll(List.of(row("a//1", 10), row("b//2", 20), row("a//1", 10)));

    assertThat(verify(Set.of()).dangling()).isEqualTo(1);
  }

  @Test
  void leavesIgnoredFieldsOut() {
    actual.addAll(List.of(row("a//1", 99), row("b//2", 20)));

    assertThat(verify(Set.of("cost")).exact()).isTrue();
  }
}
