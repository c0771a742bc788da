package io.indexview.schemas.control;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReasonTextTest {
  @Test
  void cutsWhatIsTooLong() {
    assertThat(ReasonText.bounded("", 3)).isEmpty();
    assertThat(ReasonText.bounded("abc", 3)).isEqualTo("abc");
    assertThat(ReasonText.bounded("abcd", 3)).isEqualTo("abc…");
  }

  /** Half of a pair has no UTF-8. */
  @Test
  void cutsNoCharacterInTwo() {
    String smile = Character.toString(0x1f600);

    assertThat(ReasonText.bounded("ab" + smile + "d", 3)).isEqualTo("ab…");
    assertThat(ReasonText.bounded("ab" + smile + "d", 4)).isEqualTo("ab" + smile + "…");
  }
}
