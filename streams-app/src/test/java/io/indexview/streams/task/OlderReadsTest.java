package io.indexview.streams.task;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.schemas.control.KeyScope;
import io.indexview.streams.state.MapMemory;
import io.indexview.streams.task.CompletedSnapshot.Answer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class OlderReadsTest {
  private static final int MANY = 300;

  private final Map<String, byte[]> memory = new HashMap<>();
  private OlderReads reads = new OlderReads(new MapMemory(memory));

  private static CompletedSnapshot snapshot(long begin) {
    return new CompletedSnapshot(
        "id", List.of(new Answer("kv|0", new KeyScope("/p", null), begin)));
  }

  private static byte[] key(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  private void overtaken(String prefix) {
    for (int i = 0; i < MANY; i++) {
      reads.refused(key(prefix + i), 1_000 + i, 1_500 + i);
    }
  }

  @Test
  void noticesAStoreThatWentBackAmongManyReadsThatChangesOvertook() {
    overtaken("/p/");
    reads.refused(key("/p/old"), 10, 1_900);
    overtaken("/p/more/");

    assertThat(reads.wentBack(snapshot(500), 2_000)).isTrue();
  }

  @Test
  void keepsNothingOfASnapshotThatIsOver() {
    overtaken("/p/");
    reads.refused(key("/foreign"), 10, 1_900);

    assertThat(reads.wentBack(snapshot(500), 2_000)).isFalse();
    assertThat(memory).isEmpty();
  }

  @Test
  void keepsWhatTheNextSnapshotHasRead() {
    reads.refused(key("/p/1"), 600, 2_100);
    assertThat(reads.wentBack(snapshot(500), 2_000)).isFalse();

    reads = new OlderReads(new MapMemory(memory));
    assertThat(reads.wentBack(snapshot(2_050), 3_000)).isTrue();
    assertThat(memory).isEmpty();
  }

  @Test
  void keepsABoundedNumber() {
    overtaken("/p/");

    assertThat(memory).hasSize(100);
  }

  @Test
  void forgetsWhatChanged() {
    reads.refused(key("/p/1"), 10, 1_900);
    reads.changed(key("/p/1"));

    assertThat(reads.wentBack(snapshot(500), 2_000)).isFalse();
  }
}
