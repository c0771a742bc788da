package io.indexview.server.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.SpecLog;
import io.indexview.server.problem.ProblemException;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PreconditionsTest {

  private static OptionalLong expected(String ifMatch, String ifNoneMatch, Long version) {
    return new Preconditions(ifMatch, ifNoneMatch).expected(() -> Optional.ofNullable(version));
  }

  @Test
  void doesNotEvenAskWithoutConditions() {
    OptionalLong any =
        new Preconditions(null, null)
            .expected(
                () -> {
                  throw new AssertionError("asked");
                });

    assertThat(any).isEmpty();
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {"\"7\" | ''", "* | ''", "\"6\", \"7\" | ''", "'' | \"6\"", "\"7\" | \"6\""})
  void holdsForTheVersionThatStands(String ifMatch, String ifNoneMatch) {
    assertThat(expected(header(ifMatch), header(ifNoneMatch), 7L)).hasValue(7);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '\'',
      value = {"\"6\" | ''", "W/\"7\" | ''", "'' | *", "'' | \"7\"", "\"7\" | *"})
  void failsForAnotherVersion(String ifMatch, String ifNoneMatch) {
    assertThatThrownBy(() -> expected(header(ifMatch), header(ifNoneMatch), 7L))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("\"7\"");
  }

  @Test
  void knowsWhatIsNotThere() {
    assertThat(expected(null, "*", null)).hasValue(SpecLog.ABSENT);
    assertThatThrownBy(() -> expected("*", null, null)).isInstanceOf(ProblemException.class);
    assertThatThrownBy(() -> expected("\"7\"", null, null)).isInstanceOf(ProblemException.class);
  }

  /** Taken for no condition, they would let a change through. */
  @ParameterizedTest
  @ValueSource(strings = {"7", "", "\"7", "\"7\" \"8\"", "**"})
  void refusesWhatIsNoTag(String header) {
    assertThatThrownBy(() -> expected(header, null, 7L))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("If-Match");
  }

  private static String header(String text) {
    return text.isEmpty() ? null : text;
  }

  /** As long as headers may be. */
  @Test
  void takesAsManyTagsAsThereAre() {
    String tags = "\"1\"," + "\"\",".repeat(10_000) + "\"7\"";

    assertThat(expected(tags, null, 7L)).hasValue(7);
    assertThatThrownBy(() -> expected(tags + ",", null, 7L)).hasMessageContaining("If-Match");
  }
}
