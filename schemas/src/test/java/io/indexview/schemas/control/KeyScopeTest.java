package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
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

  @Test
  void comesBackAsItWas() {
    for (String ending : new String[] {null, ".lob"}) {
      KeyScope scope = new KeyScope("/people", ending);
      assertThat(KeyScope.of(scope.toAvro())).isEqualTo(scope);
    }
  }
}
