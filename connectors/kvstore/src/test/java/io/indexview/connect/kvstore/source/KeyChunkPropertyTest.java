package io.indexview.connect.kvstore.source;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.connect.kvstore.source.KeyChunk.RangeRead;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.open.KvStores;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;

/**
 * Chunks that follow one another read every record below the prefix, and nothing beyond their
 * bounds unless the order of NUL forces them to.
 */
class KeyChunkPropertyTest {
  private static Path directory;
  private static KvStore store;
  private static int trees;

  @BeforeContainer
  static void open() throws IOException {
    directory = Files.createTempDirectory("key-chunk");
    store =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory)
                .withCacheBytes(8L << 20)
                .withDurability(KvDurability.WRITE_NO_SYNC));
  }

  @AfterContainer
  static void close() throws IOException {
    store.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }

  @Property(tries = 150)
  void chunksHoldEveryRecordBelowThePrefix(
      @ForAll("paths") Set<List<List<String>>> paths, @ForAll("bounds") Set<Integer> cuts) {
    KvKey prefix = KvKey.ofMajor("tree" + trees++, "a");
    TreeSet<KvKey> keys = new TreeSet<>();
    paths.forEach(path -> keys.add(below(prefix, path)));
    keys.forEach(key -> store.put(key, new byte[0]));
    store.put(KvKey.ofMajor("tree" + (trees - 1), "aa"), new byte[0]);
    store.put(KvKey.ofMajor("tree" + (trees - 1)), new byte[0]);

    List<KvKey> majors = keys.stream().map(KvKey::majorKey).distinct().toList();
    List<KvKey> read = new ArrayList<>();
    KvKey after = null;
    for (int cut : new TreeSet<>(cuts)) {
      if (cut < majors.size()) {
        read.addAll(read(new KeyChunk(prefix, after, majors.get(cut)), after, majors.get(cut)));
        after = majors.get(cut);
      }
    }
    read.addAll(read(new KeyChunk(prefix, after, null), after, null));

    assertThat(new HashSet<>(read)).isEqualTo(new HashSet<>(keys));
  }

  private static List<KvKey> read(KeyChunk chunk, KvKey after, KvKey upTo) {
    List<KvKey> read = new ArrayList<>();
    for (RangeRead range : chunk.reads()) {
      try (KvIterator<KvRecord> records = range.open(store, 1, 2)) {
        records.forEachRemaining(record -> read.add(record.key()));
      }
    }
    if (read.stream().noneMatch(key -> (key.major() + "" + key.minor()).indexOf(0) >= 0)) {
      assertThat(read).allMatch(key -> upTo == null || key.majorKey().compareTo(upTo) <= 0);
      assertThat(read).allMatch(key -> after == null || key.majorKey().compareTo(after) >= 0);
    }
    return read;
  }

  private static KvKey below(KvKey prefix, List<List<String>> path) {
    List<String> major = new ArrayList<>(prefix.major());
    major.addAll(path.get(0));
    return new KvKey(major, path.get(1));
  }

  @Provide
  Arbitrary<Set<List<List<String>>>> paths() {
    Arbitrary<String> component =
        Arbitraries.of("", "a", "a b", "a.b", "ab", "b", "%", "\u0000", "é");
    return Combinators.combine(
            component.list().ofMaxSize(3), Arbitraries.of("x", "y").list().ofMaxSize(1))
        .as(List::of)
        .set()
        .ofMaxSize(25);
  }

  @Provide
  Arbitrary<Set<Integer>> bounds() {
    return Arbitraries.integers().between(0, 24).set().ofMaxSize(6);
  }
}
