package io.indexview.kvstore.remote;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvChanges.Batch;
import io.indexview.kvstore.KvDurability;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.KvStoreException;
import io.indexview.kvstore.open.KvStores;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Changes over the wire when a server or a client goes away. */
@Timeout(120)
class RemoteChangesTest {
  private static final KvKey KEY = KvKey.ofMajor("a");
  private static final KvKeySet ALL = KvKeySet.under(KEY);
  private static final byte[] VALUE = {1};
  private static final Duration SOON = Duration.ofSeconds(30);

  @TempDir private Path directory;

  private final ExecutorService executor = Executors.newCachedThreadPool();
  private KvStore embedded;
  private KvStoreServer server;
  private KvStore store;

  @BeforeEach
  void start() throws IOException {
    embedded =
        KvStores.open(
            KvStoreConfig.of("embedded:" + directory).withDurability(KvDurability.WRITE_NO_SYNC));
    server = serve(0);
    store = open();
  }

  @AfterEach
  void stop() {
    executor.shutdownNow();
    store.close();
    server.close();
    embedded.close();
  }

  @Test
  void goesOnWithAServerThatWasStartedAgain() throws IOException {
    try (KvChanges changes = store.changes(ALL, Optional.empty())) {
      int port = server.port();
      server.close();
      embedded.put(KEY, VALUE);

      for (int i = 0; i < 2; i++) {
        assertThatExceptionOfType(KvStoreException.Unavailable.class)
            .isThrownBy(() -> changes.poll(SOON))
            .withMessageContaining("http://localhost:" + port);
      }
      server = serve(port);
      Batch batch = changes.poll(SOON);
      assertThat(batch.hasGap()).isFalse();
      assertThat(batch.keys()).containsExactly(KEY);
    }
  }

  @Test
  void letsItsServerCloseWhileItWaits() throws Exception {
    try (KvChanges changes = store.changes(ALL, Optional.empty())) {
      CompletableFuture<Batch> waiting = waiting(changes);

      CompletableFuture.runAsync(server::close, executor)
          .get(WireCodec.MAX_WAIT.toMillis() / 2, TimeUnit.MILLISECONDS);

      await().until(waiting::isDone);
      assertThat(server.waitingFollowers()).isZero();
    }
  }

  @Test
  void endsWithItsStore() throws Exception {
    KvChanges changes = store.changes(ALL, Optional.empty());
    CompletableFuture<Batch> waiting = waiting(changes);

    store.close();

    assertThat(waiting.get(30, TimeUnit.SECONDS).keys()).isEmpty();
    assertThatIllegalStateException().isThrownBy(() -> changes.poll(Duration.ZERO));
  }

  @Test
  void waitsLongerThanOneRequest() throws Exception {
    Duration oneRequest = Duration.ofSeconds(5);
    String address = "localhost:" + server.port();
    // Shorter than the wait, and long for an answer also on a busy machine.
    KvStoreConfig hasty =
        KvStoreConfig.of("remote://" + address).withRequestTimeout(oneRequest.minusSeconds(1));
    try (KvStore other = RemoteKvStore.open(address, hasty, oneRequest);
        KvChanges changes = other.changes(ALL, Optional.empty())) {
      Duration longer = oneRequest.plusMillis(100);

      long start = System.nanoTime();
      assertThat(changes.poll(longer).keys()).isEmpty();
      assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(longer);
    }
  }

  @Test
  void letsOnlySoManyWait() {
    List<KvChanges> clients = new ArrayList<>();
    for (int i = 0; i < KvStoreServer.MAX_FOLLOWERS; i++) {
      clients.add(store.changes(ALL, Optional.empty()));
    }
    KvChanges oneMore = store.changes(ALL, Optional.empty());
    clients.forEach(
        client -> CompletableFuture.supplyAsync(() -> client.poll(Duration.ofHours(1)), executor));
    await().until(() -> server.waitingFollowers() == KvStoreServer.MAX_FOLLOWERS);

    // Whose wait is over asks again at once.
    await()
        .untilAsserted(
            () ->
                assertThatExceptionOfType(KvStoreException.Unavailable.class)
                    .isThrownBy(() -> oneMore.poll(Duration.ZERO))
                    .withMessageContaining("64 clients wait for changes"));
    assertThat(store.get(KEY)).as("other calls are answered").isEmpty();

    embedded.put(KEY, VALUE);
    await().until(() -> server.waitingFollowers() == 0);
    assertThat(oneMore.poll(SOON).keys()).containsExactly(KEY);
  }

  @Test
  void saysThatItsServerTellsNoChanges() throws IOException {
    KvStore silent =
        (KvStore)
            Proxy.newProxyInstance(
                KvStore.class.getClassLoader(),
                new Class<?>[] {KvStore.class},
                (proxy, method, args) -> {
                  throw new KvStoreException.ChangesUnsupported("use scans");
                });
    try (KvStoreServer other = KvStoreServer.start(loopback(0), durability -> silent);
        KvStore client = KvStores.open("remote://localhost:" + other.port())) {
      assertThatExceptionOfType(KvStoreException.ChangesUnsupported.class)
          .isThrownBy(() -> client.changes(ALL, Optional.empty()))
          .withMessageContaining("use scans");
    }
  }

  private CompletableFuture<Batch> waiting(KvChanges changes) {
    CompletableFuture<Batch> waiting =
        CompletableFuture.supplyAsync(() -> changes.poll(Duration.ofHours(1)), executor);
    await().until(() -> server.waitingFollowers() == 1);
    return waiting;
  }

  private KvStoreServer serve(int port) throws IOException {
    return KvStoreServer.start(loopback(port), durability -> embedded);
  }

  private static InetSocketAddress loopback(int port) {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
  }

  private KvStore open() {
    return KvStores.open("remote://localhost:" + server.port());
  }
}
