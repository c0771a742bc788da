package io.indexview.kvstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.schemas.serde.Surrogates;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import oracle.kv.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KvKeyTest {
  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void writesAndReadsTheTextThatTheStoreDoes(@ForAll("keys") KvKey key) {
    Key theirs = Key.createKey(key.major(), key.minor());

    assertThat(key.toString()).isEqualTo(theirs.toString());
    assertThat(KvKey.fromString(key.toString())).isEqualTo(key);
  }

  @Property(tries = 500, edgeCases = EdgeCasesMode.NONE)
  void ordersAsTheStoreOrdersItsBytes(@ForAll("keys") KvKey one, @ForAll("keys") KvKey other) {
    byte[] ours = Key.createKey(one.major(), one.minor()).toByteArray();
    byte[] theirs = Key.createKey(other.major(), other.minor()).toByteArray();
    int expected = new Key.BytesComparator().compare(ours, theirs);

    assertThat(Integer.signum(one.compareTo(other))).isEqualTo(Integer.signum(expected));
    assertThat(KeyOrder.serializedLength(one.major(), one.minor())).isEqualTo(ours.length);
  }

  @Provide
  Arbitrary<KvKey> keys() {
    Arbitrary<String> component =
        Arbitraries.oneOf(
            Arbitraries.of("", "-", "/", "%", "a", "a/b", "\u0000", "\u00A0", "/a/-/b", "%2D"),
            Arbitraries.strings().ofMaxLength(4).filter(s -> !Surrogates.anyAlone(s)),
            Arbitraries.of("\uD83D\uDE00", "\uFFFF", "\u2028", "ab", "ab\u0001"));
    return Combinators.combine(
            component.list().ofMinSize(1).ofMaxSize(3), component.list().ofMaxSize(3))
        .as(KvKey::new);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "a/b        | starts with '/'",
        "''         | starts with '/'",
        "/a b       | character 3: ' ' must be escaped as '%20'",
        "/a?b       | '?' must be escaped as '%3F'",
        "/a%        | two hexadecimal digits",
        "/a/%4      | two hexadecimal digits",
        "/%ZZ       | two hexadecimal digits",
        "/%2/x      | two hexadecimal digits",
        "/x/%FF     | not UTF-8",
      })
  void saysWhereATextIsMalformed(String text, String problem) {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KvKey.fromString(text))
        .withMessageContaining("'" + text + "'")
        .withMessageContaining(problem);
  }

  @Test
  void readsTextsThatEscapeMoreThanNeeded() {
    assertThat(KvKey.fromString("/%61/%2d/-/%C3%A9"))
        .isEqualTo(new KvKey(List.of("a", "-"), List.of("é")));
  }

  @Test
  void takesTheSeparatorOnceAndTheDashAsAComponentElsewhere() {
    assertThat(KvKey.fromString("/a/-/-/b")).isEqualTo(new KvKey(List.of("a"), List.of("-", "b")));
    assertThat(KvKey.fromString("/a/-")).isEqualTo(KvKey.ofMajor("a", "-"));
    assertThat(KvKey.fromString("/a/-/")).isEqualTo(new KvKey(List.of("a"), List.of("")));
  }

  @Test
  void refusesKeysThatAreTooLong() {
    String longest = "x".repeat(KvKey.MAX_SERIALIZED_BYTES);

    assertThat(KvKey.ofMajor(longest).major()).containsExactly(longest);
    assertThatExceptionOfType(KvStoreException.Refused.class)
        .isThrownBy(() -> KvKey.ofMajor(longest, ""))
        .withMessageContaining("32,768 bytes")
        .withMessageContaining("32,767");
  }

  @Test
  void refusesComponentsThatAreNoText() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> KvKey.ofMajor("a", "\uD83D"))
        .withMessageContaining("Component 2 of the major path");
    assertThatIllegalArgumentException()
        .isThrownBy(() -> new KvKey(List.of("a"), Arrays.asList("b", null)))
        .withMessageContaining("Component 2 of the minor path is missing");
    assertThatIllegalArgumentException().isThrownBy(() -> new KvKey(List.of(), List.of("a")));
  }

  @Test
  void knowsLargeObjects() {
    assertThat(KvKey.fromString("/a/-/b.lob").isLob()).isTrue();
    assertThat(KvKey.fromString("/a/b.lob").isLob()).isTrue();
    assertThat(KvKey.fromString("/a.lob/-/b").isLob()).isFalse();
  }
}
