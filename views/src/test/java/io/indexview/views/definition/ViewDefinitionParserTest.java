package io.indexview.views.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.indexview.views.Samples;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ViewDefinitionParserTest {
  private final ViewDefinitionParser parser = new ViewDefinitionParser();

  @Test
  void readsYamlAndJsonAlike() {
    ViewDefinition yaml =
        parser.parse(
            "by-org.yaml",
            """
            name: by-org
            source: people
            key: [org, address.city]
            shardKey: 1
            include: [email]
            where: cost > 5
            nulls: index
            naming: hash
            maxRowsPerRecord: 10
            target: kv
            layout: key-value
            primaryKeyForm: components
            prefix: I
            """);
    ViewDefinition json =
        parser.parse(
            "request",
            """
            {"name": "by-org", "source": "people", "key": ["org", "address.city"], "shardKey": 1,
             "include": ["email"], "where": "cost > 5", "nulls": "index", "naming": "hash", "maxRowsPerRecord": 10,
             "target": "kv", "layout": "key-value",
             "primaryKeyForm": "components", "prefix": "I"}
            """);

    assertThat(yaml)
        .isEqualTo(json)
        .isEqualTo(
            new ViewDefinition(
                "by-org",
                "people",
                ViewDefinition.Kind.INDEX,
                List.of("org", "address.city"),
                new ViewDefinition.ShardKey.Leading(1),
                List.of("email"),
                "cost > 5",
                ViewDefinition.Nulls.INDEX,
                ViewDefinition.Naming.HASH,
                10,
                new Target.Kv(
                    Target.KvRows.KEY_VALUE, Target.PrimaryKeyForm.COMPONENTS, 1_000, "I", "META"),
                null));
  }

  @Test
  void readsDynamoDbDocuments() {
    ViewDefinition definition =
        parser.parse(
            "files.yml",
            """
            name: files
            source: files
            kind: document
            key: [objectKey]
            target: dynamodb
            table: FileMetaData
            swap: in-place
            indexes:
              - name: uploadUser-uploadDate-index
                partitionKey: uploadUser
                sortKey: uploadDate
              - {name: bucketName-index, partitionKey: bucketName}
            """);

    assertThat(definition.target())
        .isEqualTo(
            new Target.DynamoDb(
                "FileMetaData",
                List.of(
                    new Target.GlobalIndex(
                        "uploadUser-uploadDate-index", "uploadUser", "uploadDate"),
                    new Target.GlobalIndex("bucketName-index", "bucketName", null)),
                Target.Swap.IN_PLACE));
    assertThat(definition.include()).isNull();
  }

  @ParameterizedTest
  @CsvSource({
    "never, PT0S, never",
    "90m, PT90M, 90m",
    "60m, PT1H, 1h",
    "12h, PT12H, 12h",
    "48h, P2D, 2d"
  })
  void readsHowOftenAViewIsVerified(String text, Duration interval, String canonical) {
    String rest = "{name: a, source: s, key: [x], target: kv";
    ViewDefinition plain = parser.parse("a.yaml", rest + "}");
    ViewDefinition definition =
        parser.parse("a.yaml", rest + ", verification: {interval: " + text + "}}");

    assertThat(definition.verificationInterval()).isEqualTo(interval);
    assertThat(definition.toJson()).as("what is built").isEqualTo(plain.toJson());
    assertThat(definition.withoutVerification()).isEqualTo(plain);
    String written = ViewDefinition.written(definition.toJson(), Optional.of(interval));
    assertThat(written).contains("\"verification\":{\"interval\":\"" + canonical + "\"}");
    assertThat(parser.parse("json", written)).isEqualTo(definition);
    assertThat(ViewDefinition.written(plain.toJson(), Optional.empty())).isEqualTo(plain.toJson());
  }

  @Test
  void namesAllThatIsWrongWithAVerification() {
    InvalidViewException refused =
        refusal(
            "name: a\nsource: s\nkey: [x]\ntarget: kv\nnulls: none\nverification: {intervall: 1h,"
                + " interval: 30s}");
    assertThat(refused.problems())
        .extracting(Problem::field)
        .containsExactlyInAnyOrder("nulls", "verification.intervall", "verification.interval");
    assertThat(refused)
        .hasMessageContaining("30s")
        .hasMessageContaining("30m, 12h or 7d, or never");

    for (String verification :
        List.of("12h", "{interval: 3600}", "{interval: 0h}", "{}", "[12h]", "{interval: [1h]}")) {
      assertThat(
              refusal(
                      "{name: a, source: s, key: [x], target: kv, verification: "
                          + verification
                          + "}")
                  .problems())
          .as(verification)
          .hasSize(1);
    }
  }

  @Test
  void readsItsOwnJsonBack() {
    for (String yaml :
        List.of(
            "{name: a, source: s, key: [x, y], shardKey: [x], target: kv}",
            "{name: a, source: s, key: [x], include: [], target: kv, layout: key-value}",
            "{name: a, source: s, key: [x], target: kv, layout: list, maxElements: 5}",
            "{name: a, source: s, kind: document, target: dynamodb, table: abc, indexes: [{name:"
                + " iii, partitionKey: p}]}")) {
      ViewDefinition definition = parser.parse("a.yaml", yaml);

      assertThat(parser.parse("json", definition.toJson())).isEqualTo(definition);
      assertThat(parser.parse("json", definition.toJson()).toJson()).isEqualTo(definition.toJson());
    }
  }

  @Test
  void tellsAllProblemsOfFormAtOnce() {
    List<Problem> problems =
        problems(
            """
            nme: by-org
            source: 7
            key: org
            include: [a, 5]
            nulls: skipp
            where: 5
            maxRowsPerRecord: many
            target: kv
            maxElements: 5
            table: People
            """);

    assertThat(problems)
        .extracting(Problem::toString)
        .containsExactlyInAnyOrder(
            "nme \"by-org\": no such property; did you mean \"name\"?",
            "name: is missing; give a text",
            "source \"7\": is no text; write a text, in quotes if it looks like a number",
            "key \"org\": is no list; write [org]",
            "include[1] \"5\": is no text; write a field path",
            "nulls \"skipp\": no such nulls; did you mean \"skip\"?",
            "where \"5\": is no text; write a text, in quotes if it looks like a number",
            "maxRowsPerRecord \"many\": is no whole number; write one",
            "maxElements \"5\": belongs to layout list; remove it",
            "table \"People\": belongs to target dynamodb; remove it");
  }

  @Test
  void tellsProblemsInsideIndexes() {
    assertThat(
            problems(
                """
                name: files
                source: files
                kind: document
                target: dynamodb
                indexes: [{name: abc, partitionKye: x}, 5]
                """))
        .extracting(Problem::field)
        .containsExactlyInAnyOrder(
            "indexes[0].partitionKye", "indexes[0].partitionKey", "indexes[1]");
  }

  @Test
  void refusesDuplicateProperties() {
    assertThat(problems("name: a\nname: b\n").get(0).message()).contains("uplicate").contains("2");
    assertThatThrownBy(() -> parser.parse("x", "{\"name\": \"a\", \"name\": \"b\"}"))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("uplicate");
  }

  @Test
  void refusesTextsThatHoldNoDefinition() {
    for (String text : List.of("", "just text", "[1, 2]", "# comment", "null")) {
      assertThat(problems(text).get(0).message()).contains("holds no view definition");
    }
    for (String text : List.of("name: [", "{\"name\": ", "a: 1\n---\nb: 2\n", "{} {}")) {
      assertThat(problems(text)).hasSize(1);
    }
  }

  @Test
  void tellsProblemsOfAllTextsAtOnce() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("a.yaml", "{name: by-org, source: people, key: [orgg], target: kv, nulls: x}");
    texts.put("b.yaml", "{name: by-org, source: peple, key: [org], target: kv}");
    texts.put("c.yaml", "name: [");
    texts.put("d.yaml", "{name: by-org, source: people, key: [org], target: kv}");
    texts.put("e.yaml", "{name: h1, source: people, key: [org], target: kv, naming: hash}");
    texts.put("f.yaml", "{name: h2, source: people, key: [org], target: kv, naming: hash}");

    InvalidViewException refused =
        catchThrowableOfType(
            InvalidViewException.class,
            () -> parser.parseAll(texts, Map.of("people", Samples.PEOPLE)));

    assertThat(refused.problems())
        .extracting(Problem::field)
        .containsExactly(
            "a.yaml: nulls",
            "a.yaml: key[0]",
            "b.yaml: source",
            "c.yaml",
            "d.yaml: name",
            "f.yaml: naming");
    assertThat(refused)
        .hasMessageContaining("did you mean \"org\"?")
        .hasMessageContaining("did you mean \"people\"?")
        .hasMessageContaining("is taken by a.yaml");
  }

  @Test
  void refusesKeysOfTheKvStoreThatOtherViewsHaveForSomethingElse() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put("a", view("a", "prefix: R1, metaPrefix: M1"));
    texts.put("b", view("b", "prefix: R1, metaPrefix: M1"));
    texts.put("rows-in-metadata", view("c", "prefix: M1"));
    texts.put("rows-in-history", view("d", "prefix: M1-history"));
    texts.put("metadata-in-rows", view("e", "metaPrefix: R1"));
    texts.put("history-in-rows", view("f", "prefix: R2-history"));
    texts.put("history-in-rows-2", view("g", "metaPrefix: R2"));
    texts.put("metadata-in-history", view("h", "metaPrefix: M1-history"));
    texts.put("rows-in-owners", view("i", "prefix: R1-owner"));
    texts.put("metadata-in-owners", view("j", "metaPrefix: R1-owner"));

    InvalidViewException refused =
        catchThrowableOfType(
            InvalidViewException.class,
            () -> parser.parseAll(texts, Map.of("people", Samples.PEOPLE)));

    assertThat(refused.problems())
        .extracting(Problem::field)
        .containsExactly(
            "rows-in-metadata: prefix",
            "rows-in-history: prefix",
            "metadata-in-rows: metaPrefix",
            "history-in-rows-2: metaPrefix",
            "metadata-in-history: metaPrefix",
            "rows-in-owners: prefix",
            "metadata-in-owners: metaPrefix");
    assertThat(refused.problems().get(0).value()).isEqualTo("M1");
    assertThat(refused.problems().get(0).message())
        .isEqualTo("holds the metadata of a; use another");
  }

  @Test
  void refusesRowsBesideTheMetadataOfTheSameView() {
    Map<String, String> texts = Map.of("x", view("x", "prefix: M-history, metaPrefix: M"));

    assertThatThrownBy(() -> parser.parseAll(texts, Map.of("people", Samples.PEOPLE)))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("prefix")
        .hasMessageContaining("belongs to the metadata; use another");
  }

  @Test
  void refusesMetadataBesideTheRowsOfTheSameView() {
    Map<String, String> texts = Map.of("x", view("x", "prefix: R, metaPrefix: R-owner"));

    assertThatThrownBy(() -> parser.parseAll(texts, Map.of("people", Samples.PEOPLE)))
        .isInstanceOf(InvalidViewException.class)
        .hasMessageContaining("metaPrefix")
        .hasMessageContaining("belongs to the rows; use another");
  }

  private static String view(String name, String prefixes) {
    return "name: %s\nsource: people\nkey: [org]\ntarget: kv\n%s\n"
        .formatted(name, prefixes.replace(", ", "\n"));
  }

  @Test
  void readsAllTextsInTheirOrder() {
    Map<String, String> texts = new LinkedHashMap<>();
    texts.put(
        "z", "{\"name\": \"z\", \"source\": \"people\", \"key\": [\"org\"], \"target\": \"kv\"}");
    texts.put("a.yaml", "{name: a, source: people, key: [org], target: kv}");

    assertThat(parser.parseAll(texts, Map.of("people", Samples.PEOPLE)))
        .extracting(ViewDefinition::name)
        .containsExactly("z", "a");
  }

  private List<Problem> problems(String text) {
    return refusal(text).problems();
  }

  private InvalidViewException refusal(String text) {
    return catchThrowableOfType(InvalidViewException.class, () -> parser.parse("test", text));
  }
}
