package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.streams.health.AppMetrics;
import io.indexview.streams.health.RecordSetCounters;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.state.KeyValueIterator;

/**
 * Stores of several tasks of one thread, with room for some of their entries, through commits,
 * aborted transactions, full disks, orderly closes and recycling, each against a map.
 */
class CachedStorePropertyTest {
  private static final int TASKS = 3;
  private static final int STEPS = 300;
  private static final int MAX_VALUE_BYTES = 200;

  private static final List<Integer> KEYS = List.of(12, 12, 100);

  /** Most have no room for all entries; for one in 20 those of 1,000 are too small. */
  private static final List<Integer> ROOMS = List.of(1_000, 1_500, 2_000, 5_000, 20_000);

  private StateCache cache;
  private final List<Task> tasks = new ArrayList<>();
  private int keys;
  private boolean isFull;
  private final RecordSetCounters counters = new AppMetrics().recordSet("people");

  /** A task as Kafka Streams runs it, exactly once; its changelog gets each put at once. */
  private final class Task {
    private final MemoryStore disk = new MemoryStore("records");
    private final CachedStore store =
        new CachedStore(FullDisk.of(disk, () -> isFull, method -> {}), () -> cache, counters);
    private final List<KeyValue<Bytes, byte[]>> changelog = new ArrayList<>();
    private NavigableMap<Bytes, byte[]> model = new TreeMap<>();
    private NavigableMap<Bytes, byte[]> committed = new TreeMap<>();
    private int committedEnd;
    private int offsetOnDisk;

    private byte[] put(Bytes key, byte[] value) {
      changelog.add(KeyValue.pair(key, value));
      return value == null ? model.remove(key) : model.put(key, value);
    }

    private void commitTransaction() {
      committed = new TreeMap<>(model);
      committedEnd = changelog.size();
    }

    /** What Kafka Streams trusts once the process is gone. */
    private void checkpoint() {
      commitTransaction();
      offsetOnDisk = changelog.size();
      store.commit(Map.of(new TopicPartition("changelog", 0), (long) offsetOnDisk));
      assertThat(shown(disk.all())).isEqualTo(list(model));
    }

    private void restore() {
      for (KeyValue<Bytes, byte[]> one : changelog.subList(offsetOnDisk, changelog.size())) {
        disk.put(one.key, one.value);
      }
    }

    /** The files of a task that is closed dirty are deleted. */
    private void abort() {
      if (Math.floorMod(changelog.size(), 2) == 0) {
        store.commit(Map.of());
      }
      store.close();
      changelog.subList(committedEnd, changelog.size()).clear();
      model = new TreeMap<>(committed);
      offsetOnDisk = 0;
      restore();
    }

    /** MemoryStore forgets when it is closed; files stay. */
    private void closeInOrder() {
      commitTransaction();
      if (changelog.size() % 2 == 0) {
        checkpoint();
      }
      List<KeyValue<Bytes, byte[]>> files = entries(disk.all());
      store.close();
      disk.putAll(files);
      restore();
    }

    /** A standby gets what another instance has written, past the cache. */
    private void recycle(Random random) {
      checkpoint();
      for (int i = 0; i < 5; i++) {
        Bytes key = key(random);
        byte[] value = value(random);
        put(key, value);
        disk.put(key, value);
      }
      commitTransaction();
      offsetOnDisk = changelog.size();
    }

    private void requireAll() {
      for (int i = 0; i < keys; i++) {
        assertThat(store.get(key(i))).isEqualTo(model.get(key(i)));
      }
    }

    /** Whichever task's entry cannot be written, the thread ends and with it all its tasks. */
    private void putWhileFull(Bytes key, byte[] value) {
      isFull = true;
      try {
        store.put(key, value);
        put(key, value);
        isFull = false;
      } catch (ProcessorStateException e) {
        isFull = false;
        tasks.forEach(Task::requireAll);
        tasks.forEach(Task::abort);
      }
    }

    private void step(Random random) {
      Bytes key = key(random);
      byte[] value = value(random);
      switch (random.nextInt(40)) {
        case 0, 1 -> commitTransaction();
        case 2 -> checkpoint();
        case 3 -> abort();
        case 4 -> closeInOrder();
        case 5 -> recycle(random);
        case 6 ->
            assertThat(shown(store.prefixScan(key.get(), new ByteArraySerializer())))
                .isEqualTo(
                    list(model).stream()
                        .filter(one -> text(one.key).startsWith(text(key)))
                        .toList());
        case 7 ->
            assertThat(shown(store.range(key, null))).isEqualTo(list(model.tailMap(key, true)));
        case 8 ->
            assertThat(shown(store.reverseRange(null, key)))
                .isEqualTo(list(model.headMap(key, true).descendingMap()));
        case 9 -> assertThat(shown(store.reverseAll())).isEqualTo(list(model.descendingMap()));
        case 10 -> {
          store.all().close();
          assertThat(store.approximateNumEntries()).isEqualTo(model.size());
        }
        case 11 -> assertThat(store.delete(key)).isEqualTo(put(key, null));
        case 12 -> {
          byte[] before = model.get(key);
          assertThat(store.putIfAbsent(key, value)).isEqualTo(before);
          if (before == null && value != null) {
            put(key, value);
          }
        }
        case 13 -> {
          List<KeyValue<Bytes, byte[]>> several =
              List.of(KeyValue.pair(key, value), KeyValue.pair(key(random), value(random)));
          store.putAll(several);
          several.forEach(one -> put(one.key, one.value));
        }
        case 14 -> putWhileFull(key, value);
        case 15, 16, 17, 18, 19, 20, 21, 22, 23 -> {}
        default -> {
          store.put(key, value);
          put(key, value);
        }
      }
      assertThat(store.get(key)).isEqualTo(model.get(key));
    }
  }

  private Bytes key(Random random) {
    return key(random.nextInt(keys));
  }

  private static Bytes key(int number) {
    String text = "/p/" + number;
    return Bytes.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static String text(Bytes key) {
    return new String(key.get(), StandardCharsets.UTF_8);
  }

  private static byte[] value(Random random) {
    if (random.nextInt(5) == 0) {
      return null;
    }
    boolean isLarge = random.nextInt(20) == 0;
    byte[] value = new byte[1 + random.nextInt((isLarge ? 5 : 1) * MAX_VALUE_BYTES)];
    random.nextBytes(value);
    return value;
  }

  private static List<KeyValue<Bytes, byte[]>> entries(KeyValueIterator<Bytes, byte[]> entries) {
    List<KeyValue<Bytes, byte[]>> all = new ArrayList<>();
    try (entries) {
      entries.forEachRemaining(all::add);
    }
    return all;
  }

  private static List<KeyValue<Bytes, Bytes>> shown(KeyValueIterator<Bytes, byte[]> entries) {
    return entries(entries).stream()
        .map(entry -> KeyValue.pair(entry.key, Bytes.wrap(entry.value)))
        .toList();
  }

  private static List<KeyValue<Bytes, Bytes>> list(Map<Bytes, byte[]> entries) {
    return entries.entrySet().stream()
        .map(entry -> KeyValue.pair(entry.getKey(), Bytes.wrap(entry.getValue())))
        .toList();
  }

  @Property(tries = 300)
  void storeHoldsExactlyWhatItsTaskWrote(@ForAll long seed) {
    Random random = new Random(seed);
    keys = KEYS.get(random.nextInt(KEYS.size()));
    int room = ROOMS.get(random.nextInt(ROOMS.size()));
    cache = new StateCache(room);
    tasks.clear();
    for (int i = 0; i < TASKS; i++) {
      tasks.add(new Task());
    }
    for (int i = 0; i < STEPS; i++) {
      tasks.get(random.nextInt(TASKS)).step(random);
      assertThat(cache.bytes()).isBetween(0L, (long) room);
    }
    for (Task task : tasks) {
      assertThat(shown(task.store.all())).isEqualTo(list(task.model));
      task.store.close();
    }
    assertThat(cache.bytes()).isZero();
  }
}
