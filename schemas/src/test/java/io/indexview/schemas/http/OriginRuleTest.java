package io.indexview.schemas.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class OriginRuleTest {
  private final OriginRule rule = new OriginRule(OriginRule.LOOPBACK, "use 127.0.0.1");

  @ParameterizedTest
  @ValueSource(strings = {"127.0.0.1", "127.0.0.1:8083", "LocalHost:8083", "[::1]:8083"})
  void thoseToThisMachineAreAnswered(String host) {
    assertThat(rule.refusal("http", host, null, null)).isEmpty();
    assertThat(rule.refusal("http", host, "http://" + host, "same-origin")).isEmpty();
    assertThat(rule.refusal("http", host, null, "none")).isEmpty();
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
    assertThat(rule.refusal("http", host, null, null)).isPresent();
  }

  @Test
  void thoseToNobodyAreRefused() {
    assertThat(rule.refusal("http", null, null, null)).isPresent();
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
    assertThat(rule.refusal("http", "127.0.0.1:8083", origin, fetchSite)).isPresent();
  }

  @Test
  void noPageIsAnsweredByAServerWithoutPages() {
    assertThat(rule.refusal(null, "localhost:1", "http://localhost:1", "same-origin")).isPresent();
    assertThat(rule.refusal(null, "localhost:1", null, "same-origin")).isPresent();
    assertThat(rule.refusal(null, "localhost:1", null, null)).isEmpty();
    assertThat(rule.refusal(null, "localhost:1", null, "none")).isEmpty();
  }

  @Test
  void anyNameIsAnsweredWhereNoneIsGiven() {
    OriginRule open = new OriginRule(Set.of(), "");

    assertThat(open.refusal("https", "views.example", "https://VIEWS.example", null)).isEmpty();
    assertThat(open.refusal("https", null, null, null)).isEmpty();
    assertThat(open.refusal("https", null, "https://null", null))
        .as("of a server without a name")
        .isPresent();
  }
}
