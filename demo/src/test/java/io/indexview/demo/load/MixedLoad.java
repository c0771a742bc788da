package io.indexview.demo.load;

import io.indexview.client.write.Writer;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueEncoder;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Puts and deletes orders at a steady rate until it is closed: the writer publishes half of them,
 * half left for scans to find. Half are orders of one run alone, which nothing puts right later.
 */
final class MixedLoad implements AutoCloseable {
  private static final int BEAT_MS = 20;
  private static final int PER_BEAT = 8;
  private static final int ORDERS = 1_000;
  private static final int DELETES_ONE_IN = 5;

  private final KvStore store;
  private final Writer writer;
  private final ValueEncoder codec;
  private final int run;
  private final SplittableRandom random;
  private final AtomicReference<RuntimeException> failure = new AtomicReference<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  private MixedLoad(KvStore store, Writer writer, ValueEncoder codec, int run) {
    this.store = store;
    this.writer = writer;
    this.codec = codec;
    this.run = run;
    this.random = new SplittableRandom(run);
  }

  static MixedLoad start(KvStore store, Writer writer, ValueEncoder codec, int run) {
    MixedLoad load = new MixedLoad(store, writer, codec, run);
    load.timer.scheduleAtFixedRate(load::beat, 0, BEAT_MS, TimeUnit.MILLISECONDS);
    return load;
  }

  private void beat() {
    try {
      for (int i = 0; i < PER_BEAT; i++) {
        change(Orders.key(random.nextInt(ORDERS) + (random.nextBoolean() ? run * ORDERS : 0)));
      }
    } catch (RuntimeException e) {
      failure.set(e);
      throw e;
    }
  }

  private void change(KvKey key) {
    boolean isPublished = random.nextBoolean();
    if (random.nextInt(DELETES_ONE_IN) == 0) {
      if (isPublished) {
        writer.delete(key);
      } else {
        store.delete(key);
      }
    } else if (isPublished) {
      writer.put(key, Orders.random(random));
    } else {
      store.put(key, codec.encode(Orders.random(random)));
    }
  }

  @Override
  public void close() throws InterruptedException {
    timer.shutdown();
    if (!timer.awaitTermination(1, TimeUnit.MINUTES)) {
      throw new IllegalStateException("the load does not end");
    }
    if (failure.get() != null) {
      throw failure.get();
    }
  }
}
