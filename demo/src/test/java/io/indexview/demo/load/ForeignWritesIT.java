package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.management.OperatingSystemMXBean;
import io.indexview.kvstore.KvChanges;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvKeySet;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.local.pipeline.AppLauncher;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that does not know of Indexview writes orders to the KV store; how long after the
 * acknowledgement of a write is its row in the target? Properties say with how many orders ({@code
 * orders}), and of each load how the source captures it, how many writes a second there are and for
 * how many seconds ({@code loads}). Figures are in {@code target/foreign-writes.txt}.
 */
@Timeout(1_200)
class ForeignWritesIT {
  private static final int ORDERS = Integer.getInteger("orders", 2_000);
  private static final String LOADS = System.getProperty("loads", "auto:100:10");
  private static final String SOURCE = "indexview-kvstore-source";
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;
  private final SplittableRandom random = new SplittableRandom(1);

  /** Times of each write, by the monotonic clock. */
  private record Load(
      String capture,
      int rate,
      String mark,
      AtomicLongArray acknowledged,
      AtomicLongArray visible) {
    private static final AtomicInteger LOADS = new AtomicInteger();

    static Load parse(String text) {
      String[] parts = text.split(":");
      int rate = Integer.parseInt(parts[1]);
      int writes = rate * Integer.parseInt(parts[2]);
      assertThat(writes).as("no order is written twice").isLessThanOrEqualTo(ORDERS);
      return new Load(
          parts[0],
          rate,
          "load-%d-write-".formatted(LOADS.incrementAndGet()),
          new AtomicLongArray(writes),
          new AtomicLongArray(writes));
    }

    int writes() {
      return acknowledged.length();
    }
  }

  @Test
  void rowsFollowSoonAndEachOfThem() throws Exception {
    String definition = "name: by-customer\nsource: orders\nkey: [customer]\ntarget: kv\n";
    try (Shop shop = Shop.open(directory, AppLauncher.inProcess(), definition)) {
      ValueEncoder codec = ValueEncoder.avro(Orders.SCHEMA);
      fill(shop.store(), codec);
      shop.awaitReady("by-customer", TIMEOUT);
      await().atMost(TIMEOUT).until(() -> shop.verify("by-customer").exact());
      StringBuilder figures = new StringBuilder();
      for (String load : LOADS.split(",")) {
        Load measured = Load.parse(load);
        capture(shop, measured.capture());
        // Once a row follows, the source has begun again.
        figures(shop, codec, Load.parse("%s:1:1".formatted(measured.capture())));
        figures.append(figures(shop, codec, measured));
      }
      Files.createDirectories(Path.of("target"));
      Files.writeString(Path.of("target", "foreign-writes.txt"), figures);
      assertThat(shop.verify("by-customer").exact()).as(figures.toString()).isTrue();
    }
  }

  private String figures(Shop shop, ValueEncoder codec, Load load) throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    CompletableFuture<Void> following =
        CompletableFuture.runAsync(() -> followRows(shop.store(), load, over));
    long before = processorMs();
    write(shop.store(), codec, load);
    long processor = processorMs() - before;
    await().atMost(TIMEOUT).until(() -> count(load.visible()) == load.writes());
    over.set(true);
    following.join();
    return figures(load, processor);
  }

  private void fill(KvStore store, ValueEncoder codec) {
    Map<KvKey, byte[]> batch = new HashMap<>();
    for (int i = 0; i < ORDERS; i++) {
      batch.put(Orders.key(i), codec.encode(Orders.random(random)));
      if (batch.size() == 1_000 || i == ORDERS - 1) {
        store.putAll(batch);
        batch.clear();
      }
    }
  }

  private static void capture(Shop shop, String mode) throws Exception {
    URI config = shop.stack().connect().url().resolve("/connectors/" + SOURCE + "/config");
    HttpClient http = HttpClient.newHttpClient();
    HttpRequest get = HttpRequest.newBuilder(config).build();
    ObjectNode keys =
        (ObjectNode) JSON.readTree(http.send(get, HttpResponse.BodyHandlers.ofString()).body());
    keys.put("capture.mode", mode);
    HttpRequest put =
        HttpRequest.newBuilder(config)
            .header("Content-Type", "application/json")
            .PUT(HttpRequest.BodyPublishers.ofString(keys.toString()))
            .build();
    assertThat(http.send(put, HttpResponse.BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    await()
        .atMost(TIMEOUT)
        .until(() -> shop.stack().connect().status(SOURCE).orElseThrow().isRunning());
  }

  /** Every write gives an order a customer that no other has. */
  private void write(KvStore store, ValueEncoder codec, Load load) throws InterruptedException {
    long began = System.nanoTime();
    for (int i = 0; i < load.writes(); i++) {
      long early = began + TimeUnit.SECONDS.toNanos(i) / load.rate() - System.nanoTime();
      if (early > 0) {
        TimeUnit.NANOSECONDS.sleep(early);
      }
      GenericRecord order = Orders.random(random);
      order.put("customer", load.mark() + i);
      store.put(Orders.key(i), codec.encode(order));
      load.acknowledged().set(i, System.nanoTime());
    }
  }

  private static void followRows(KvStore store, Load load, AtomicBoolean over) {
    try (KvChanges rows = store.changes(KvKeySet.under(KvKey.ofMajor("IDX")), Optional.empty())) {
      while (!over.get()) {
        for (KvKey key : rows.poll(POLL).keys()) {
          key.major().stream()
              .filter(component -> component.startsWith(load.mark()))
              .map(mark -> Integer.parseInt(mark.substring(load.mark().length())))
              .forEach(number -> load.visible().compareAndSet(number, 0, System.nanoTime()));
        }
      }
    }
  }

  private static long count(AtomicLongArray times) {
    long count = 0;
    for (int i = 0; i < times.length(); i++) {
      count += times.get(i) == 0 ? 0 : 1;
    }
    return count;
  }

  private static long processorMs() {
    return ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean())
            .getProcessCpuTime()
        / 1_000_000;
  }

  private static String figures(Load load, long processorMs) {
    int writes = load.writes();
    double[] ms = new double[writes];
    for (int i = 0; i < writes; i++) {
      ms[i] = (load.visible().get(i) - load.acknowledged().get(i)) / 1e6;
    }
    Arrays.sort(ms);
    double seconds = (load.acknowledged().get(writes - 1) - load.acknowledged().get(0)) / 1e9;
    return "capture=%s orders=%d writes=%d at %.0f/s: p50=%.0f ms p99=%.0f ms max=%.0f ms; processor %.1f s in %.0f s%n"
        .formatted(
            load.capture(),
            ORDERS,
            writes,
            writes / seconds,
            ms[writes / 2],
            ms[writes - 1 - writes / 100],
            ms[writes - 1],
            processorMs / 1e3,
            seconds);
  }
}
