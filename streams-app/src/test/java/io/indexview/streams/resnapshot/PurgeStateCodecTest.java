package io.indexview.streams.resnapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.resnapshot.PurgeState.Running;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PurgeStateCodecTest {
  private static final List<KeyScope> SCOPES =
      List.of(new KeyScope("/people", ".lob"), new KeyScope("bücher", null));

  static List<PurgeState> states() {
    return List.of(
        PurgeState.NONE,
        PurgeState.NONE.done(7),
        PurgeState.NONE.with(new Running(8, 9, SCOPES, 0, null)),
        PurgeState.NONE.done(7).with(new Running(8, 9, List.of(), 3, new byte[0])),
        PurgeState.NONE.done(7).with(new Running(8, 9, SCOPES, 3, new byte[] {1, -1})));
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
    byte[] whole = PurgeStateCodec.encode(PurgeState.NONE.with(new Running(8, 9, SCOPES, 0, null)));

    for (int length = 10; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> PurgeStateCodec.decode(part)).hasMessageContaining("damaged");
    }
    assertThatThrownBy(() -> PurgeStateCodec.decode(new byte[0])).hasMessageContaining("damaged");
    assertThatThrownBy(() -> PurgeStateCodec.decode(new byte[] {3}))
        .hasMessageContainingAll("format 3", "up to format 2");
  }

  @Test
  void deletesNothingMoreForAResnapshotOfWhichAnEarlierReleaseKnewNoKeys() {
    byte[] cursor = {1, -1};
    byte[] written =
        ByteBuffer.allocate(2 + 4 * Long.BYTES + cursor.length)
            .put((byte) 1)
            .putLong(7)
            .putLong(8)
            .putLong(9)
            .putLong(3)
            .put((byte) 1)
            .put(cursor)
            .array();

    assertThat(PurgeStateCodec.decode(written))
        .usingRecursiveComparison()
        .isEqualTo(PurgeState.NONE.done(7).with(new Running(8, 9, List.of(), 3, cursor)));
  }
}
