package io.indexview.kvstore.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvOperation;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvSelection;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.open.KvStores;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class EmbeddedKvStoreConcurrencyTest {
  private static final int THREADS = 4;
  private static final int ROUNDS = 300;
  private static final KvKey MAJOR = KvKey.ofMajor("m");

  @TempDir Path directory;
  private KvStore store;

  @BeforeEach
  void open() {
    store = KvStores.open(EmbeddedKvStoreTest.config(directory));
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void losesNoConditionalUpdate() throws Exception {
    KvKey counter = MAJOR.child("counter");
    store.put(counter, number(0));

    inParallel(
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            increment(counter);
          }
          return null;
        });

    assertThat(number(store.get(counter).orElseThrow())).isEqualTo(THREADS * ROUNDS);
  }

  @Test
  void givesEveryWriteItsOwnNumberAndTheLastOneStays() throws Exception {
    Set<KvVersion> given = ConcurrentHashMap.newKeySet();
    KvKey key = MAJOR.child("hot");

    inParallel(
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            given.add(store.put(key, number(i)));
          }
          return null;
        });

    assertThat(given).hasSize(THREADS * ROUNDS);
    assertThat(store.get(key).orElseThrow().version().vlsn())
        .isEqualTo(given.stream().mapToLong(KvVersion::vlsn).max().orElseThrow());
  }

  @Test
  void showsAMultiOperationWholeOrNotAtAll() throws Exception {
    Callable<Void> writer =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            List<KvOperation> operations = new ArrayList<>();
            for (String minor : List.of("a", "b", "c")) {
              operations.add(new KvOperation.Put(MAJOR.child(minor), number(i)));
            }
            store.execute(operations);
          }
          return null;
        };
    Callable<Void> reader =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            List<KvRecord> seen = store.multiGet(KvSelection.of(MAJOR), KvConsistency.ABSOLUTE);
            assertThat(seen.size()).isIn(0, 3);
            assertThat(seen.stream().map(EmbeddedKvStoreConcurrencyTest::number).distinct().count())
                .isLessThanOrEqualTo(1);
          }
          return null;
        };

    inParallel(List.of(writer, reader, reader));

    assertThat(store.multiGet(KvSelection.of(MAJOR), KvConsistency.ABSOLUTE)).hasSize(3);
  }

  /** Each in another order, so that they would wait for each other. */
  @Test
  void letsSeveralPutManyRecordsOfTheSameMajorPathsAtOnce() throws Exception {
    Callable<Void> writer =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            List<KvKey> keys = new ArrayList<>();
            for (int major = 0; major < 50; major++) {
              keys.add(KvKey.ofMajor("many", "m" + major));
            }
            Collections.shuffle(keys);
            Map<KvKey, byte[]> records = new LinkedHashMap<>();
            keys.forEach(key -> records.put(key, number(1)));
            store.putAll(records);
          }
          return null;
        };
    Callable<Void> scanner =
        () -> {
          for (int i = 0; i < ROUNDS; i++) {
            try (var records = store.storeIterator(KvScan.under(KvKey.ofMajor("many")))) {
              records.forEachRemaining(record -> assertThat(number(record)).isEqualTo(1));
            }
          }
          return null;
        };

    inParallel(List.of(writer, writer, writer, scanner));

    assertThat(store.multiGet(KvSelection.of(KvKey.ofMajor("many", "m7")), KvConsistency.ABSOLUTE))
        .hasSize(1);
  }

  private void increment(KvKey counter) {
    KvRecord current = store.get(counter).orElseThrow();
    while (store.putIfVersion(counter, number(number(current) + 1), current.version()).isEmpty()) {
      current = store.get(counter).orElseThrow();
    }
  }

  private static void inParallel(Callable<Void> work) throws Exception {
    inParallel(Collections.nCopies(THREADS, work));
  }

  private static void inParallel(List<Callable<Void>> work)
      throws InterruptedException, ExecutionException {
    ExecutorService threads = Executors.newFixedThreadPool(work.size());
    try {
      for (Future<Void> done : threads.invokeAll(work)) {
        done.get();
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static byte[] number(int value) {
    return ByteBuffer.allocate(Integer.BYTES).putInt(value).array();
  }

  private static int number(KvRecord found) {
    return ByteBuffer.wrap(found.value()).getInt();
  }
}
