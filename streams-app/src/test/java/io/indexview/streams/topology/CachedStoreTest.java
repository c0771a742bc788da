package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.RecordSetCounters;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.state.KeyValueStore;
import org.junit.jupiter.api.Test;

class CachedStoreTest {
  private static final int MANY = 100_000;
  private static final long WRAPPED_KEY_BYTES = 24;
  private static final byte[] SMALL = {1};
  private static final byte[][] KEYS =
      IntStream.range(0, MANY)
          .mapToObj(number -> "/p/%06d".formatted(number).getBytes(StandardCharsets.UTF_8))
          .toArray(byte[][]::new);

  /** With its key it takes a segment of a small cache for itself. */
  private static final byte[] LARGE = "l".repeat(480).getBytes(StandardCharsets.UTF_8);

  /** Of a segment with such an entry. */
  private static final int LARGE_BYTES = 512 + CacheSegment.OVERHEAD_BYTES;

  /** Of a table of some entries, and of what is unwritten of them. */
  private static final int INDEX_BYTES = 16 + 16 * Long.BYTES + 16 + 16 * Integer.BYTES;

  private final MemoryStore disk = new MemoryStore("records-people");
  private final RecordSetCounters counters = new AppMetrics().recordSet("people");
  private final Map<String, Integer> calls = new HashMap<>();
  private boolean isFull;

  private CachedStore store(StateCache cache) {
    KeyValueStore<Bytes, byte[]> counted =
        FullDisk.of(disk, () -> isFull, method -> calls.merge(method, 1, Integer::sum));
    return new CachedStore(counted, () -> cache, counters);
  }

  private int calls(String method) {
    return calls.getOrDefault(method, 0);
  }

  private static Bytes key(int number) {
    return Bytes.wrap(KEYS[number]);
  }

  @Test
  void readsFromDiskTheOldestThatWasNotUsedAgain() {
    StateCache cache = new StateCache(3 * LARGE_BYTES + INDEX_BYTES);
    for (int i = 0; i < 4; i++) {
      disk.put(key(i), LARGE);
    }
    CachedStore store = store(cache);
    for (int number : new int[] {0, 1, 2, 0, 0, 2, 3}) {
      assertThat(store.get(key(number))).isEqualTo(LARGE);
    }
    assertThat(calls("get")).isEqualTo(4);

    store.get(key(0));
    assertThat(calls("get")).isEqualTo(4);
    store.get(key(1));
    assertThat(calls("get")).isEqualTo(5);
    assertThat(counters.diskReads()).isEqualTo(5);
    assertThat(counters.diskWrites()).isZero();
  }

  /** Or it would never find one to let go of. */
  @Test
  void sparesAnEntryOnceForAllUsesBefore() {
    CachedStore store = store(new StateCache(3 * LARGE_BYTES + INDEX_BYTES));
    for (int i = 0; i < 3; i++) {
      store.put(key(i), LARGE);
      store.get(key(i));
    }
    store.put(key(3), LARGE);
    store.get(key(1));
    store.put(key(4), LARGE);
    calls.clear();

    assertThat(store.get(key(1))).isEqualTo(LARGE);
    assertThat(store.get(key(3))).isEqualTo(LARGE);
    assertThat(store.get(key(4))).isEqualTo(LARGE);
    assertThat(calls("get")).isZero();
    store.get(key(0));
    store.get(key(2));
    assertThat(calls("get")).isEqualTo(2);
  }

  @Test
  void writesOnlyTheLastValueOfAKeyAndInBatches() {
    CachedStore store = store(new StateCache(1 << 20));
    for (int i = 0; i < 5_000; i++) {
      store.put(key(i % 50), ByteBuffer.allocate(Integer.BYTES).putInt(i).array());
    }
    assertThat(store.approximateNumEntries()).isEqualTo(50);
    assertThat(calls("putAll")).isZero();

    store.commit(Map.of());
    store.put(key(50), SMALL);
    assertThat(store.approximateNumEntries()).isEqualTo(50);
    assertThat(calls("putAll")).isEqualTo(1);
    assertThat(calls("put")).isZero();
    assertThat(counters.diskWrites()).isEqualTo(50);
    assertThat(ByteBuffer.wrap(disk.get(key(7))).getInt()).isEqualTo(4_957);
  }

  /** Many that were used once, as by a build, and then go, each after the other. */
  @Test
  void writesOthersWithTheOneThatHasToGo() {
    StateCache cache = new StateCache(1 << 19);
    CachedStore store = store(cache);
    for (int i = 0; i < MANY; i++) {
      store.put(key(i), SMALL);
    }
    assertThat(calls("putAll")).isBetween(80, 200);
    assertThat(calls("put")).isZero();
    assertThat(disk.approximateNumEntries()).isBetween(MANY - 16_000L, MANY - 8_000L);
    assertThat(cache.bytes()).isLessThanOrEqualTo(1 << 19);
  }

  /** Or a small state whose values grow would take all memory that it may. */
  @Test
  void takesTheRoomOfOldValuesBeforeMore() {
    StateCache cache = new StateCache(64 << 20);
    CachedStore store = store(cache);
    for (int length = 0; length < 4_000; length += 8) {
      for (int i = 0; i < 100; i++) {
        store.put(key(i), new byte[length]);
      }
    }
    assertThat(cache.bytes()).isLessThan(2 << 20);
    assertThat(counters.diskWrites()).isZero();
    for (int i = 0; i < 100; i++) {
      assertThat(store.get(key(i))).isEqualTo(new byte[3_992]);
    }
    assertThat(counters.diskReads()).isZero();
  }

  @Test
  void anEntryThatTakesMoreThanAllIsWrittenAtOnce() {
    StateCache cache = new StateCache(1_000);
    CachedStore store = store(cache);
    store.put(key(1), SMALL);
    store.put(key(2), new byte[1_000]);
    store.put(key(1), new byte[2_000]);

    assertThat(cache.bytes()).isZero();
    assertThat(disk.get(key(1))).hasSize(2_000);
    assertThat(disk.get(key(2))).hasSize(1_000);
  }

  @Test
  void keepsWhatCouldNotBeWritten() {
    CachedStore store = store(new StateCache(10 * LARGE_BYTES + INDEX_BYTES));
    isFull = true;
    for (int i = 0; i < 10; i++) {
      store.put(key(i), LARGE);
    }
    assertThatThrownBy(() -> store.put(key(10), LARGE)).isInstanceOf(ProcessorStateException.class);
    assertThatThrownBy(() -> store.commit(Map.of())).isInstanceOf(ProcessorStateException.class);
    assertThatThrownBy(store::all).isInstanceOf(ProcessorStateException.class);

    isFull = false;
    store.commit(Map.of());
    assertThat(disk.approximateNumEntries()).isEqualTo(10);
    assertThat(counters.diskWrites()).isEqualTo(10);
    assertThat(calls("commit")).isEqualTo(1);
  }

  /** What else is allocated are tables that were outgrown: each is half of the next one. */
  @Test
  void countsAllThatItTakes() {
    StateCache cache = new StateCache(1 << 30);
    CachedStore store = store(cache);
    fill(store);
    long counted = cache.bytes();
    store.commit(Map.of());
    assertThat(cache.bytes()).isZero();
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    fill(store);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;

    assertThat(cache.bytes()).isEqualTo(counted);
    assertThat(allocated - counted).isBetween(0L, MANY * (WRAPPED_KEY_BYTES + 40));
    assertThat(counted).isBetween(MANY * 40L, MANY * 90L);
  }

  private void fill(CachedStore store) {
    for (byte[] key : KEYS) {
      store.put(Bytes.wrap(key), SMALL);
    }
  }
}
