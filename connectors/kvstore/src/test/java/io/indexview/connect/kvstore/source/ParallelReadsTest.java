package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ParallelReadsTest {
  private static final List<String> PATH =
      Stream.concat(People.RECORD_SET.prefix().major().stream(), Stream.of("1")).toList();
  private static final KeyComparison COMPARISON =
      new KeyComparison(People.RECORD_SET, "1", false, false);

  @TempDir private Path directory;
  private final List<String> calls = Collections.synchronizedList(new ArrayList<>());
  private KvStore store;
  private KvStore counting;

  @BeforeEach
  void open() {
    store = KvStores.open(KvStoreConfig.of("embedded:" + directory));
    counting =
        (KvStore)
            Proxy.newProxyInstance(
                KvStore.class.getClassLoader(),
                new Class<?>[] {KvStore.class},
                (proxy, method, arguments) -> {
                  calls.add(method.getName());
                  return method.invoke(store, arguments);
                });
  }

  @AfterEach
  void close() {
    store.close();
  }

  private static KvKey key(String... minor) {
    return new KvKey(PATH, List.of(minor));
  }

  private ParallelReads.Found read(List<KvKey> keys) {
    try (ParallelReads reads = new ParallelReads(() -> counting, 2)) {
      return reads.read(keys.stream().map(KvKey::toString).toList(), COMPARISON);
    }
  }

  private List<Optional<KvRecord>> readSingly(List<KvKey> keys) {
    return keys.stream().map(store::get).toList();
  }

  @Test
  void readsManyKeysOfAMajorPathInOnePass() {
    List<KvKey> keys = new ArrayList<>(List.of(key()));
    IntStream.range(0, 20).forEach(i -> keys.add(key("item", "" + i)));
    keys.forEach(key -> store.put(key, new byte[] {1}));

    assertThat(read(keys).records()).isEqualTo(readSingly(keys)).doesNotContain(Optional.empty());
    assertThat(calls).containsExactly("iterator");
  }

  @Test
  void readsWhatAPassDidNotFindByItsKey() {
    List<KvKey> keys = IntStream.range(0, 10).mapToObj(i -> key("" + i)).toList();
    keys.stream().skip(2).forEach(key -> store.put(key, new byte[0]));

    assertThat(read(keys).records()).isEqualTo(readSingly(keys)).contains(Optional.empty());
    assertThat(calls).containsExactlyInAnyOrder("iterator", "get", "get");
  }

  @Test
  void endsAPassThatMeetsTooMuchElse() {
    for (int i = 0; i < 1_000; i++) {
      store.put(key("%03d".formatted(i)), new byte[10]);
    }
    List<KvKey> keys = Stream.of("000", "300", "600", "999").map(ParallelReadsTest::key).toList();

    ParallelReads.Found found = read(keys);

    assertThat(found.records()).isEqualTo(readSingly(keys)).doesNotContain(Optional.empty());
    assertThat(found.others()).isEqualTo(ParallelReads.MAX_FOR_ONE * keys.size() - 1);
    assertThat(found.otherBytes()).isEqualTo(10 * found.others());
    assertThat(calls).containsExactlyInAnyOrder("iterator", "get", "get", "get");
  }

  @Test
  void readsFewKeysOfEachMajorPathSingly() {
    List<KvKey> keys =
        IntStream.range(0, 3 * (ParallelReads.MANY_TOGETHER - 1))
            .mapToObj(i -> new KvKey(People.key(i % 3).major(), List.of("" + i)))
            .toList();
    keys.forEach(key -> store.put(key, new byte[0]));

    assertThat(read(keys).records()).isEqualTo(readSingly(keys)).doesNotContain(Optional.empty());
    assertThat(calls).containsOnly("get").hasSize(keys.size());
  }

  @Test
  void findsWhateverSingleReadsFind() {
    // Among them such as sort as texts otherwise than in the store.
    List<String> components = List.of("", "\0", "a", "a\0", "b", "\uD83D\uDE00", "\uFF5E", "é");
    for (int seed = 0; seed < 200; seed++) {
      Random random = new Random(seed);
      List<KvKey> all = new ArrayList<>(List.of(key()));
      components.forEach(first -> all.add(key(first)));
      components.forEach(first -> components.forEach(second -> all.add(key(first, second))));
      for (KvKey key : all) {
        if (random.nextBoolean()) {
          store.put(key, new byte[0]);
        } else {
          store.delete(key);
        }
      }
      Collections.shuffle(all, random);
      List<KvKey> keys = all.subList(0, 1 + random.nextInt(20));

      assertThat(read(keys).records()).as("seed %d", seed).isEqualTo(readSingly(keys));
    }
  }
}
