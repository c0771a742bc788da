package io.indexview.connect.common.source;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.apache.kafka.connect.data.Struct;
import org.junit.jupiter.api.Test;

class SourceDeadLettersTest {
  private final SourceDeadLetters deadLetters = new SourceDeadLetters("dead-letters");

  @Test
  void carriesTheLargestValue() {
    byte[] value = new byte[SourceDeadLetters.MAX_VALUE_BYTES];
    Struct deadLetter = deadLetter(value);

    assertThat(deadLetter.getBytes("value")).isEqualTo(value);
    assertThat(deadLetter.getString("reason")).isEqualTo("no person");
  }

  @Test
  void leavesOutAValueThatIsTooLargeAndSaysSo() {
    Struct deadLetter = deadLetter(new byte[SourceDeadLetters.MAX_VALUE_BYTES + 1]);

    assertThat(deadLetter.getBytes("value")).isNull();
    assertThat(deadLetter.getString("reason"))
        .startsWith("no person")
        .contains("left out", Integer.toString(SourceDeadLetters.MAX_VALUE_BYTES + 1));
    assertThat(deadLetter.getBytes("key")).isNotEmpty();
  }

  private Struct deadLetter(byte[] value) {
    SourceDeadLetters.Unreadable unreadable =
        new SourceDeadLetters.Unreadable("people", "changes.people", "/people/1", value);
    return (Struct)
        deadLetters.record(Map.of(), Map.of(), unreadable, "no person", null, 1_000).value();
  }
}
