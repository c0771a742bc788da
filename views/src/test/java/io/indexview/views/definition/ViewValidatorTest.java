package io.indexview.views.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.views.Samples;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ViewValidatorTest {
  private final ViewValidator validator = new ViewValidator(KnownTargets.OWN);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: [name, org, cost, age, rating, active, level, born, seen], target: kv",
        "key: [tags], target: kv, shardKey: 0",
        "key: [orders.sku, name, orders.count], target: kv, shardKey: [orders.sku, name]",
        "key: [address.city, address.zip], target: kv, nulls: index",
        "key: [org], where: 'cost > 5 && tags.exists(t, t == org)', target: kv",
        "key: [org], include: [photo, notes, tags, address], target: kv, layout: key-value",
        "key: [notes.project, notes.cost-center, notes.a.b], target: kv",
        "key: [notes.project], include: [notes], target: kv, layout: key-value",
        "key: [org], include: [name], target: dynamodb, table: abc",
        "kind: document, include: [org, 'notes.x y'], target: dynamodb, table: abc,"
            + " indexes: [{name: by-note, partitionKey: org, sortKey: 'notes.x y'}]",
        "kind: document, include: [name, org, active], target: dynamodb, table: abc,"
            + " indexes: [{name: by-org, partitionKey: org, sortKey: active}]"
      })
  void acceptsWhatCanBeHonoured(String properties) {
    assertThat(problems(properties)).isEmpty();
  }

  private static ViewValidator fenced(String target) {
    return new ViewValidator(new KnownTargets(Set.of(target), Set.of()));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "key: [org, born], include: [notes, photo], target: jdbc",
        "kind: document, include: [name, seen], target: jdbc"
      })
  void knowsGenericTargets(String properties) {
    ViewDefinition definition = definition(properties);

    assertThat(
            new ViewValidator(new KnownTargets(Set.of(), Set.of("jdbc")))
                .problems(definition, Samples.PEOPLE))
        .isEmpty();
    assertThat(validator.problems(definition, Samples.PEOPLE))
        .extracting(Problem::toString)
        .singleElement()
        .asString()
        .contains("target", "jdbc", "no such target; use one of kv, dynamodb;", "connect.targets");
    assertThat(ViewDefinition.fromJson(definition.toJson())).isEqualTo(definition);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          key: [email], nulls: index, target: kvv | nulls, target
          key: [org], naming: hash, target: jdbc | naming, target
          key: [org], shardKey: 1, target: jdbc | shardKey, target
          kind: document, key: [org], include: [name], target: jdbc | key, target
          """)
  void refusesWhatGenericSinksCannotHonour(String properties, String fields) {
    assertThat(problems(properties)).extracting(Problem::field).containsExactly(fields.split(", "));
  }

  @ParameterizedTest
  @CsvSource({"key-only, layout", "key-value, ''", "list, ''"})
  void refusesRowsWithoutRevisionWhereTheyAreFenced(String layout, String field) {
    ViewDefinition definition =
        Samples.people("key: [org]\ntarget: kv\nlayout: %s".formatted(layout)).definition();

    assertThat(fenced("dynamodb").problems(definition, Samples.PEOPLE)).isEmpty();
    assertThat(fenced("kv").problems(definition, Samples.PEOPLE))
        .extracting(Problem::field)
        .isEqualTo(field.isEmpty() ? List.of() : List.of(field));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          key: [orgg], target: kv | key[0] | did you mean "org"?
          key: [address.town], target: kv | key[0] | did you mean "address.city"?
          key: [Name], target: kv | key[0] | did you mean "name"?
          key: ['address.'], target: kv | key[0] | no such field
          key: [name.first], target: kv | key[0] | has no fields
          key: [address], target: kv | key[0] | name a field inside it
          key: [notes], target: kv | key[0] | is a map, which has no order to index by; name the key of an entry
          key: [notes.], target: kv | key[0] | names no entry of the map "notes"
          key: [notes.a-b, notes.a b], target: kv | key | gives rows a field "notes_a_b", as "notes.a b" does
          key: [org], include: [notes.org, notes_org], target: kv, layout: key-value | include[1] | no such field
          key: [photo], target: kv | key[0] | of type bytes
          key: [either], target: kv | key[0] | a union of several types
          key: [either.x], target: kv | key[0] | a union of several types
          key: [orders], target: kv | key[0] | is a record
          key: [org, org], target: kv | key[1] | is there twice
          key: [org], where: nme == 'x', target: kv | where | column 1: "nme": no such field in schema test.Person; did you mean "name"?
          key: [org], where: cost > 1 +, target: kv | where | column 11: syntax: mismatched input the end
          key: [org], where: size(name), target: kv | where | expected type 'bool' but found 'int'
          key: [org], where: '', target: kv | where | is empty
          key: [tags, orders.sku], target: kv | key[1] | one array
          key: [], target: kv | key | is missing
          key: [org], shardKey: 2, target: kv | shardKey | use 0 to 1
          key: [org], shardKey: -1, target: kv | shardKey | use 0 to 1
          key: [org, name], shardKey: [name], target: kv | shardKey | the key begins with [org]
          key: [org], shardKey: [org, name], target: kv | shardKey | leading run
          key: [org], maxRowsPerRecord: 0, target: kv | maxRowsPerRecord | use 1 to
          key: [org], include: [name], target: kv | include | layout: key-value
          key: [tags], include: [tags], target: kv, layout: key-value | include | fans it out
          key: [org], include: [orders.sku], target: kv, layout: key-value | include[0] | include the array
          key: [org], include: [nme], target: kv, layout: key-value | include[0] | did you mean "name"?
          key: [org], include: [name, name], target: kv, layout: key-value | include[1] | twice
          key: [org], include: [either], target: kv, layout: key-value | include[0] | union of several
          key: [org], target: kv, prefix: a/b | prefix | use 1 to 32
          key: [org], target: kv, prefix: META | metaPrefix | use another
          key: [org], layout: list, maxElements: 0, target: kv | maxElements | 1 to 10000
          key: [org], layout: list, maxElements: 10001, target: kv | maxElements | layout: key-value
          key: [org], primaryKeyForm: components, target: kv | primaryKeyForm | layout: key-value
          kind: document, include: [name], layout: key-value, target: kv | kind | target: dynamodb
          key: [org], target: dynamodb, table: ab | table | 3 to 240
          key: [org], target: dynamodb, table: abc-g2 | table | later generation
          key: [org], target: dynamodb, table: abc, shardKey: 0 | shardKey | 1 or more
          key: [org], target: dynamodb, table: abc, naming: hash | naming | remove naming
          key: [org], target: dynamodb, table: abc, indexes: [{name: abc, partitionKey: org}] | indexes | kind: document
          kind: document, include: [org], shardKey: 1, target: dynamodb, table: abc | shardKey | no meaning
          kind: document, include: [org], nulls: index, target: dynamodb, table: abc | nulls | no meaning
          kind: document, include: [either], target: dynamodb, table: abc | include[0] | union of several
          kind: document, include: [org], target: dynamodb, table: abc, indexes: [{name: ab, partitionKey: org}] | indexes[0].name | 3 to 255
          kind: document, include: [org], target: dynamodb, table: abc, indexes: [{name: abc, partitionKey: orgg}] | indexes[0].partitionKey | did you mean "org"?
          kind: document, include: [tags], target: dynamodb, table: abc, indexes: [{name: abc, partitionKey: tags}] | indexes[0].partitionKey | is an array
          kind: document, include: [org], target: dynamodb, table: abc, indexes: [{name: abc, partitionKey: org, sortKey: org}] | indexes[0].sortKey | is the partition key
          """)
  void refusesWhatCannotBeHonoured(String properties, String field, String message) {
    assertThat(problems(properties))
        .singleElement()
        .satisfies(
            problem -> {
              assertThat(problem.field()).isEqualTo(field);
              assertThat(problem.message()).contains(message);
            });
  }

  @Test
  void tellsAllProblemsAtOnce() {
    ViewDefinition definition =
        Samples.definition(
            """
            name: By_Org
            source: persons
            key: [orgg, notes, tags, orders.sku]
            shardKey: 9
            include: [nope]
            where: nope > 1 && name > 5
            maxRowsPerRecord: 0
            target: kv
            prefix: ''
            """);

    assertThat(validator.problems(definition, Samples.PEOPLE))
        .extracting(Problem::field)
        .containsExactlyInAnyOrder(
            "name",
            "source",
            "key[0]",
            "key[1]",
            "key[3]",
            "include[0]",
            "shardKey",
            "maxRowsPerRecord",
            "prefix",
            "include",
            "where",
            "where");
    assertThatThrownBy(() -> validator.validate(definition, Samples.PEOPLE))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("view \"By_Org\" is not valid:\n  - name \"By_Org\": use 1 to 60");
  }

  @Test
  void refusesNamesOfLaterGenerations() {
    ViewDefinition definition =
        Samples.definition("{name: a-g2, source: people, key: [org], target: kv}");
    assertThat(validator.problems(definition, Samples.PEOPLE))
        .singleElement()
        .hasToString("name \"a-g2\": ends like the name of a later generation (-g and a number)");
  }

  @Test
  void refusesDocumentKeysThatDoNotIdentify() {
    RecordSet files = Samples.FILES;
    RecordSet manyBuckets =
        new RecordSet("files", files.topic(), files.format(), List.of(), files.schema());
    RecordSet both =
        new RecordSet(
            "files",
            files.topic(),
            files.format(),
            List.of("bucketName", "objectKey"),
            files.schema());
    ViewDefinition byKey = document("key: [objectKey]");

    assertThat(validator.problems(byKey, files)).isEmpty();
    assertThat(validator.problems(document("key: [bucketName, objectKey]"), both)).isEmpty();
    assertThat(validator.problems(document("key: []"), manyBuckets)).isEmpty();
    assertThat(validator.problems(byKey, manyBuckets))
        .singleElement()
        .satisfies(problem -> assertThat(problem.message()).contains("two records could share it"));
    assertThat(validator.problems(byKey, both)).hasSize(1);
    assertThat(validator.problems(document("key: [objectKey, size]"), files))
        .singleElement()
        .satisfies(problem -> assertThat(problem.message()).contains("can be null"));
  }

  private static ViewDefinition document(String key) {
    return Samples.definition(
        "{name: files, source: files, kind: document, target: dynamodb, table: Files, "
            + key
            + "}");
  }

  @Test
  void refusesNamesThatCollide() {
    assertThat(problems("key: [address.zip, org], include: [_revision], target: kv"))
        .extracting(Problem::field)
        .contains("include[0]");
    RecordSet odd =
        new RecordSet(
            "people",
            "t",
            Samples.PEOPLE.format(),
            List.of(),
            org.apache.avro.SchemaBuilder.record("R")
                .fields()
                .requiredString("_primaryKey")
                .requiredString("revision")
                .requiredString("a_b")
                .requiredString("b")
                .name("a")
                .type()
                .record("A")
                .fields()
                .requiredString("b")
                .endRecord()
                .noDefault()
                .endRecord());

    assertThat(validator.problems(definition("key: [_primaryKey, a_b, a.b, b], target: kv"), odd))
        .extracting(Problem::toString)
        .containsExactlyInAnyOrder(
            "key \"_primaryKey\": gives rows a field \"_primaryKey\", a name kept for Indexview;"
                + " list the other fields in include",
            "key \"a_b\": gives rows a field \"a_b\", as \"a.b\" does; leave one out");
    assertThat(validator.problems(definition("key: [revision], target: kv"), odd)).isEmpty();
    assertThat(
            validator.problems(
                definition("kind: document, include: [revision], target: dynamodb, table: abc"),
                odd))
        .hasSize(1);
  }

  private List<Problem> problems(String properties) {
    return validator.problems(definition(properties), Samples.PEOPLE);
  }

  private static ViewDefinition definition(String properties) {
    return Samples.definition("{name: v, source: people, " + properties + "}");
  }
}
