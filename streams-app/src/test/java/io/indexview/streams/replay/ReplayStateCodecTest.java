package io.indexview.streams.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.replay.ReplayState.Phase;
import java.util.Arrays;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class ReplayStateCodecTest {
  @Property
  void readsBackWhatItWrote(
      @ForAll long handledMs,
      @ForAll long attempt,
      @ForAll Phase phase,
      @ForAll long next,
      @ForAll long forMs,
      @ForAll byte[] cursor) {
    ReplayState state = new ReplayState(handledMs, attempt, phase, next, forMs, cursor, 7);

    assertThat(ReplayStateCodec.decode(ReplayStateCodec.encode(state)))
        .usingRecursiveComparison()
        .isEqualTo(state);
  }

  @Test
  void readsBackThatThereIsNoCursor() {
    assertThat(ReplayStateCodec.decode(ReplayStateCodec.encode(ReplayState.NONE)))
        .isEqualTo(ReplayState.NONE);
  }

  @Test
  void refusesOtherFormatsAndDamagedBytes() {
    byte[] bytes = ReplayStateCodec.encode(ReplayState.NONE);
    byte[] newer = bytes.clone();
    newer[0] = 2;
    byte[] unknownPhase = bytes.clone();
    unknownPhase[1] = 9;

    assertThatThrownBy(() -> ReplayStateCodec.decode(newer)).hasMessageContaining("format 2");
    assertThatThrownBy(() -> ReplayStateCodec.decode(unknownPhase)).hasMessageContaining("damaged");
    assertThatThrownBy(() -> ReplayStateCodec.decode(Arrays.copyOf(bytes, 20)))
        .hasMessageContaining("damaged");
  }
}
