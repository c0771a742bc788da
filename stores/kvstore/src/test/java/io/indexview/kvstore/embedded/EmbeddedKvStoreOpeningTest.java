package io.indexview.kvstore.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sleepycat.je.DbInternal;
import com.sleepycat.je.EnvironmentConfig;
import com.sleepycat.je.EnvironmentFailureException;
import com.sleepycat.je.EnvironmentMutableConfig;
import com.sleepycat.je.dbi.EnvironmentImpl;
import io.indexview.kvstore.KvConsistency;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.KvVersion;
import io.indexview.kvstore.open.KvStores;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Method;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EmbeddedKvStoreOpeningTest {
  private static final KvKey KEY = KvKey.ofMajor("a");

  @TempDir Path directory;

  @Test
  void keepsRecordsVersionsAndShardOverARestart() {
    KvVersion before;
    try (KvStore store = open()) {
      before = store.put(KEY, new byte[] {1});
    }
    try (KvStore store = open()) {
      assertThat(store.get(KEY)).get().extracting("version").isEqualTo(before);
      KvVersion after = store.put(KEY, new byte[] {2});
      assertThat(after.shard()).isEqualTo(before.shard());
      assertThat(after.vlsn()).isEqualTo(before.vlsn() + 1);
    }
  }

  /** A scan that is longer than what it may keep in the cache, of records that are not there. */
  @ParameterizedTest
  @ValueSource(ints = {2, 500})
  void scansRecordsPastTheCacheBesideAWriter(int batchSize) throws Exception {
    KvStoreConfig small = config(directory).withCacheBytes(1 << 20);
    KvKey parent = KvKey.ofMajor("many");
    List<KvKey> keys = new ArrayList<>();
    try (KvStore store = KvStores.open(small)) {
      Map<KvKey, byte[]> records = new LinkedHashMap<>();
      for (int i = 0; i < 4_000; i++) {
        KvKey key = KvKey.ofMajor("many", "%05d".formatted(i));
        keys.add(key);
        records.put(key, ByteBuffer.allocate(500).putInt(i).array());
      }
      store.putAll(records);
    }
    try (KvStore store = KvStores.open(small);
        KvStore other = KvStores.open(small)) {
      AtomicBoolean scanned = new AtomicBoolean();
      CompletableFuture<Void> writer =
          CompletableFuture.runAsync(
              () -> {
                for (int i = 0; !scanned.get(); i = (i + 7) % keys.size()) {
                  other.put(keys.get(i), ByteBuffer.allocate(500).putInt(i).array());
                }
              });
      List<KvKey> found = new ArrayList<>();
      KvScan scan = KvScan.under(parent).withBatchSize(batchSize);
      try (KvIterator<KvRecord> records = store.storeIterator(scan)) {
        while (records.hasNext()) {
          KvRecord record = records.next();
          assertThat(ByteBuffer.wrap(record.value()).getInt()).isEqualTo(found.size());
          found.add(record.key());
        }
      }
      List<KvKey> foundAlone = new ArrayList<>();
      try (KvIterator<KvKey> alone = store.storeKeysIterator(scan)) {
        alone.forEachRemaining(foundAlone::add);
      }
      scanned.set(true);
      writer.get();
      assertThat(found).isEqualTo(keys);
      assertThat(foundAlone).isEqualTo(keys);
    }
  }

  @Test
  void givesADirectoryMadeAnewAnotherShard() {
    try (KvStore one = open();
        KvStore other = KvStores.open(config(directory.resolve("other")))) {
      assertThat(one.put(KEY, new byte[0]).shard())
          .isNotEqualTo(other.put(KEY, new byte[0]).shard());
    }
  }

  @Test
  void sharesOneEngineUntilTheLastUserCloses() {
    KvStore first = open();
    KvStore second = open();
    first.put(KEY, new byte[] {1});
    first.close();
    first.close();

    assertThat(second.get(KEY)).isPresent();
    assertThatIllegalStateException().isThrownBy(() -> first.get(KEY));
    second.close();
    try (KvStore third = open()) {
      assertThat(third.get(KEY)).isPresent();
    }
  }

  @Test
  void namesTheDirectoryThatCannotBeUsed() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");

    assertThatExceptionOfType(KvStoreException.Misconfigured.class)
        .isThrownBy(() -> KvStores.open("embedded:" + file))
        .withMessageContaining(file.toString());
    assertThatExceptionOfType(KvStoreException.Misconfigured.class)
        .isThrownBy(() -> KvStores.open("embedded:/proc/self/store"))
        .withMessageContaining("/proc/self/store");
  }

  @Test
  void namesADirectoryThatTakesNoFiles() throws IOException {
    Path noFiles = Path.of("/proc/self").toRealPath();

    assertThatExceptionOfType(KvStoreException.Misconfigured.class)
        .isThrownBy(() -> KvStores.open("embedded:" + noFiles))
        .withMessageContaining(noFiles.toString());
  }

  @Test
  void refusesADirectoryThatAnotherClassLoaderOfThisProcessUses() throws Exception {
    try (URLClassLoader plugin = new URLClassLoader(classPath(), platform());
        KvStore store = open()) {
      store.put(KEY, new byte[] {1});
      Method elsewhere = plugin.loadClass(KvStores.class.getName()).getMethod("open", String.class);

      assertThatThrownBy(() -> elsewhere.invoke(null, "embedded:" + directory))
          .cause()
          .satisfies(
              e ->
                  assertThat(e.getClass().getName())
                      .isEqualTo(KvStoreException.Misconfigured.class.getName()))
          .hasMessageContaining(directory.toRealPath().toString())
          .hasMessageContaining("in use");
    }
  }

  @Test
  void readsAndSaysSoWhileTheDiskIsFull() throws IOException {
    String real = directory.toRealPath().toString();
    try (KvStore store = open()) {
      store.put(KEY, new byte[] {1});
      // The engine looks at the disk in threads of its own.
      keepFree(Long.MAX_VALUE);
      await()
          .untilAsserted(
              () ->
                  assertThatExceptionOfType(KvStoreException.Unavailable.class)
                      .isThrownBy(() -> store.put(KEY, new byte[] {1}))
                      .withMessageContaining(real)
                      .withMessageContaining("disk is full"));
      assertThat(store.get(KEY)).get().extracting(KvRecord::value).isEqualTo(new byte[] {1});

      keepFree(0);
      await()
          .ignoreExceptionsInstanceOf(KvStoreException.Unavailable.class)
          .until(() -> store.put(KEY, new byte[] {3}) != null);
      assertThat(store.get(KEY)).get().extracting(KvRecord::value).isEqualTo(new byte[] {3});
    }
  }

  private void keepFree(long bytes) {
    SharedEnvironment environment = SharedEnvironment.acquire(directory, config(directory));
    environment.call(
        handles -> {
          EnvironmentMutableConfig changed = handles.environment().getMutableConfig();
          changed.setConfigParam(EnvironmentConfig.FREE_DISK, String.valueOf(bytes));
          handles.environment().setMutableConfig(changed);
          return null;
        });
    environment.release();
  }

  @Test
  void opensAgainWhenTheEngineFailed() {
    try (KvStore store = open()) {
      KvVersion before = store.put(KEY, new byte[] {1});
      SharedEnvironment environment = SharedEnvironment.acquire(directory, config(directory));
      environment.call(
          handles -> {
            EnvironmentImpl engine = DbInternal.getNonNullEnvImpl(handles.environment());
            return EnvironmentFailureException.unexpectedState(engine, "broken by the test");
          });
      environment.release();

      assertThat(store.get(KEY)).get().extracting("version").isEqualTo(before);
      assertThat(store.put(KEY, new byte[] {2}).vlsn()).isGreaterThan(before.vlsn());
    }
  }

  @Test
  void survivesInterruptedCallers() throws InterruptedException {
    Set<KvKey> acknowledged = ConcurrentHashMap.newKeySet();
    try (KvStore store = open()) {
      for (int round = 0; round < 8; round++) {
        String prefix = "r" + round + "-";
        AtomicInteger written = new AtomicInteger();
        Thread writer =
            new Thread(
                () -> {
                  while (!Thread.currentThread().isInterrupted()) {
                    KvKey key = KvKey.ofMajor(prefix + written.get());
                    try {
                      store.put(key, new byte[] {1});
                    } catch (KvStoreException.Unavailable e) {
                      return;
                    }
                    acknowledged.add(key);
                    written.incrementAndGet();
                  }
                });
        writer.start();
        await().until(() -> written.get() > 5);
        writer.interrupt();
        writer.join();
        store.put(KEY, new byte[] {(byte) round});
      }
      assertThat(acknowledged).allSatisfy(key -> assertThat(store.get(key)).isPresent());
    }
  }

  @Test
  void cannotReadAtAVersionThatIsNotItsOwn() {
    try (KvStore store = open()) {
      KvVersion version = store.put(KEY, new byte[] {1});
      KvVersion future = new KvVersion(version.shard(), version.vlsn() + 1);
      KvVersion foreign = new KvVersion("elsewhere", 1);

      assertThatExceptionOfType(KvStoreException.Unavailable.class)
          .isThrownBy(() -> store.get(KEY, KvConsistency.atLeast(future, Duration.ofSeconds(1))))
          .withMessageContaining(future.toString());
      assertThatExceptionOfType(KvStoreException.Refused.class)
          .isThrownBy(() -> store.get(KEY, KvConsistency.atLeast(foreign, Duration.ofSeconds(1))))
          .withMessageContaining("elsewhere");
    }
  }

  private static URL[] classPath() throws MalformedURLException {
    List<URL> classPath = new ArrayList<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
      classPath.add(Path.of(element).toUri().toURL());
    }
    return classPath.toArray(URL[]::new);
  }

  private static ClassLoader platform() {
    return ClassLoader.getPlatformClassLoader();
  }

  private KvStore open() {
    return KvStores.open(config(directory));
  }

  private static KvStoreConfig config(Path path) {
    return EmbeddedKvStoreTest.config(path);
  }
}
