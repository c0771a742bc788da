package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

class DeadLettersTest {
  private final DeadLetters letters = new DeadLetters("dead-letters");

  @Test
  void carriesTheLargestValue() {
    byte[] value = new byte[DeadLetters.MAX_VALUE_BYTES];
    Struct letter = letter(value);

    assertThat(letter.getBytes("value")).isEqualTo(value);
    assertThat(letter.getString("reason")).isEqualTo("no person");
  }

  @Test
  void leavesOutAValueThatIsTooLargeAndSaysSo() {
    Struct letter = letter(new byte[DeadLetters.MAX_VALUE_BYTES + 1]);

    assertThat(letter.getBytes("value")).isNull();
    assertThat(letter.getString("reason"))
        .startsWith("no person")
        .contains("left out", Integer.toString(DeadLetters.MAX_VALUE_BYTES + 1));
    assertThat(letter.getBytes("key")).isNotEmpty();
  }

  private Struct letter(byte[] value) {
    DeadLetters.Unreadable unreadable =
        new DeadLetters.Unreadable("people", "changes.people", "/people/1", value);
    return (Struct)
        letters.record(Map.of(), Map.of(), unreadable, "no person", null, 1_000).value();
  }
}
