package io.indexview.connect.kvstore.sink;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvVersion;
import io.indexview.schemas.time.Time;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AttemptTest {
  private static final int VALUE_BYTES = 1 << 20;
  private static final int THREADS = 24;

  private final CyclicBarrier together = new CyclicBarrier(THREADS);
  private final AtomicInteger reads = new AtomicInteger();

  private KvStore store() {
    return (KvStore)
        Proxy.newProxyInstance(
            KvStore.class.getClassLoader(),
            new Class<?>[] {KvStore.class},
            (proxy, method, arguments) -> {
              if (reads.incrementAndGet() <= THREADS) {
                together.await();
              }
              return Optional.of(
                  new KvRecord(
                      (KvKey) arguments[0], new byte[VALUE_BYTES], new KvVersion("shard", 1)));
            });
  }

  @Test
  void keepsOnlySoMuchHoweverManyThreadsReadAhead() throws Exception {
    Attempt attempt = new Attempt(store(), Time.SYSTEM, Duration.ofDays(1));
    List<KvKey> keys = new ArrayList<>();
    List<Future<?>> running = new ArrayList<>();
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try {
      for (int i = 0; i < THREADS; i++) {
        KvKey key = new KvKey(List.of("a"), List.of(Integer.toString(i)));
        keys.add(key);
        running.add(threads.submit(() -> attempt.readAhead(key)));
      }
      for (Future<?> each : running) {
        each.get();
      }
    } finally {
      threads.shutdownNow();
    }
    reads.set(THREADS);

    keys.forEach(attempt::found);

    assertThat(reads).hasValue(THREADS + THREADS - 16);
  }
}
