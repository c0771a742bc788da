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
import java.util.Optional;
import org.junit.jupiter.api.Test;

class KvLayoutTest {
  private static final int MAX_BYTES = 1 << 20;
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

    StoredRow row = layout.row(layout.path(KEY::get), layout.tombstone(KEY::get, 43));

    assertThat(row.deleted()).isTrue();
    assertThat(row.revision()).hasValue(43);
    assertThat(row.primaryKey()).isEqualTo(ANN);
    assertThat(row.values()).isEmpty();
    assertThatThrownBy(() -> layout("key: [org]\ntarget: kv").tombstone(KEY::get, 1))
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
    assertThat(components.row(path, components.tombstone(KEY::get, 43)).primaryKey())
        .isEqualTo(ANN);
    assertThat(layout(definition).row(path, stored).primaryKey()).isEqualTo(ANN);
  }

  @Test
  void takesAChangeOnlyOverAnOlderOne() {
    KvLayout layout = layout("key: [org]\nlayout: key-value\ntarget: kv");
    byte[] row = layout.value(KEY::get, name -> null, 42);
    byte[] tombstone = layout.tombstone(KEY::get, 43);

    assertThat(with(layout, null, row, 42)).hasValue(row);
    assertThat(without(layout, row, tombstone, 43)).hasValue(tombstone);
    assertThat(with(layout, row, row, 42)).isEmpty();
    assertThat(with(layout, tombstone, row, 42)).isEmpty();
    for (String foreign :
        List.of("", "[]", "7", "{}", "{\"_revision\":\"7\"}", "{\"_revision\":7")) {
      byte[] value = foreign.getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> layout.content(value, 0, MAX_BYTES))
          .isInstanceOf(LayoutException.class);
    }
  }

  /** What becomes of a record; empty: the change is held off. */
  private static Optional<byte[]> with(KvLayout layout, byte[] current, byte[] row, long revision) {
    KvContent content = layout.content(current, 0, MAX_BYTES);
    return content.merge(row, revision, false) ? content.value() : Optional.empty();
  }

  private static Optional<byte[]> without(
      KvLayout layout, byte[] current, byte[] tombstone, long revision) {
    KvContent content = layout.content(current, 0, MAX_BYTES);
    return content.merge(tombstone, revision, true) ? content.value() : Optional.empty();
  }

  @Test
  void leavesNoTombstoneThatCountsNoMore() {
    for (String form : List.of("key-value", "list")) {
      KvLayout layout = layout("key: [org]\ntarget: kv\nlayout: " + form);
      byte[] row = layout.value(KEY::get, name -> null, 41);
      byte[] tombstone = layout.tombstone(KEY::get, 42);

      assertThat(layout.content(null, 43, MAX_BYTES).merge(tombstone, 42, true)).isFalse();
      assertThat(layout.content(tombstone, 43, MAX_BYTES).value()).isEmpty();
      assertThat(layout.content(tombstone, 43, MAX_BYTES).merge(row, 41, false)).isTrue();
      KvContent content = layout.content(row, 43, MAX_BYTES);
      assertThat(content.merge(tombstone, 42, true)).isTrue();
      assertThat(content.value()).isEmpty();
    }
  }

  @Test
  void forgetsOldDeletionTombstonesOnly() {
    KvLayout layout = layout("key: [org]\nlayout: key-value\ntarget: kv");
    byte[] row = layout.value(KEY::get, name -> null, 42);
    byte[] tombstone = layout.tombstone(KEY::get, 42);

    assertThat(layout.withoutTombstones(row, 100)).hasValue(row);
    assertThat(layout.withoutTombstones(tombstone, 42)).hasValue(tombstone);
    assertThat(layout.withoutTombstones(tombstone, 43)).isEmpty();
  }

  @Test
  void listsAllPrimaryKeysOfAKeyInOneRecord() {
    KvLayout layout =
        layout("key: [org, cost]\nshardKey: 1\ninclude: [name]\nlayout: list\ntarget: kv");
    Map<String, Object> bobsKey = Map.of("org", "Support", "cost", 1500L, "_primaryKey", "/Bob");
    byte[] ann = layout.value(KEY::get, name -> "Ann", 42);
    byte[] bob = layout.value(bobsKey::get, name -> "Bob", 43);

    KvPath path = layout.path(KEY::get);
    byte[] both = with(layout, ann, bob, 43).orElseThrow();

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
    assertThat(with(layout, both, ann, 42)).isEmpty();
    byte[] annIsGone = without(layout, both, layout.tombstone(KEY::get, 44), 44).orElseThrow();
    assertThat(with(layout, annIsGone, ann, 42)).isEmpty();
    assertThat(layout.rows(path, annIsGone))
        .extracting(StoredRow::deleted)
        .containsExactly(false, true);
    assertThat(layout.withoutTombstones(annIsGone, 44)).containsSame(annIsGone);
    assertThat(layout.withoutTombstones(annIsGone, 45)).hasValue(bob);
    assertThat(layout.withoutTombstones(layout.tombstone(KEY::get, 44), 45)).isEmpty();
  }

  @Test
  void refusesOneRowTooManyInAList() {
    KvLayout layout = layout("key: [org]\nlayout: list\nmaxElements: 2\ntarget: kv");
    byte[] list = listed(layout, "/a", 1);
    list = with(layout, list, listed(layout, "/b", 2), 2).orElseThrow();
    Map<String, Object> a = Map.of("org", "Support", "_primaryKey", "/a");
    byte[] full = without(layout, list, layout.tombstone(a::get, 3), 3).orElseThrow();

    assertThatThrownBy(() -> with(layout, full, listed(layout, "/c", 4), 4))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("1 primary keys and 1 deleted ones", "maxElements is 2");
    Map<String, Object> d = Map.of("org", "Support", "_primaryKey", "/d");
    assertThat(without(layout, full, layout.tombstone(d::get, 4), 4)).isEmpty();
    assertThat(with(layout, full, listed(layout, "/a", 4), 4)).isPresent();
  }

  @Test
  void refusesARowThatMakesAListTooLargeAndLetsItShrink() {
    KvLayout layout = layout("key: [org]\ninclude: [name]\nlayout: list\ntarget: kv");
    byte[] list = named(layout, "/a", "x".repeat(100), 1);
    list = with(layout, list, named(layout, "/b", "y".repeat(100), 2), 2).orElseThrow();
    KvContent exactlyFull = layout.content(list, 0, list.length);
    KvContent tooLarge = layout.content(list, 0, list.length - 50);

    byte[] longer = named(layout, "/a", "x".repeat(101), 3);
    assertThatThrownBy(() -> exactlyFull.merge(longer, 3, false))
        .isInstanceOf(LayoutException.class)
        .hasMessageContainingAll(
            "would take %d bytes with 2 primary keys".formatted(list.length + 1),
            "the sink writes %d;".formatted(list.length),
            "kvstore.value.max.bytes");
    byte[] another = named(layout, "/c", "", 3);
    assertThatThrownBy(() -> exactlyFull.merge(another, 3, false))
        .isInstanceOf(LayoutException.class)
        .hasMessageContaining("with 3 primary keys");
    assertThat(exactlyFull.value()).hasValue(list);
    byte[] shorter = named(layout, "/a", "x".repeat(99), 3);
    assertThat(tooLarge.merge(shorter, 3, false)).isTrue();
    Map<String, Object> b = Map.of("org", "Support", "_primaryKey", "/b");
    assertThat(tooLarge.merge(layout.tombstone(b::get, 4), 4, true)).isTrue();
    assertThat(layout.rows(layout.path(b::get), tooLarge.value().orElseThrow()))
        .extracting(StoredRow::deleted)
        .containsExactly(false, true);
  }

  private static byte[] named(KvLayout layout, String primaryKey, String name, long revision) {
    Map<String, Object> key = Map.of("org", "Support", "_primaryKey", primaryKey);
    return layout.value(key::get, field -> name, revision);
  }

  /** The rows that do not change keep their bytes, which a newer release may have written. */
  @Test
  void readsListsHoweverTheyAreWritten() {
    KvLayout layout = layout("key: [org]\nlayout: list\ntarget: kv");
    String written =
        " [ {\"_revision\": 1, \"ü\": [{\"_revision\":9}], \"_primaryKey\":\"/ü\"} ,\n"
            + "{\"_primaryKey\":[\"a\",\"b\"],\"_revision\":2}]";

    Optional<byte[]> merged =
        with(layout, written.getBytes(StandardCharsets.UTF_8), listed(layout, "/b", 3), 3);

    assertThat(new String(merged.orElseThrow(), StandardCharsets.UTF_8))
        .isEqualTo(
            "[{\"_primaryKey\":[\"a\",\"b\"],\"_revision\":2},"
                + "{\"_primaryKey\":\"/b\",\"_revision\":3},"
                + "{\"_revision\": 1, \"ü\": [{\"_revision\":9}], \"_primaryKey\":\"/ü\"}]");
    for (String foreign :
        List.of("{}", "[1]", "[{\"_revision\":1}]", "[{\"_primaryKey\":\"/a\",\"_revision\":1}")) {
      byte[] value = foreign.getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> layout.content(value, 0, MAX_BYTES))
          .isInstanceOf(LayoutException.class);
    }
    byte[] utf16 = written.getBytes(StandardCharsets.UTF_16BE);
    assertThatThrownBy(() -> layout.content(utf16, 0, MAX_BYTES))
        .isInstanceOf(LayoutException.class);
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
  void knowsWhatGuardsMetadata() {
    KvLayout layout = layout("key: [org]\ntarget: kv");
    byte[] empty = {};
    KvPath parent = new KvPath(layout.metadataParent(), List.of());

    assertThat(KvLayout.isMetadataGuard(parent, empty)).isTrue();
    assertThat(KvLayout.isMetadataGuard(parent, new byte[] {'x'})).isFalse();
    assertThat(KvLayout.isMetadataGuard(layout.metadata("READY"), empty)).isFalse();
    assertThat(KvLayout.isMetadataGuard(new KvPath(List.of("META"), List.of()), empty)).isFalse();
    assertThat(KvLayout.isMetadataGuard(new KvPath(List.of("META", "v", "x"), List.of()), empty))
        .isFalse();
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

  @Test
  void refusesARowUnderTheSuffixOfAnotherPrimaryKey() {
    KvLayout layout = layout("key: [org]\nlayout: key-value\ntarget: kv");
    byte[] row = layout.value(KEY::get, name -> null, 1);
    String suffix = layout.path(KEY::get).minor().get(0);
    assertThat(layout.isPlainRow(layout.path(KEY::get), row)).isTrue();

    for (int i = 0; i <= suffix.length(); i++) {
      for (String other :
          List.of(
              suffix.substring(0, i) + "_" + suffix.substring(Math.min(suffix.length(), i + 1)),
              suffix.substring(0, i) + "x" + suffix.substring(i),
              suffix.substring(0, i))) {
        KvPath path = new KvPath(List.of("IDX", "v", "Support"), List.of(other));
        assertThat(layout.isPlainRow(path, row)).isEqualTo(other.equals(suffix));
        if (!other.equals(suffix)) {
          assertThatThrownBy(() -> layout.row(path, row))
              .isInstanceOf(LayoutException.class)
              .hasMessageContaining("suffix");
        }
      }
    }
  }

  /** Dates are read by a library that has exceptions of its own. */
  @Test
  void refusesValuesThatHoldNoDate() {
    KvLayout layout = layout("key: [org]\ninclude: [born]\nlayout: key-value\ntarget: kv");
    KvPath path = layout.path(KEY::get);
    String row = new String(layout.value(KEY::get, KEY::get, 1), StandardCharsets.UTF_8);

    assertThat(row).contains("2017-08-20");
    assertThat(layout.isPlainRow(path, row.getBytes(StandardCharsets.UTF_8))).isTrue();
    byte[] longAgo = row.replace("2017", "-2956019").getBytes(StandardCharsets.UTF_8);
    assertThat(layout.isPlainRow(path, longAgo)).isFalse();
    assertThat(layout.row(path, longAgo).values())
        .containsEntry("born", LocalDate.of(-2_956_019, 8, 20));
    for (String none : List.of("2017-02-30", "2017-13-01", "yesterday", "")) {
      byte[] value = row.replace("2017-08-20", none).getBytes(StandardCharsets.UTF_8);
      assertThat(layout.isPlainRow(path, value)).isFalse();
      assertThatThrownBy(() -> layout.row(path, value))
          .isInstanceOf(LayoutException.class)
          .hasMessageContaining("born");
    }
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
