package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.task.CompletedSnapshot.Answer;
import io.indexview.streams.task.SnapshotCleanup.Begun;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class SnapshotCleanupCodecTest {
  private static final CompletedSnapshot SOME =
      new CompletedSnapshot(
          "id-1",
          List.of(
              new Answer("kv|0", new KeyScope("/people", ".lob"), 9),
              new Answer("kv|1", new KeyScope("/a", ".lob", List.of("/-", "/-/contact")), 0),
              new Answer("kv|2", new KeyScope("/b", null, List.of("/-/keys")), 1),
              new Answer("s3|a", new KeyScope("bücher", null), 1L << 50)));
  private static final CompletedSnapshot NONE = new CompletedSnapshot("id-2", List.of());

  static List<Begun> begun() {
    return List.of(
        Begun.of(SOME, 0, 0),
        Begun.of(SOME, Long.MAX_VALUE, 1_700_000_000_000L),
        Begun.of(NONE, 1L << 50, 7));
  }

  @ParameterizedTest
  @MethodSource("begun")
  void encodedSnapshotIsDecodedEqual(Begun begun) {
    assertThat(Begun.decode(begun.encode())).isEqualTo(begun);
  }

  @Test
  void refusesDamagedBytesAndUnknownFormats() {
    byte[] whole = Begun.of(SOME, 3, 7).encode();

    for (int length = 0; length < whole.length; length++) {
      byte[] part = Arrays.copyOf(whole, length);
      assertThatThrownBy(() -> Begun.decode(part)).hasMessageContaining("damaged");
    }
    byte[] newer = "{\"format\":2,\"other\":1}".getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> Begun.decode(newer))
        .hasMessageContainingAll("format 2", "reads format 1");
  }
}
