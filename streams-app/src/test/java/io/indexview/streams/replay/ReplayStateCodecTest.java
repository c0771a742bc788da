package io.indexview.streams.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.replay.ReplayState.Phase;
import java.util.Arrays;
import java.util.Set;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.AlphaChars;
import org.junit.jupiter.api.Test;

class ReplayStateCodecTest {
  @Property
  void readsBackWhatItWrote(
      @ForAll Set<@AlphaChars String> served,
      @ForAll long attempt,
      @ForAll Phase phase,
      @ForAll long next,
      @ForAll byte[] cursor) {
    ReplayState state =
        new ReplayState(served, attempt, phase, next, Set.of("by-org|3"), cursor, 7);

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
