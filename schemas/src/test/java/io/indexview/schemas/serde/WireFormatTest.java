package io.indexview.schemas.serde;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.errors.SerializationException;
import org.junit.jupiter.api.Test;

class WireFormatTest {
  @Test
  void putsZeroAndTheIdInFourBytesBeforeTheAvro() {
    assertThat(WireFormat.frame(0x01020384, new byte[] {9, 8}))
        .containsExactly(0, 1, 2, 3, 0x84, 9, 8);
    assertThat(WireFormat.frame(1, new byte[] {9, 8, 7, 6}, 1, 2))
        .containsExactly(0, 0, 0, 0, 1, 8, 7);
  }

  @Property(tries = 200)
  void givesBackWhatItFramed(@ForAll int id, @ForAll byte[] avro) {
    byte[] message = WireFormat.frame(id, avro);

    assertThat(WireFormat.schemaId(message)).isEqualTo(id);
    assertThat(Arrays.copyOfRange(message, WireFormat.HEADER_LENGTH, message.length))
        .isEqualTo(avro);
  }

  @Test
  void saysWhatIsWrongWithBytesOfAnotherFormat() {
    assertThatThrownBy(() -> WireFormat.schemaId(new byte[0]))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining("0 bytes are too few");
    assertThatThrownBy(() -> WireFormat.schemaId("{\"a\":1}".getBytes(StandardCharsets.UTF_8)))
        .isInstanceOf(SerializationException.class)
        .hasMessageContaining("0x7b instead of 0x00");
  }
}
