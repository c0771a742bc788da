package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvVersion;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class WrittenRecordsTest {
  private static final int ROW_BYTES =
      WrittenRecords.OVERHEAD_BYTES + key(0).serializedLength() + 100;

  private final WrittenRecords written = new WrittenRecords(3L * ROW_BYTES);

  private static KvKey key(int number) {
    return new KvKey(List.of("row" + number), List.of());
  }

  private void put(int number, int bytes) {
    written.put(new KvRecord(key(number), new byte[bytes], new KvVersion("shard", 1)));
  }

  private List<Integer> kept() {
    return IntStream.range(0, 9)
        .filter(number -> written.of(key(number)).isPresent())
        .boxed()
        .toList();
  }

  @Test
  void evictsTheLeastRecentlyUsedRecords() {
    put(0, 100);
    put(1, 100);
    put(2, 100);
    assertThat(written.of(key(0))).isPresent();
    put(3, 100);
    assertThat(kept()).containsExactly(0, 2, 3);

    put(4, 250);
    assertThat(kept()).containsExactly(3, 4);
  }

  @Test
  void countsARecordOnceAndForgetsIt() {
    for (int i = 0; i < 10; i++) {
      put(0, 100);
    }
    put(1, 100);
    put(2, 100);
    assertThat(kept()).containsExactly(0, 1, 2);

    written.forget(key(1));
    written.forget(key(1));
    put(3, 100);
    assertThat(kept()).containsExactly(0, 2, 3);

    written.clear();
    assertThat(kept()).isEmpty();
  }

  @Test
  void keepsNoneThatIsTooLarge() {
    put(0, 100);
    put(0, 3 * ROW_BYTES);
    assertThat(kept()).isEmpty();
    new WrittenRecords(0).put(new KvRecord(key(0), new byte[0], new KvVersion("shard", 1)));
  }
}
