package io.indexview.client.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.indexview.client.read.PageTokens.InvalidPageTokenException;
import io.indexview.client.read.PageTokens.PagePosition;
import java.math.BigDecimal;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

class PageTokensTest {
  private static final byte[] KEY = new byte[PageTokens.MIN_KEY_BYTES];
  private static final PagePosition POSITION =
      PagePosition.of(
          "view v", 3, "org=Support", Map.of("key", "/IDX/v/a%2Fb/-/\u0000😀", "size", 12L));

  private final PageTokens tokens = PageTokens.of(KEY);

  @Test
  void readsBackWhatItWroteAlsoAfterARestart() {
    String token = tokens.write(POSITION);

    PagePosition read = PageTokens.of(KEY.clone()).read(token);

    assertThat(token).matches("[A-Za-z0-9_-]+");
    assertThat(read.source()).isEqualTo("view v");
    assertThat(read.generation()).isEqualTo(3);
    assertThat(read.after().get("key")).isEqualTo("/IDX/v/a%2Fb/-/\u0000😀");
    assertThat(((Number) read.after().get("size")).longValue()).isEqualTo(12);
    read.requireSource("view v");
    read.requireQuery("org=Support");
  }

  @Test
  void readsNumbersBackAsTheyAre() {
    for (String number : List.of("0", "-12", "10.50", "1E+3", "9".repeat(38))) {
      BigDecimal value = new BigDecimal(number);
      String token = tokens.write(PagePosition.of("view v", 1, "", Map.of("id", value)));

      assertThat(tokens.read(token).after()).containsExactly(Map.entry("id", value));
    }
  }

  /** The longest key that the store takes, each byte of it escaped. */
  @Test
  void readsLongPositionsBack() {
    String key = "%2F".repeat(32_767);
    String token = tokens.write(PagePosition.of("view v", 1, "", Map.of("key", key)));

    assertThat(tokens.read(token).after()).containsExactly(Map.entry("key", key));
  }

  @Test
  void refusesATokenWithAnyCharacterChanged() {
    String token = tokens.write(POSITION);
    for (int i = 0; i < token.length(); i++) {
      for (char other : "AZaz09-_!é".toCharArray()) {
        if (other != token.charAt(i)) {
          refuses(token.substring(0, i) + other + token.substring(i + 1));
        }
      }
    }
  }

  @Test
  void refusesATokenWithAnyBitFlipped() {
    byte[] token = Base64.getUrlDecoder().decode(tokens.write(POSITION));
    for (int bit = 0; bit < token.length * Byte.SIZE; bit++) {
      byte[] changed = token.clone();
      changed[bit / Byte.SIZE] ^= (byte) (1 << (bit % Byte.SIZE));
      refuses(Base64.getUrlEncoder().withoutPadding().encodeToString(changed));
    }
  }

  @Test
  void refusesATokenThatWasCutOrMadeLonger() {
    String token = tokens.write(POSITION);
    for (int length = 0; length < token.length(); length++) {
      refuses(token.substring(0, length));
    }
    for (String longer : List.of("A", "AA", "AAAA", "=", "==", " ")) {
      refuses(token + longer);
    }
    refuses("A".repeat(1 << 20));
  }

  /** Nobody else can have written one of these. */
  @Test
  void refusesWhatIsSignedButNotWellFormed() throws Exception {
    byte[] body = body(tokens.write(POSITION));
    assertThat(tokens.read(signed(body)).source()).isEqualTo("view v");
    for (int length = 1; length < body.length; length++) {
      isNotWellFormed(Arrays.copyOf(body, length));
    }
    isNotWellFormed(Arrays.copyOf(body, body.length + 1));
    int entries = body.length - body(tokens.write(POSITION.further(Map.of()))).length;
    for (int at : List.of(0, body.length - entries - 4)) {
      for (int count : List.of(-1, Integer.MIN_VALUE, Integer.MAX_VALUE)) {
        isNotWellFormed(ByteBuffer.wrap(body.clone()).putInt(at, count).array());
      }
    }
    byte[] empty = body(tokens.write(POSITION.further(Map.of())));
    isNotWellFormed(ByteBuffer.wrap(empty).putInt(empty.length - 4, -1).array());
    byte[] number = body(tokens.write(POSITION.further(Map.of("size", 12L))));
    number[number.length - 1] = 'x';
    isNotWellFormed(number);
  }

  private static byte[] body(String token) {
    byte[] bytes = Base64.getUrlDecoder().decode(token);
    return Arrays.copyOfRange(bytes, 33, bytes.length);
  }

  private static String signed(byte[] body) throws GeneralSecurityException {
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
    mac.update((byte) 2);
    byte[] signature = mac.doFinal(body);
    byte[] token =
        ByteBuffer.allocate(33 + body.length).put((byte) 2).put(signature).put(body).array();
    return Base64.getUrlEncoder().withoutPadding().encodeToString(token);
  }

  private void isNotWellFormed(byte[] body) throws GeneralSecurityException {
    String token = signed(body);
    assertThatIllegalStateException()
        .isThrownBy(() -> tokens.read(token))
        .withMessageContaining("signed with our key");
  }

  private void refuses(String token) {
    assertThatExceptionOfType(InvalidPageTokenException.class)
        .isThrownBy(() -> tokens.read(token))
        .withMessageStartingWith("page token: ")
        .withMessageContaining("start over");
  }

  @Test
  void refusesATokenOfAnotherKey() {
    String token = PageTokens.ofThisProcess().write(POSITION);

    refuses(token);
  }

  @Test
  void tellsWhichReadingATokenIsOf() {
    assertThatExceptionOfType(InvalidPageTokenException.class)
        .isThrownBy(() -> POSITION.requireSource("view w"))
        .withMessageContaining("view v")
        .withMessageContaining("view w");
    assertThatExceptionOfType(InvalidPageTokenException.class)
        .isThrownBy(() -> POSITION.requireQuery("org=Sales"))
        .withMessageContaining("another query");
  }

  @Test
  void refusesAShortKey() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> PageTokens.of(new byte[PageTokens.MIN_KEY_BYTES - 1]))
        .withMessageContaining("31 bytes");
  }
}
