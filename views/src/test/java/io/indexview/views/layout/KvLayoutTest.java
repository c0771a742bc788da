package io.indexview.views.layout;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.Topics;
import io.indexview.views.Samples;
import io.indexview.views.definition.ViewDefinition;
import io.indexview.views.definition.ViewGeneration;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KvLayoutTest {
  private static final String ANN = "/Corporate/people/-/10012";
  private static final Map<String, Object> KEY =
      Map.of("org", "Support", "cost", 1500L, "born", 17_398, "_primaryKey", ANN);

  @Test
  void putsAllValuesIntoTheMajorPath() {
    KvLayout layout = layout("key: [org, cost]\ntarget: kv");

    assertThat(layout.path(KEY::get))
        .isEqualTo(
            new KvPath(
                List.of("IDX", "v", "Support", "d1500"),
                List.of("Corporate", "people", "-", "10012")));
    assertThat(layout.value(KEY::get, name -> null, 7)).isEmpty();
  }

  @Test
  void putsTheRestIntoTheMinorPath() {
    KvLayout layout = layout("key: [org, cost, born]\nshardKey: 1\ntarget: kv\nprefix: I");

    KvPath path = layout.path(KEY::get);

    assertThat(path)
        .isEqualTo(
            new KvPath(
                List.of("I", "v", "Support"),
                List.of("d1500", "2017-08-20", "Corporate", "people", "-", "10012")));
    StoredRow row = layout.row(path, new byte[0]);
    assertThat(row.primaryKey()).isEqualTo(ANN);
    assertThat(row.key())
        .isEqualTo(Map.of("org", "Support", "cost", 1500L, "born", LocalDate.of(2017, 8, 20)));
    assertThat(row.revision()).isEmpty();
    assertThat(row.deleted()).isFalse();
  }

  @Test
  void putsNoValueIntoTheMajorPathWithoutShardKey() {
    KvLayout layout = layout("key: [org]\nshardKey: 0\ntarget: kv");

    assertThat(layout.path(KEY::get).major()).containsExactly("IDX", "v");
    assertThat(layout.prefix(List.of("Support")))
        .isEqualTo(new KvPath(List.of("IDX", "v"), List.of("Support")));
  }

  @Test
  void keepsFieldsAndRevisionInKeyValueRows() {
    KvLayout layout =
        layout(
            "key: [org]\ninclude: [name, age, seen, notes, photo]\nlayout: key-value\n"
                + "target: kv");
    Map<String, Object> value = new HashMap<>();
    value.put("name", "Ann");
    value.put("notes", Map.of("a", "b"));
    value.put("photo", new byte[] {1});

    KvPath path = layout.path(KEY::get);
    byte[] stored = layout.value(KEY::get, value::get, 42);

    assertThat(path.major()).containsExactly("IDX", "v", "Support");
    assertThat(path.minor()).singleElement().asString().matches("[A-Za-z0-9_-]{22}");
    assertThat(new String(stored, StandardCharsets.UTF_8))
        .isEqualTo(
            "{\"_primaryKey\":\"/Corporate/people/-/10012\",\"_revision\":42,\"name\":\"Ann\","
                + "\"age\":null,\"seen\":null,\"notes\":{\"a\":\"b\"},\"photo\":\"AQ==\"}");
    StoredRow row = layout.row(path, stored);
    assertThat(row.primaryKey()).isEqualTo(ANN);
    assertThat(row.revision()).hasValue(42);
    assertThat(row.values())
        .containsEntry("name", "Ann")
        .containsEntry("age", null)
        .containsEntry("notes", Map.of("a", "b"))
        .containsEntry("photo", ByteBuffer.wrap(new byte[] {1}));
  }

  @Test
  void marksDeletedRowsWhereRowsHoldARevision() {
    KvLayout layout = layout("key: [org]\ninclude: [name]\nlayout: key-value\ntarget: kv");

    StoredRow row = layout.row(layout.path(KEY::get), layout.deletionMarker(KEY::get, 43));

    assertThat(row.deleted()).isTrue();
    assertThat(row.revision()).hasValue(43);
    assertThat(row.primaryKey()).isEqualTo(ANN);
    assertThat(row.values()).isEmpty();
    assertThatThrownBy(() -> layout("key: [org]\ntarget: kv").deletionMarker(KEY::get, 1))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("no revision");
  }

  @Test
  void holdsThePrimaryKeyAsAnArrayOfItsComponents() {
    String definition = "key: [org]\nlayout: key-value\ntarget: kv\n";
    KvLayout components = layout(definition + "primaryKeyForm: components");

    byte[] stored = components.value(KEY::get, name -> null, 42);

    assertThat(new String(stored, StandardCharsets.UTF_8))
        .isEqualTo("{\"_primaryKey\":[\"Corporate\",\"people\",\"-\",\"10012\"],\"_revision\":42}");
    KvPath path = components.path(KEY::get);
    assertThat(components.row(path, stored).primaryKey()).isEqualTo(ANN);
    assertThat(components.row(path, components.deletionMarker(KEY::get, 43)).primaryKey())
        .isEqualTo(ANN);
    assertThat(layout(definition).row(path, stored).primaryKey()).isEqualTo(ANN);
  }

  @Test
  void takesAChangeOnlyOverAnOlderOne() {
    KvLayout layout = layout("key: [org]\nlayout: key-value\ntarget: kv");
    byte[] row = layout.value(KEY::get, name -> null, 42);
    byte[] marker = layout.deletionMarker(KEY::get, 43);

    assertThat(layout.merged(null, row)).hasValue(row);
    assertThat(layout.merged(row, marker)).hasValue(marker);
    assertThat(layout.merged(row, row)).isEmpty();
    assertThat(layout.merged(marker, row)).isEmpty();
    assertThatThrownBy(() -> layout.merged(new byte[0], row)).isInstanceOf(LayoutException.class);
    assertThatThrownBy(() -> layout.merged("[]".getBytes(StandardCharsets.UTF_8), row))
        .isInstanceOf(LayoutException.class);
  }

  @Test
  void forgetsOldDeletionMarkersOnly() {
    KvLayout layout = layout("key: [org]\nlayout: key-value\ntarget: kv");
    byte[] row = layout.value(KEY::get, name -> null, 42);
    byte[] marker = layout.deletionMarker(KEY::get, 42);

    assertThat(layout.withoutMarkers(row, 100)).hasValue(row);
    assertThat(layout.withoutMarkers(marker, 42)).hasValue(marker);
    assertThat(layout.withoutMarkers(marker, 43)).isEmpty();
  }

  @Test
  void listsAllPrimaryKeysOfAKeyInOneRecord() {
    KvLayout layout =
        layout("key: [org, cost]\nshardKey: 1\ninclude: [name]\nlayout: list\ntarget: kv");
    Map<String, Object> bobsKey = Map.of("org", "Support", "cost", 1500L, "_primaryKey", "/Bob");
    byte[] ann = layout.value(KEY::get, name -> "Ann", 42);
    byte[] bob = layout.value(bobsKey::get, name -> "Bob", 43);

    KvPath path = layout.path(KEY::get);
    byte[] both = layout.merged(ann, bob).orElseThrow();

    assertThat(path)
        .isEqualTo(layout.path(bobsKey::get))
        .isEqualTo(new KvPath(List.of("IDX", "v", "Support"), List.of("d1500", "list")));
    assertThat(new String(both, StandardCharsets.UTF_8))
        .isEqualTo(
            "[{\"_primaryKey\":\"/Bob\",\"_revision\":43,\"name\":\"Bob\"},"
                + "{\"_primaryKey\":\"/Corporate/people/-/10012\",\"_revision\":42,\"name\":\"Ann\"}]");
    assertThat(layout.rows(path, both))
        .extracting(StoredRow::primaryKey)
        .containsExactly("/Bob", ANN);
    assertThat(layout.merged(both, ann)).isEmpty();
    byte[] annIsGone = layout.merged(both, layout.deletionMarker(KEY::get, 44)).orElseThrow();
    assertThat(layout.merged(annIsGone, ann)).isEmpty();
    assertThat(layout.rows(path, annIsGone))
        .extracting(StoredRow::deleted)
        .containsExactly(false, true);
    assertThat(layout.withoutMarkers(annIsGone, 44)).containsSame(annIsGone);
    assertThat(layout.withoutMarkers(annIsGone, 45)).hasValue(bob);
    assertThat(layout.withoutMarkers(layout.deletionMarker(KEY::get, 44), 45)).isEmpty();
  }

  @Test
  void refusesOneRowTooManyInAList() {
    KvLayout layout = layout("key: [org]\nlayout: list\nmaxElements: 2\ntarget: kv");
    byte[] list = listed(layout, "/a", 1);
    list = layout.merged(list, listed(layout, "/b", 2)).orElseThrow();
    Map<String, Object> a = Map.of("org", "Support", "_primaryKey", "/a");
    byte[] full = layout.merged(list, layout.deletionMarker(a::get, 3)).orElseThrow();

    assertThatThrownBy(() -> layout.merged(full, listed(layout, "/c", 4)))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("1 primary keys and 1 deleted ones", "maxElements is 2");
    Map<String, Object> d = Map.of("org", "Support", "_primaryKey", "/d");
    assertThat(layout.merged(full, layout.deletionMarker(d::get, 4))).isEmpty();
    assertThat(layout.merged(full, listed(layout, "/a", 4))).isPresent();
  }

  private static byte[] listed(KvLayout layout, String primaryKey, long revision) {
    Map<String, Object> key = Map.of("org", "Support", "_primaryKey", primaryKey);
    return layout.value(key::get, name -> null, revision);
  }

  @Test
  void leadsToRowsByLeadingValues() {
    KvLayout layout = layout("key: [org, cost, born]\nshardKey: 2\ntarget: kv");

    assertThat(layout.prefix(List.of())).isEqualTo(new KvPath(layout.parent(), List.of()));
    assertThat(layout.prefix(List.of("Support", 7L)).major())
        .containsExactly("IDX", "v", "Support", "a7");
    assertThat(layout.prefix(List.of("Support", 7L, LocalDate.of(2017, 8, 20))).minor())
        .containsExactly("2017-08-20");
    assertThat(layout.component(1, 10L)).isEqualTo("b10");
    assertThatThrownBy(() -> layout.prefix(List.of("a", 1L, 2, "b")))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("[org, cost, born]");
    assertThatThrownBy(() -> layout.prefix(List.of(5)))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("key field \"org\"");
  }

  @Test
  void keepsGenerationsApart() {
    ViewDefinition definition =
        Samples.definition("{name: v, source: people, key: [org], target: kv}");
    KvLayout first = KvLayout.of(generation(definition, 1));
    KvLayout second = KvLayout.of(generation(definition, 2));

    assertThat(first.parent()).containsExactly("IDX", "v");
    assertThat(second.parent()).containsExactly("IDX", "v-g2");
    assertThat(second.metadataParent()).isEqualTo(first.metadataParent());
    assertThatThrownBy(() -> second.row(first.path(KEY::get), new byte[0]))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("/IDX/v-g2");
  }

  private static ViewGeneration generation(ViewDefinition definition, int number) {
    return ViewGeneration.freeze(
        definition, number, Samples.PEOPLE, new Topics(Topics.DEFAULT_PREFIX));
  }

  @Test
  void namesMetadataBySchemaFieldsAndState() {
    assertThat(layout("key: [org, address.city]\ntarget: kv").metadata("READY"))
        .isEqualTo(
            new KvPath(
                List.of("META", "v"), List.of("test.Person", "org", "address.city", "READY")));
  }

  @Test
  void refusesKeysThatAreTooLong() {
    KvLayout layout = layout("key: [org]\ntarget: kv");
    Map<String, Object> key = Map.of("org", "é".repeat(16_400), "_primaryKey", ANN);
    assertThatThrownBy(() -> layout.path(key::get))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("the store takes 32767");
  }

  @Test
  void refusesKeysAndValuesThatAreNoRows() {
    KvLayout keyOnly = layout("key: [cost]\ntarget: kv");
    KvLayout keyValue = layout("key: [cost]\nlayout: key-value\ntarget: kv");
    assertNoRow(keyOnly, List.of("IDX", "v"), List.of("x"), "");
    assertNoRow(keyOnly, List.of("IDX", "v", "x1"), List.of("a"), "");
    assertNoRow(keyOnly, List.of("IDX", "v", "a1"), List.of(), "");
    assertNoRow(keyOnly, List.of("IDX", "v", "a1"), List.of("x"), "1");
    assertNoRow(keyValue, List.of("IDX", "v", "a1"), List.of("a"), "{");
    assertNoRow(keyValue, List.of("IDX", "v", "a1"), List.of("a"), "{\"_primaryKey\":\"/a\"}");
    KvLayout list = layout("key: [cost]\nlayout: list\ntarget: kv");
    assertNoRow(list, List.of("IDX", "v", "a1"), List.of("list"), "{}");
    assertNoRow(list, List.of("IDX", "v", "a1"), List.of("list"), "[{}]");
    assertNoRow(list, List.of("IDX", "v", "a1"), List.of("other"), "[]");
    for (String primaryKey : List.of("[]", "[1]", "{\"a\":\"b\"}", "null")) {
      assertNoRow(
          keyValue,
          List.of("IDX", "v", "a1"),
          List.of("a"),
          "{\"_primaryKey\":" + primaryKey + ",\"_revision\":1}");
    }
    assertNoRow(
        keyValue,
        List.of("IDX", "v", "a1"),
        List.of("a"),
        "{\"_primaryKey\":\"/a\",\"_revision\":1}");
  }

  private static void assertNoRow(
      KvLayout layout, List<String> major, List<String> minor, String value) {
    assertThatThrownBy(
            () -> layout.rows(new KvPath(major, minor), value.getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(LayoutException.class);
  }

  @Test
  void refusesGenerationsOfAnotherTarget() {
    assertThatThrownBy(() -> layout("key: [org]\ntarget: dynamodb\ntable: abc"))
        .isInstanceOf(LayoutException.class)
        .hasMessage("view \"v\" has target dynamodb, not kv");
  }

  private static KvLayout layout(String yaml) {
    return KvLayout.of(Samples.people(yaml));
  }
}
