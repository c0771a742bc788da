package io.indexview.connect.kvstore.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.kvstore.value.ValueConfig.ValueFormat;
import io.indexview.schemas.control.KeyScope;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.apache.avro.Schema;
import org.apache.avro.SchemaBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordSetKeysTest {
  private static final Schema SCHEMA = SchemaBuilder.record("R").fields().endRecord();

  private static KvKeySet selection(String prefix, String... minors) {
    return new KvKeySet(
        KvKey.fromString(prefix),
        Arrays.stream(minors).map(KvKeySet::minor).collect(Collectors.toSet()));
  }

  private static KvRecordSet people(KvKeySet keys) {
    return new KvRecordSet("people", keys, "t", ValueConfig.of(ValueFormat.AVRO, SCHEMA));
  }

  @ParameterizedTest
  @CsvSource({
    "/people/1, true",
    "/people/1/-/contact, true",
    "/people/1/-/contact/home, false",
    "/people/1/-/keys/public, true",
    "/people/1/-/keys, false",
    "/people/1/contact, true",
    "/people2/1/-/contact, false",
    "/people/1/-/%2D, false",
    "/people/1.lob, false"
  })
  void takesChosenMinorPathsOnly(String key, boolean taken) {
    KvKeySet selection = selection("/people", "/-", "/-/contact", "/-/keys/public");
    assertThat(selection.contains(KvKey.fromString(key))).isEqualTo(taken);
  }

  @Test
  void takesEveryMinorPathWhenNoneIsChosen() {
    KvKeySet all = selection("/people");
    assertThat(all.contains(KvKey.fromString("/people/1/-/a/b"))).isTrue();
    assertThat(all.contains(KvKey.fromString("/people/1/-/photo.lob"))).isFalse();
  }

  @ParameterizedTest
  @CsvSource(
      nullValues = "all",
      value = {
        "/a, all, /a/b, all, true",
        "/a/b, all, /a, /-/x, true",
        "/a, /-/x, /a, /-/y, false",
        "/a, /-/x, /a, /-/x, true",
        "/a, /-/x, /a/b, /-/x, true",
        "/a/c, all, /a/b, all, false",
        "/ab, all, /a, all, false",
        "/a, /-, /a, /-/x, false"
      })
  void overlapsWhatHasAKeyInCommon(
      String prefix, String minor, String otherPrefix, String otherMinor, boolean overlaps) {
    KvKeySet one = minor == null ? selection(prefix) : selection(prefix, minor);
    KvKeySet other =
        otherMinor == null ? selection(otherPrefix) : selection(otherPrefix, otherMinor);
    assertThat(one.overlaps(other)).isEqualTo(overlaps);
    assertThat(other.overlaps(one)).isEqualTo(overlaps);
  }

  @ParameterizedTest
  @ValueSource(strings = {"contact", "/contact", "", "/-contact", "/-/a b", "/-/photo.lob"})
  void refusesWhatIsNoMinorPath(String text) {
    assertThatThrownBy(() -> KvKeySet.minor(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageMatching("(?s).*(/-/|\\.lob|escaped).*");
  }

  @Test
  void takesNoRowsOfTables() {
    KvRecordSet people = people(selection("/people"));
    KvKey key = KvKey.fromString("/people/1");
    KvVersion version = new KvVersion("1", 1);
    assertThat(people.contains(new KvRecord(key, new byte[0], version))).isTrue();
    assertThat(people.contains(new KvRecord(key, new byte[0], version, true))).isFalse();
  }

  /** The streams app judges by the text of a key what the source judges by its components. */
  @Property
  void saysTheSameInTheWordsOfTheTopic(
      @ForAll("paths") List<String> major,
      @ForAll("paths") List<String> minor,
      @ForAll("choices") Set<List<String>> chosen) {
    KvKeySet selection = new KvKeySet(KvKey.ofMajor(major.isEmpty() ? "p" : major.get(0)), chosen);
    KvKey key = new KvKey(major.isEmpty() ? List.of("p") : major, minor);
    KeyScope scope = people(selection).scope();

    assertThat(scope.contains(key.toString().getBytes(StandardCharsets.UTF_8)))
        .isEqualTo(selection.contains(key));
    assertThat(scope.minors().stream().map(KvKeySet::minor))
        .containsExactlyInAnyOrderElementsOf(selection.minors());
  }

  @Provide
  Arbitrary<List<String>> paths() {
    return Arbitraries.of("a", "-", "", "/", "/-/", "%2D", "b.lob", " ", "ü").list().ofMaxSize(3);
  }

  @Provide
  Arbitrary<Set<List<String>>> choices() {
    return paths().filter(path -> !path.contains("b.lob")).set().ofMaxSize(3);
  }
}
