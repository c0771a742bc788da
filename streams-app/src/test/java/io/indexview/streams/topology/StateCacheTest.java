package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.topology.StateCache.StoreEntries;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class StateCacheTest {
  /** Made once: they are put and looked up millions of times. */
  private static final byte[][] KEYS =
      IntStream.range(0, 60_000)
          .mapToObj(number -> "/p/%09d".formatted(number).getBytes(StandardCharsets.UTF_8))
          .toArray(byte[][]::new);

  private static long cached(StoreEntries entries, int count) {
    return IntStream.range(0, count)
        .filter(number -> entries.find(KEYS[number]) != StateCache.NONE)
        .count();
  }

  /** As tasks that catch up do: what an idle one has takes nothing from the others. */
  @Test
  void holdsAsManyEntriesOfTheLastStoreAsOfTheFirst() {
    int each = KEYS.length;
    StateCache cache = new StateCache(4 << 20);
    List<Long> cached = new ArrayList<>();
    List<StoreEntries> stores =
        IntStream.range(0, 40).mapToObj(number -> cache.join(batch -> {})).toList();
    for (StoreEntries store : stores) {
      for (int i = 0; i < each; i++) {
        store.put(KEYS[i], new byte[20], true);
      }
      cached.add(cached(store, each));
      assertThat(cache.bytes()).isLessThanOrEqualTo(4 << 20);
    }

    assertThat(cached.get(0)).isGreaterThan(20_000);
    assertThat(cached.get(39)).isGreaterThan(cached.get(0) * 8 / 10);
  }

  @Test
  void valuesThatBecomeShorterGiveTheirRoomBack() {
    StateCache cache = new StateCache(8 << 20);
    StoreEntries store = cache.join(batch -> {});
    int many = 20_000;
    int hot = 70;
    // The table has its size then: another one would take room of entries.
    for (int i = 0; i < many; i++) {
      store.put(KEYS[i], new byte[100], false);
    }
    for (int i = 0; i < hot; i++) {
      store.put(KEYS[many + i], new byte[100_000], true);
    }
    for (int i = 0; i < hot; i++) {
      store.put(KEYS[many + i], null, true);
    }
    for (int i = 0; i < many; i++) {
      store.put(KEYS[i], new byte[100], false);
      for (int k = 0; k < hot; k++) {
        int place = store.find(KEYS[many + k]);
        if (place != StateCache.NONE) {
          assertThat(store.use(place)).isNull();
        }
      }
    }

    assertThat(cached(store, many)).isGreaterThan(many * 9 / 10);
    assertThat(cache.bytes()).isLessThanOrEqualTo(8 << 20);
  }
}
