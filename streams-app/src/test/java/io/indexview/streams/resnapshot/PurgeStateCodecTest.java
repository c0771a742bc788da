package io.indexview.streams.resnapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.streams.resnapshot.PurgeState.Running;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PurgeStateCodecTest {

  static List<PurgeState> states() {
    return List.of(
        PurgeState.NONE,
        PurgeState.NONE.done(7),
        PurgeState.NONE.with(new Running(8, 9, 0, null)),
        PurgeState.NONE.done(7).with(new Running(8, 9, 3, new byte[0])),
        PurgeState.NONE.done(7).with(new Running(8, 9, 3, new byte[] {1, -1})));
  }

  @ParameterizedTest
  @MethodSource("states")
  void givesTheStateBack(PurgeState state) {
    assertThat(PurgeStateCodec.decode(PurgeStateCodec.encode(state)))
        .usingRecursiveComparison()
        .isEqualTo(state);
  }

  @Test
  void refusesWhatItDoesNotKnow() {
    byte[] whole = PurgeStateCodec.encode(PurgeState.NONE.with(new Running(8, 9, 0, null)));

    assertThatThrownBy(() -> PurgeStateCodec.decode(Arrays.copyOf(whole, whole.length - 1)))
        .hasMessageContaining("damaged");
    assertThatThrownBy(() -> PurgeStateCodec.decode(new byte[0])).hasMessageContaining("damaged");
    assertThatThrownBy(() -> PurgeStateCodec.decode(new byte[] {2}))
        .hasMessageContainingAll("format 2", "reads format 1");
  }
}
