package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OwnRequestsTest {
  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.1:8083", "LocalHost:8083", "[::1]:8083"})
  void thoseToThisMachineAreAnswered(String host) {
    assertThat(OwnRequests.refusal(host, null, null)).isEmpty();
    assertThat(OwnRequests.refusal(host, "http://" + host, "same-origin")).isEmpty();
    assertThat(OwnRequests.refusal(host, null, "none")).isEmpty();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "attacker.example",
        "attacker.example:8083",
        "127.0.0.1.attacker.example",
        "",
        ":"
      })
  void thoseToOtherNamesAreRefused(String host) {
    assertThat(OwnRequests.refusal(host, null, null)).isPresent();
  }

  @Test
  void thoseToNobodyAreRefused() {
    assertThat(OwnRequests.refusal(null, null, null)).isPresent();
  }

  @ParameterizedTest
  @CsvSource({
    "http://attacker.example,",
    "https://127.0.0.1:8083,",
    "http://127.0.0.1:3000,",
    "null,",
    ", cross-site",
    ", same-site",
  })
  void thoseOfOtherPagesAreRefused(String origin, String fetchSite) {
    assertThat(OwnRequests.refusal("127.0.0.1:8083", origin, fetchSite)).isPresent();
  }
}
