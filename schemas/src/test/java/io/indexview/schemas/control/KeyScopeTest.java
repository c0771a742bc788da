package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyScopeTest {
  private static boolean contains(KeyScope scope, String key) {
    return scope.contains(key.getBytes(StandardCharsets.UTF_8));
  }

  @ParameterizedTest
  @CsvSource({
    "/people, true",
    "/people/1, true",
    "/people/-/email, true",
    "/people2, false",
    "/peopl, false",
    "/people/photo.lob, false",
    "/people/-/photo.lob, false",
    "/people/photo.lobster, true",
    "people/1, false",
    "'', false"
  })
  void holdsWhatBeginsWithWholeComponentsOfThePrefix(String key, boolean inside) {
    assertThat(contains(new KeyScope("/people", ".lob"), key)).isEqualTo(inside);
  }

  @Test
  void holdsWhateverEndsWithoutAnException() {
    KeyScope bucket = new KeyScope("documents", null);
    assertThat(contains(bucket, "documents/a.lob")).isTrue();
    assertThat(contains(bucket, "documents-old/a")).isFalse();
  }

  @ParameterizedTest
  @CsvSource({
    "/people/1, true",
    "/people, true",
    "/people/1/-/contact, true",
    "/people/1/-/contact/home, false",
    "/people/1/-/keys/public, true",
    "/people/1/-/keys, false",
    "/people/contact, true",
    "/people/1/-/keys/-/contact, false",
    "/people/%2D/contact, true",
    "/other/1/-/contact, false",
    "/people/1/-/photo.lob, false"
  })
  void holdsOnlyTheMinorPathsThatAreNamed(String key, boolean inside) {
    List<String> minors = List.of(KeyScope.NO_MINOR, "/-/contact", "/-/keys/public");
    assertThat(contains(new KeyScope("/people", ".lob", minors), key)).isEqualTo(inside);
  }

  @ParameterizedTest
  @CsvSource({
    "/people, '', /people, '', true",
    "/people, '', /people/here, '', true",
    "/people/here, '', /people, '', false",
    "/people, '', /people2, '', false",
    "'', '', /people, '', true",
    "/people, '', '', '', false",
    "*, '', '', '', true",
    "/people, '', '*', '', false",
    "/people, '', /people, /-/a, true",
    "/people, /-/a, /people, '', false",
    "/people, /-/a /-/b, /people/here, /-/b, true",
    "/people, /-/a, /people, /-/a /-/b, false"
  })
  void includesAnotherOneOrDoesNot(
      String prefix, String minors, String other, String othersMinors, boolean includes) {
    KeyScope scope = new KeyScope(prefix, ".lob", minors(minors));

    assertThat(scope.includes(new KeyScope(other, ".lob", minors(othersMinors))))
        .isEqualTo(includes);
  }

  private static List<String> minors(String texts) {
    return texts.isEmpty() ? List.of() : List.of(texts.split(" "));
  }

  @Test
  void includesNoneWhoseKeysMayEndOtherwise() {
    assertThat(new KeyScope("a", null).includes(new KeyScope("a", ".lob"))).isTrue();
    assertThat(new KeyScope("a", ".lob").includes(new KeyScope("a", null))).isFalse();
  }

  @Test
  void holdsEveryKey() {
    assertThat(contains(KeyScope.EVERY_KEY, "")).isTrue();
    assertThat(contains(KeyScope.EVERY_KEY, "{\"id\": 7}")).isTrue();
  }

  @Test
  void encodedScopeIsDecodedEqual() {
    for (String ending : new String[] {null, ".lob"}) {
      for (List<String> minors : List.of(List.<String>of(), List.of("/-", "/-/a"))) {
        KeyScope scope = new KeyScope("/people", ending, minors);
        assertThat(KeyScope.of(scope.toAvro())).isEqualTo(scope);
      }
    }
  }
}
