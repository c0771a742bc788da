package io.indexview.streams.derive;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.change.RecordFormat;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.streams.People;
import io.indexview.streams.generation.FrozenGeneration;
import io.indexview.streams.state.RowCounts;
import io.indexview.views.definition.RecordSet;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.avro.generic.GenericRecordBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Producers come to write records with another schema, under views that live on. */
class RecordSchemaChangeTest extends DeriverScenario {
  private static final String BY_NAME = "name: by-name\nsource: people\nkey: [name]\ntarget: kv\n";
  private static final String BY_AGE = "name: by-age\nsource: people\nkey: [age]\ntarget: kv\n";

  private final RecordSetDeriver deriver =
      new RecordSetDeriver(
          new TaskLocation("people", People.TOPIC, RecordFormat.FLAT, 0),
          services,
          1_000_000,
          offset -> offset);

  /** Two generations of a view are followed at once. */
  @Override
  String name(FrozenGeneration generation) {
    return generation.view() + generation.number();
  }

  @AfterEach
  void losesNothing() {
    assertThat(losses).isEmpty();
  }

  private FollowedView follow(String yaml, int number, Schema schema) {
    RecordSet recordSet =
        new RecordSet("people", People.TOPIC, RecordFormat.FLAT, List.of(), schema);
    FollowedView view =
        new FollowedView(
            people.frozen(People.generation(yaml, number, recordSet)),
            metrics.join("view", 1),
            RowCounts.NONE,
            () -> {});
    view.followAll();
    return view;
  }

  private static Schema changed(String field, String to) {
    String schema = People.SCHEMA.toString();
    assertThat(schema).contains(field);
    return new Schema.Parser().parse(schema.replace(field, to));
  }

  private void write(String key, Schema schema, Object... fields) {
    GenericRecordBuilder record = new GenericRecordBuilder(schema);
    for (int i = 0; i < fields.length; i += 2) {
      record.set((String) fields[i], fields[i + 1]);
    }
    GenericData.Record value = record.build();
    byte[] bytes = new AvroSerializer<GenericRecord>(registry, false).serialize("flat", value);
    deriver.process(
        new ChangeRecord(
            People.TOPIC, 0, offset++, NOW, key.getBytes(StandardCharsets.UTF_8), bytes),
        entries,
        (stateKey, entry) -> entry,
        out,
        NOW);
  }

  @Test
  void goesOnUnderAFieldThatIsNewAndUsesItAtOnce() {
    Schema newer =
        changed(
            "{\"name\":\"age\"",
            "{\"name\":\"town\",\"type\":\"string\",\"default\":\"?\"},{\"name\":\"age\"");
    FollowedView old = follow(BY_NAME, 1, People.SCHEMA);
    deriver.follow(List.of(old));
    write("1", People.SCHEMA, "name", "Ann");
    write("2", newer, "name", "Bob", "town", "Bern");

    FollowedView byTown = follow(BY_NAME.replace("[name]", "[town]"), 2, newer);
    deriver.follow(List.of(old, byTown));
    write("1", People.SCHEMA, "name", "Amy");
    write("2", newer, "name", "Bob", "town", "Basel");

    assertThat(rows)
        .containsExactly(
            "+by-name1{\"name\": \"Ann\", \"_primaryKey\": \"1\"}",
            "+by-name1{\"name\": \"Bob\", \"_primaryKey\": \"2\"}",
            "+by-name1{\"name\": \"Amy\", \"_primaryKey\": \"1\"}",
            "-by-name1{\"name\": \"Ann\", \"_primaryKey\": \"1\"}",
            "+by-name2{\"town\": \"Basel\", \"_primaryKey\": \"2\"}",
            "-by-name2{\"town\": \"Bern\", \"_primaryKey\": \"2\"}");
    assertThat(problems).isEmpty();
  }

  @Test
  void takesTheDefaultOfAFieldThatIsGone() {
    Schema without =
        changed("{\"name\":\"age\",\"type\":[\"null\",\"int\"],\"default\":null},", "");
    deriver.follow(List.of(follow(BY_NAME, 1, People.SCHEMA), follow(BY_AGE, 1, People.SCHEMA)));
    write("1", People.SCHEMA, "name", "Ann", "age", 5);
    rows.clear();

    write("1", without, "name", "Ann");

    assertThat(rows).containsExactly("-by-age1{\"age\": 5, \"_primaryKey\": \"1\"}");
    assertThat(problems).isEmpty();
  }

  @Test
  void failsOnlyTheViewsThatNeedWhatIsGone() {
    Schema without = changed("{\"name\":\"name\",\"type\":\"string\"},", "");
    FollowedView byName = follow(BY_NAME, 1, People.SCHEMA);
    FollowedView byAge = follow(BY_AGE, 1, People.SCHEMA);
    deriver.follow(List.of(byName, byAge));
    write("1", People.SCHEMA, "name", "Ann", "age", 5);
    rows.clear();

    write("1", without, "age", 6);

    assertThat(rows)
        .containsExactly(
            "-by-name1{\"name\": \"Ann\", \"_primaryKey\": \"1\"}",
            "+by-age1{\"age\": 6, \"_primaryKey\": \"1\"}",
            "-by-age1{\"age\": 5, \"_primaryKey\": \"1\"}");
    assertThat(problems)
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.view()).isEqualTo("by-name");
              assertThat(problem.reason())
                  .matches("records of schema id \\d+ lack \"name\", which has no default; .*");
            });
    assertThat(byName.counts().failedRecords()).isEqualTo(1);
    assertThat(byAge.counts().failedRecords()).isZero();

    write("1", People.SCHEMA, "name", "Ann", "age", 6);
    assertThat(byName.counts().failedRecords()).isZero();
  }

  @Test
  void readsNumbersThatGrewOnceTheViewIsBuiltAnew() {
    String age = "{\"name\":\"age\",\"type\":[\"null\",\"int\"]";
    Schema wide = changed(age, age.replace("int", "long"));
    FollowedView old = follow(BY_AGE, 1, People.SCHEMA);
    FollowedView rebuilt = follow(BY_AGE, 2, wide);
    deriver.follow(List.of(old, rebuilt));

    write("1", People.SCHEMA, "name", "Ann", "age", 5);
    write("1", wide, "name", "Ann", "age", 5_000_000_000L);

    assertThat(rows)
        .containsExactly(
            "+by-age1{\"age\": 5, \"_primaryKey\": \"1\"}",
            "+by-age2{\"age\": 5, \"_primaryKey\": \"1\"}",
            "-by-age1{\"age\": 5, \"_primaryKey\": \"1\"}",
            "+by-age2{\"age\": 5000000000, \"_primaryKey\": \"1\"}",
            "-by-age2{\"age\": 5, \"_primaryKey\": \"1\"}");
    assertThat(problems)
        .singleElement()
        .satisfies(
            problem ->
                assertThat(problem.reason())
                    .contains("\"age\" as long, where the view was made for int"));
  }

  @Test
  void followsAFieldThatWasRenamed() {
    String name = "{\"name\":\"name\",\"type\":\"string\"}";
    Schema renamed =
        changed(name, "{\"name\":\"fullName\",\"type\":\"string\",\"aliases\":[\"name\"]}");
    deriver.follow(List.of(follow(BY_NAME, 1, People.SCHEMA)));

    write("1", People.SCHEMA, "name", "Ann");
    write("2", renamed, "fullName", "Bob");

    assertThat(rows)
        .containsExactly(
            "+by-name1{\"name\": \"Ann\", \"_primaryKey\": \"1\"}",
            "+by-name1{\"name\": \"Bob\", \"_primaryKey\": \"2\"}");
    assertThat(problems).isEmpty();
  }
}
