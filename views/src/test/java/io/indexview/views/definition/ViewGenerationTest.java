package io.indexview.views.definition;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.views.Samples;
import io.indexview.views.derive.RowSchemas;
import java.util.List;
import org.apache.avro.Schema;
import org.junit.jupiter.api.Test;

class ViewGenerationTest {
  private static final Topics TOPICS = new Topics("indexview");

  @Test
  void namesItsTopicAndRowsByGeneration() {
    ViewDefinition definition =
        Samples.definition("{name: by-org, source: people, key: [org], target: kv}");

    ViewGeneration first = ViewGeneration.freeze(definition, 1, Samples.PEOPLE, TOPICS);
    ViewGeneration third = ViewGeneration.freeze(definition, 3, Samples.PEOPLE, TOPICS);

    assertThat(first.storeName()).isEqualTo("by-org");
    assertThat(third.storeName()).isEqualTo("by-org-g3");
    assertThat(third.baseName()).isEqualTo("by-org");
    assertThat(third.viewTopic()).isEqualTo("indexview.view.kv.by-org.3");
    assertThat(third.sourceTopic()).isEqualTo("indexview.changes.people");
  }

  @Test
  void keepsTheTableOfAViewSwappedInPlace() {
    String document = "name: f, source: files, kind: document, target: dynamodb, table: Files";
    assertThat(freezeFiles("{" + document + "}", 2).storeName()).isEqualTo("Files-g2");
    assertThat(freezeFiles("{" + document + ", swap: in-place}", 2).storeName()).isEqualTo("Files");
  }

  private static ViewGeneration freezeFiles(String yaml, int number) {
    return ViewGeneration.freeze(Samples.definition(yaml), number, Samples.FILES, TOPICS);
  }

  @Test
  void hashesSchemaAndFieldNames() {
    String hash = Samples.people("key: [org]\nnaming: hash\ntarget: kv").storeName();

    assertThat(hash).matches("[A-Za-z0-9_-]{43}");
    assertThat(hash)
        .isEqualTo(Samples.people("key: [org]\nnaming: hash\ntarget: kv\nnulls: index").storeName())
        .isNotEqualTo(Samples.people("key: [name]\nnaming: hash\ntarget: kv").storeName());
  }

  @Test
  void saysWhichViewItIsOf() {
    ViewGeneration frozen = Samples.people("key: [org]\ntarget: kv");
    ViewGeneration ours = frozen.withUid("uid-1");

    assertThat(ours).isNotEqualTo(frozen);
    assertThat(ViewGeneration.fromJson(ours.toJson())).isEqualTo(ours);
    assertThat(ViewGeneration.ofKeySchema(RowSchemas.of(ours).key())).isEqualTo(ours);
    String without = ours.toJson().replace("\"uid\":\"uid-1\",", "");
    assertThat(without).isNotEqualTo(ours.toJson());
    assertThat(ViewGeneration.fromJson(without)).isEqualTo(frozen);
  }

  @Test
  void survivesJson() {
    for (String yaml :
        List.of(
            "key: [org, tags]\nshardKey: 1\ntarget: kv",
            "key: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv",
            "key: [org]\nlayout: list\nmaxElements: 7\ntarget: kv",
            "key: [org]\nlayout: key-value\nprimaryKeyForm: components\ntarget: kv",
            "key: [org]\nwhere: name == \"x\" && cost > 5\ntarget: kv",
            "key: [org]\ntarget: dynamodb\ntable: abc")) {
      ViewGeneration generation = Samples.people(yaml);

      ViewGeneration back = ViewGeneration.fromJson(generation.toJson());

      assertThat(back).isEqualTo(generation);
      assertThat(back.toJson()).isEqualTo(generation.toJson());
    }
  }

  /** What was published before there were filters must stay what it is, byte for byte. */
  @Test
  void keepsTheTextOfDefinitionsWithoutAFilter() {
    assertThat(Samples.definition("{name: v, source: people, key: [org], target: kv}").toJson())
        .isEqualTo(
            "{\"name\":\"v\",\"source\":\"people\",\"kind\":\"index\",\"key\":[\"org\"],"
                + "\"nulls\":\"skip\",\"naming\":\"plain\",\"maxRowsPerRecord\":1000,"
                + "\"target\":\"kv\",\"layout\":\"key-only\",\"prefix\":\"IDX\","
                + "\"metaPrefix\":\"META\"}");
  }

  @Test
  void travelsInTheKeySchema() {
    ViewGeneration generation = Samples.people("key: [org]\ntarget: kv");
    String published = RowSchemas.of(generation).key().toString();

    Schema received = new Schema.Parser().parse(published);

    assertThat(ViewGeneration.ofKeySchema(received)).isEqualTo(generation);
    assertThatThrownBy(() -> ViewGeneration.ofKeySchema(Samples.PERSON))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("test.Person carries no view generation");
  }

  @Test
  void toleratesFieldsOfLaterReleases() {
    ViewGeneration generation = Samples.people("key: [org]\ntarget: kv");
    String later =
        generation
            .toJson()
            .replaceFirst("\\{", "{\"colour\":\"red\",")
            .replace("\"definition\":{", "\"definition\":{\"shade\":{\"x\":1},");

    assertThat(ViewGeneration.fromJson(later)).isEqualTo(generation);
  }

  @Test
  void refusesWhatItCannotUnderstand() {
    String json = Samples.people("key: [org]\ntarget: kv").toJson();

    assertThatThrownBy(
            () ->
                ViewGeneration.fromJson(
                    json.replace("\"encodingVersion\":1", "\"encodingVersion\":2")))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("encodingVersion 2")
        .hasMessageContaining("upgrade");
    for (String broken :
        List.of(
            "",
            "{",
            "[]",
            "{}",
            json.replace("\"viewTopic\"", "\"topic\""),
            json.replace("envelope", "ringbinder"),
            json.replace("\"kv\"", "\"tape\""))) {
      assertThatThrownBy(() -> ViewGeneration.fromJson(broken))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageStartingWith("view generation: ");
    }
  }

  @Test
  void refusesToFreezeAnInvalidDefinition() {
    assertThatThrownBy(() -> Samples.people("key: [nope]\ntarget: kv"))
        .isInstanceOf(InvalidViewException.class);
  }

  @Test
  void namesFieldsByTheEndOfTheirPath() {
    ViewFields fields =
        Samples.people(
                "key: [address.city, orders.sku]\ninclude: [address.zip, name]\n"
                    + "layout: key-value\ntarget: kv\nnulls: index")
            .fields();

    assertThat(fields.key()).extracting(ViewFields.KeyField::name).containsExactly("city", "sku");
    assertThat(fields.key()).extracting(ViewFields.KeyField::nullable).containsExactly(true, true);
    assertThat(fields.values())
        .extracting(ViewFields.ValueField::name)
        .containsExactly("zip", "name");
    assertThat(fields.array()).isEqualTo("orders");
  }
}
