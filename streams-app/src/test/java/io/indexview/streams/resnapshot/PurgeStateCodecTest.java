package io.indexview.streams.resnapshot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.resnapshot.PurgeState.Running;
import io.indexview.streams.resnapshot.Resnapshot.Answer;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class PurgeStateCodecTest {
  private static final Resnapshot SOME =
      new Resnapshot(
          "id-1",
          List.of(
              new Answer("kv|0", new KeyScope("/people", ".lob"), 9),
              new Answer("kv|1", new KeyScope("/a", ".lob", List.of("/-", "/-/contact")), 0),
              new Answer("kv|2", new KeyScope("/b", null, List.of("/-/keys")), 1),
              new Answer("s3|a", new KeyScope("bücher", null), 1L << 50)));
  private static final Resnapshot NONE = new Resnapshot("id-2", List.of());

  static List<PurgeState> states() {
    return List.of(
        PurgeState.NONE,
        new PurgeState(SOME, null),
        new PurgeState(null, new Running(SOME, 0, null)),
        new PurgeState(SOME, new Running(NONE, 3, new byte[0])),
        new PurgeState(NONE, new Running(SOME, 3, new byte[] {1, -1})));
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
    byte[] whole = PurgeStateCodec.encode(PurgeState.NONE.with(new Running(SOME, 0, null)));

    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> PurgeStateCodec.decode(part)).hasMessageContaining("damaged");
    }
    assertThatThrownBy(() -> PurgeStateCodec.decode(new byte[] {4}))
        .hasMessageContainingAll("format 4", "up to format 3");
  }

  @Test
  void takesWhatAnEarlierReleaseDidNotTellTheTopicOfForNothing() {
    assertThat(PurgeStateCodec.decode(new byte[] {2, 0, 0, 0, 0, 0, 0, 0, 7}))
        .isEqualTo(PurgeState.NONE);
  }
}
