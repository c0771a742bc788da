package io.indexview.streams.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.common.utils.Bytes;
import org.apache.kafka.streams.KeyValue;
import org.apache.kafka.streams.state.KeyValueIterator;

/** A store in memory against a map, under random operations. */
class MemoryStorePropertyTest {
  private static final int STEPS = 60;

  /** As a comparison of signed bytes, or of text, would not order them. */
  private static final byte[] ALPHABET = {0, 1, 'a', (byte) 0x80, (byte) 0xff};

  private final MemoryStore store = new MemoryStore("records");
  private final NavigableMap<Bytes, byte[]> model = new TreeMap<>();

  private static Bytes key(Random random) {
    byte[] key = new byte[random.nextInt(4)];
    for (int i = 0; i < key.length; i++) {
      key[i] = ALPHABET[random.nextInt(ALPHABET.length)];
    }
    return Bytes.wrap(key);
  }

  private static byte[] value(Random random) {
    return random.nextInt(4) == 0 ? null : new byte[] {(byte) random.nextInt()};
  }

  private byte[] modelPut(Bytes key, byte[] value) {
    return value == null ? model.remove(key) : model.put(key, value);
  }

  private static List<KeyValue<Bytes, byte[]>> shown(KeyValueIterator<Bytes, byte[]> entries) {
    List<KeyValue<Bytes, byte[]>> all = new ArrayList<>();
    try (entries) {
      while (entries.hasNext()) {
        Bytes peeked = entries.peekNextKey();
        KeyValue<Bytes, byte[]> next = entries.next();
        assertThat(peeked).isEqualTo(next.key);
        all.add(next);
      }
    }
    return all;
  }

  private static List<KeyValue<Bytes, byte[]>> list(Map<Bytes, byte[]> entries) {
    return entries.entrySet().stream()
        .map(entry -> KeyValue.pair(entry.getKey(), entry.getValue()))
        .toList();
  }

  private NavigableMap<Bytes, byte[]> between(Bytes from, Bytes to) {
    NavigableMap<Bytes, byte[]> found = new TreeMap<>();
    model.forEach(
        (key, value) -> {
          if ((from == null || key.compareTo(from) >= 0)
              && (to == null || key.compareTo(to) <= 0)) {
            found.put(key, value);
          }
        });
    return found;
  }

  private NavigableMap<Bytes, byte[]> beginningWith(byte[] prefix) {
    NavigableMap<Bytes, byte[]> found = new TreeMap<>();
    model.forEach(
        (key, value) -> {
          if (key.get().length >= prefix.length
              && Arrays.equals(Arrays.copyOf(key.get(), prefix.length), prefix)) {
            found.put(key, value);
          }
        });
    return found;
  }

  private void step(Random random) {
    Bytes key = key(random);
    byte[] value = value(random);
    switch (random.nextInt(8)) {
      case 0, 1, 2 -> {
        store.put(key, value);
        modelPut(key, value);
      }
      case 3 -> {
        byte[] before = model.get(key);
        if (before == null && value != null) {
          model.put(key, value);
        }
        assertThat(store.putIfAbsent(key, value)).isSameAs(before);
      }
      case 4 -> {
        List<KeyValue<Bytes, byte[]>> several =
            List.of(
                KeyValue.pair(key, value),
                KeyValue.pair(key(random), value(random)),
                KeyValue.pair(key, value(random)));
        store.putAll(several);
        several.forEach(entry -> modelPut(entry.key, entry.value));
      }
      case 5 -> assertThat(store.delete(key)).isSameAs(model.remove(key));
      case 6 -> {
        Bytes from = random.nextInt(4) == 0 ? null : key;
        Bytes to = random.nextInt(4) == 0 ? null : key(random);
        NavigableMap<Bytes, byte[]> expected = between(from, to);
        assertThat(shown(store.range(from, to))).isEqualTo(list(expected));
        assertThat(shown(store.reverseRange(from, to))).isEqualTo(list(expected.descendingMap()));
      }
      default ->
          assertThat(shown(store.prefixScan(key.get(), new ByteArraySerializer())))
              .isEqualTo(list(beginningWith(key.get())));
    }
    assertThat(store.get(key)).isSameAs(model.get(key));
    assertThat(store.approximateNumEntries()).isEqualTo(model.size());
  }

  @Property(tries = 200)
  void storeBehavesLikeAMapSortedByUnsignedBytes(@ForAll long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < STEPS; i++) {
      step(random);
    }
    assertThat(shown(store.all())).isEqualTo(list(model));
    assertThat(shown(store.reverseAll())).isEqualTo(list(model.descendingMap()));
  }

  /**
   * What stands all the time is shown once, as it is or was since the iterator began; what comes or
   * goes meanwhile may be shown.
   */
  @Property(tries = 200)
  void iteratorsGoOnWhileEntriesChange(@ForAll long seed) {
    Random random = new Random(seed);
    for (int i = 0; i < STEPS; i++) {
      step(random);
    }
    NavigableMap<Bytes, byte[]> standing = new TreeMap<>(model);
    Map<Bytes, List<byte[]>> values = new TreeMap<>();
    model.forEach((key, value) -> values.put(key, new ArrayList<>(List.of(value))));
    boolean forward = random.nextBoolean();
    List<Bytes> keys = new ArrayList<>();
    try (KeyValueIterator<Bytes, byte[]> entries = forward ? store.all() : store.reverseAll()) {
      while (entries.hasNext()) {
        KeyValue<Bytes, byte[]> next = entries.next();
        keys.add(next.key);
        assertThat(values.get(next.key)).contains(next.value);
        Bytes changed = key(random);
        byte[] value = value(random);
        store.put(changed, value);
        modelPut(changed, value);
        if (value == null) {
          standing.remove(changed);
        } else {
          values.computeIfAbsent(changed, unused -> new ArrayList<>()).add(value);
        }
      }
    }
    assertThat(keys).containsAll(standing.keySet()).doesNotHaveDuplicates();
    List<Bytes> ordered = new ArrayList<>(keys);
    ordered.sort(forward ? null : Comparator.reverseOrder());
    assertThat(keys).isEqualTo(ordered);
    assertThat(shown(store.all())).isEqualTo(list(model));
  }
}
