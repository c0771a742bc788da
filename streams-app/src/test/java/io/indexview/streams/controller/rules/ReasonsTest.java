package io.indexview.streams.controller.rules;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ReasonsTest {
  @Test
  void boundsWhatComesFromOutside() {
    assertThat(Reasons.bounded("")).isEmpty();
    assertThat(Reasons.bounded("short")).isEqualTo("short");
    assertThat(Reasons.bounded("x".repeat(500))).hasSize(500).endsWith("xx");
    assertThat(Reasons.bounded("x".repeat(600))).hasSize(501).endsWith("x…");
  }

  @Test
  void saysThatSomethingIsWrongWithoutAReason() {
    assertThat(Reasons.bounded(null)).isNotEmpty();
  }
}
