package io.indexview.demo.load;

import io.indexview.client.write.Writer;
import io.indexview.kvstore.KvKey;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import java.util.Iterator;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.apache.avro.generic.GenericRecord;

/** Orders that change at a steady rate, as their only writer knows them. */
final class KnownOrders implements AutoCloseable {
  private static final int BEAT_MS = 20;
  private static final int DELETES_ONE_IN = 10;

  private final Writer writer;
  private final int orders;
  private final int perBeat;
  private final SplittableRandom random = new SplittableRandom(11);
  private final Map<KvKey, GenericRecord> standing = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();

  /**
   * @param writer stays open
   * @param orders how many there are at most
   */
  KnownOrders(Writer writer, int orders, int perSecond) {
    this.writer = writer;
    this.orders = orders;
    this.perBeat = perSecond * BEAT_MS / 1_000;
  }

  /** Writes each order once. */
  void writeAll() {
    for (int number = 0; number < orders; number++) {
      put(Orders.key(number));
    }
    writer.flush();
  }

  /** What is written until this is closed; then everything was published. */
  interface Writing extends AutoCloseable {}

  Writing begin() {
    ScheduledFuture<?> beats =
        timer.scheduleAtFixedRate(this::beat, 0, BEAT_MS, TimeUnit.MILLISECONDS);
    return () -> {
      if (beats.isDone()) {
        // It failed; this tells how.
        beats.get();
      }
      beats.cancel(false);
      // On the one thread: behind the last beat.
      timer.submit(writer::flush).get();
    };
  }

  private void beat() {
    for (int i = 0; i < perBeat; i++) {
      KvKey key = Orders.key(random.nextInt(orders));
      if (random.nextInt(DELETES_ONE_IN) == 0) {
        writer.delete(key);
        standing.remove(key);
      } else {
        put(key);
      }
    }
  }

  private void put(KvKey key) {
    GenericRecord order = Orders.random(random);
    writer.put(key, order);
    standing.put(key, order);
  }

  /** Those that stand; only while nothing is written. */
  Iterator<PrimaryRecord> iterator() {
    return standing.entrySet().stream()
        .map(order -> new PrimaryRecord(order.getKey().toString(), order.getValue()))
        .iterator();
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
