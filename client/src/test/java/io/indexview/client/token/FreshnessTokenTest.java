package io.indexview.client.token;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.indexview.client.token.FreshnessToken.InvalidFreshnessTokenException;
import java.util.Optional;
import org.apache.kafka.common.Uuid;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FreshnessTokenTest {
  @Test
  void readsItsTextBack() {
    FreshnessToken plain = new FreshnessToken("indexview.changes.people-1_x", 7, 1_234_567_890L);
    FreshnessToken named =
        new FreshnessToken(plain.topic(), Optional.of(Uuid.randomUuid()), 0, Long.MAX_VALUE / 10);

    assertThat(plain.toString()).isEqualTo("v1~indexview.changes.people-1_x~7~1234567890");
    assertThat(FreshnessToken.parse(plain.toString())).isEqualTo(plain);
    assertThat(FreshnessToken.parse(named.toString())).isEqualTo(named);
    assertThat(named.toString()).matches("[A-Za-z0-9._~-]+");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "v1",
        "v1~t~1",
        "v2~t~1~2",
        "v1~t~-1~2",
        "v1~t~1~-2",
        "v1~t~1~2~",
        "v1~t~1~2~short",
        "v1~~1~2",
        "v1~a/b~1~2",
        "v1~t~99999999999~2",
        "v1~t~1~99999999999999999999",
        "t:1:2"
      })
  void refusesOtherText(String text) {
    assertThatExceptionOfType(InvalidFreshnessTokenException.class)
        .isThrownBy(() -> FreshnessToken.parse(text))
        .withMessageContaining("what a write returned");
  }

  @Test
  void refusesAPlaceThatNoRecordHas() {
    assertThatIllegalArgumentException().isThrownBy(() -> new FreshnessToken("t", -1, 0));
    assertThatIllegalArgumentException().isThrownBy(() -> new FreshnessToken("t", 0, -1));
    assertThatIllegalArgumentException().isThrownBy(() -> new FreshnessToken("a b", 0, 0));
  }
}
