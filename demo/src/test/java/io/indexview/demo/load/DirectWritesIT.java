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
import io.indexview.schemas.fixtures.ExhaustiveTier;
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
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application that does not know of Indexview writes orders to the KV store; how long after the
 * acknowledgement of a write is its row in the target? Properties say with how many orders ({@code
 * orders}), and of each load how the source captures it, how many writes a second there are and for
 * how many seconds ({@code loads}); {@code writers} threads write. The store is the embedded one
 * unless {@code kvstore.uri} has the address of another, which is empty; {@code store.process} is
 * then the number of its process, whose time is measured, too. Figures are in {@code
 * target/direct-writes.txt}.
 */
@Timeout(1_200)
@ExhaustiveTier
class DirectWritesIT {
  private static final int ORDERS = Integer.getInteger("orders", 2_000);
  private static final String LOADS = System.getProperty("loads", "auto:100:10");
  private static final int WRITERS = Integer.getInteger("writers", 4);
  private static final String SOURCE = "indexview-kvstore-source";
  private static final Long STORE_PROCESS = Long.getLong("store.process");
  private static final String VIEW = "by-customer";
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final Duration POLL = Duration.ofMillis(100);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path directory;
  private final SplittableRandom random = new SplittableRandom(1);

  /** Where a change shows; the times are until then. */
  private enum Stage {
    /** In the primary-change topic, in a transaction of the source that may still be open. */
    PUBLISHED,
    /** In the primary-change topic, for the app to read. */
    COMMITTED,
    /** In the view topic, in a transaction of the app that may still be open. */
    DERIVED,
    /** In the view topic, for the sink to read. */
    DELIVERED,
    /** In the target. */
    VISIBLE
  }

  /** Times of each write, by the monotonic clock. */
  private record Load(
      String capture,
      int rate,
      String mark,
      Pattern keys,
      AtomicLongArray acknowledged,
      Map<Stage, AtomicLongArray> times) {
    private static final AtomicInteger LOADS = new AtomicInteger();

    static Load parse(String text) {
      String[] parts = text.split(":");
      int rate = Integer.parseInt(parts[1]);
      int writes = rate * Integer.parseInt(parts[2]);
      assertThat(writes).as("no order is written twice").isLessThanOrEqualTo(ORDERS);
      String mark = "load-%d-write-".formatted(LOADS.incrementAndGet());
      return new Load(
          parts[0],
          rate,
          mark,
          Pattern.compile("(?:%s/|%s)(\\d+)".formatted(Orders.PREFIX, mark)),
          new AtomicLongArray(writes),
          Arrays.stream(Stage.values())
              .collect(Collectors.toMap(stage -> stage, stage -> new AtomicLongArray(writes))));
    }

    int writes() {
      return acknowledged.length();
    }

    /** Something shows at a stage, perhaps one of the writes. */
    void shows(Stage stage, String key) {
      Matcher number = keys.matcher(key);
      int write = number.find() ? Integer.parseInt(number.group(1)) : writes();
      if (write < writes()) {
        times.get(stage).compareAndSet(write, 0, System.nanoTime());
      }
    }

    /** How long after its acknowledgement each write showed, in order. */
    double[] sortedMs(Stage stage) {
      return IntStream.range(0, writes())
          .mapToDouble(i -> (times.get(stage).get(i) - acknowledged.get(i)) / 1e6)
          .sorted()
          .toArray();
    }
  }

  @Test
  void rowsFollowSoonAndEachOfThem() throws Exception {
    String definition = "name: %s\nsource: orders\nkey: [customer]\ntarget: kv\n".formatted(VIEW);
    try (Shop shop = Shop.open(directory, Shop.ALL_PARTS, AppLauncher.inProcess(), definition)) {
      ValueEncoder codec = ValueEncoder.avro(Orders.SCHEMA);
      fill(shop.store(), codec);
      shop.awaitReady(VIEW, TIMEOUT);
      await().atMost(TIMEOUT).until(() -> shop.verify(VIEW).exact());
      StringBuilder figures = new StringBuilder();
      for (String load : LOADS.split(",")) {
        Load measured = Load.parse(load);
        capture(shop, measured.capture());
        // Once a row follows, the source has begun again.
        figures(shop, codec, Load.parse("%s:1:1".formatted(measured.capture())));
        figures.append(figures(shop, codec, measured));
      }
      Files.createDirectories(Path.of("target"));
      Files.writeString(Path.of("target", "direct-writes.txt"), figures);
      assertThat(shop.verify(VIEW).exact()).as(figures.toString()).isTrue();
    }
  }

  private String figures(Shop shop, ValueEncoder codec, Load load) throws InterruptedException {
    AtomicBoolean over = new AtomicBoolean();
    List<CompletableFuture<Void>> following =
        Arrays.stream(Stage.values())
            .map(stage -> follower(shop, stage, load, over))
            .toList()
            .stream()
            .map(follower -> CompletableFuture.runAsync(follower, task -> new Thread(task).start()))
            .toList();
    Duration before = processorTime();
    Duration storeBefore = storeProcessorTime();
    write(shop.store(), codec, load);
    Duration processor = processorTime().minus(before);
    Duration ofStore = storeProcessorTime().minus(storeBefore);
    for (Stage stage : Stage.values()) {
      await().atMost(TIMEOUT).until(() -> count(load.times().get(stage)) == load.writes());
    }
    over.set(true);
    following.forEach(CompletableFuture::join);
    return figures(load, processor, ofStore);
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
  private static void write(KvStore store, ValueEncoder codec, Load load) {
    long began = System.nanoTime();
    ExecutorService writers = Executors.newFixedThreadPool(WRITERS);
    CompletableFuture.allOf(
            IntStream.range(0, WRITERS)
                .mapToObj(
                    writer ->
                        CompletableFuture.runAsync(
                            () -> write(store, codec, load, began, writer), writers))
                .toArray(CompletableFuture[]::new))
        .join();
    writers.shutdown();
  }

  /** One of the writers, which take the writes in turn: each waits for its acknowledgements. */
  private static void write(KvStore store, ValueEncoder codec, Load load, long began, int writer) {
    SplittableRandom random = new SplittableRandom(writer);
    for (int i = writer; i < load.writes(); i += WRITERS) {
      for (long early; (early = until(began, i, load.rate())) > 0; ) {
        LockSupport.parkNanos(early);
      }
      GenericRecord order = Orders.random(random);
      order.put("customer", load.mark() + i);
      store.put(Orders.key(i), codec.encode(order));
      load.acknowledged().set(i, System.nanoTime());
    }
  }

  private static long until(long began, int write, int rate) {
    return began + TimeUnit.SECONDS.toNanos(write) / rate - System.nanoTime();
  }

  /** Notes what shows at a stage from now on, once it runs. */
  private static Runnable follower(Shop shop, Stage stage, Load load, AtomicBoolean over) {
    return switch (stage) {
      case PUBLISHED -> topicFollower(shop, shop.changes(Orders.NAME), false, stage, load, over);
      case COMMITTED -> topicFollower(shop, shop.changes(Orders.NAME), true, stage, load, over);
      case DERIVED -> topicFollower(shop, shop.serving(VIEW).viewTopic(), false, stage, load, over);
      case DELIVERED ->
          topicFollower(shop, shop.serving(VIEW).viewTopic(), true, stage, load, over);
      case VISIBLE -> rowFollower(shop.store(), load, over);
    };
  }

  private static Runnable rowFollower(KvStore store, Load load, AtomicBoolean over) {
    KvChanges rows = store.changes(KvKeySet.under(KvKey.ofMajor("IDX")), Optional.empty());
    return () -> {
      try (rows) {
        while (!over.get()) {
          rows.poll(POLL).keys().forEach(key -> load.shows(Stage.VISIBLE, key.toString()));
        }
      }
    };
  }

  private static Runnable topicFollower(
      Shop shop, String topic, boolean committed, Stage stage, Load load, AtomicBoolean over) {
    Map<String, Object> config = new HashMap<>(shop.kafka());
    config.put("isolation.level", committed ? "read_committed" : "read_uncommitted");
    KafkaConsumer<String, byte[]> consumer =
        new KafkaConsumer<>(config, new StringDeserializer(), new ByteArrayDeserializer());
    List<TopicPartition> partitions =
        consumer.partitionsFor(topic).stream()
            .map(partition -> new TopicPartition(topic, partition.partition()))
            .toList();
    consumer.assign(partitions);
    consumer.seekToEnd(partitions);
    partitions.forEach(consumer::position);
    return () -> {
      try (consumer) {
        while (!over.get()) {
          for (ConsumerRecord<String, byte[]> event : consumer.poll(POLL)) {
            if (event.value() != null) {
              load.shows(stage, event.key());
            }
          }
        }
      }
    };
  }

  private static long count(AtomicLongArray times) {
    long count = 0;
    for (int i = 0; i < times.length(); i++) {
      count += times.get(i) == 0 ? 0 : 1;
    }
    return count;
  }

  private static Duration processorTime() {
    return Duration.ofNanos(
        ((OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime());
  }

  private static Duration storeProcessorTime() {
    return STORE_PROCESS == null
        ? Duration.ZERO
        : ProcessHandle.of(STORE_PROCESS).orElseThrow().info().totalCpuDuration().orElseThrow();
  }

  private static String figures(Load load, Duration processor, Duration ofStore) {
    int writes = load.writes();
    long[] acknowledged = IntStream.range(0, writes).mapToLong(load.acknowledged()::get).toArray();
    LongSummaryStatistics span = Arrays.stream(acknowledged).summaryStatistics();
    double seconds = (span.getMax() - span.getMin()) / 1e9;
    StringBuilder figures =
        new StringBuilder(
            "capture=%s orders=%d writes=%d at %.0f/s, processor %.1f s, of the store %.1f s, in %.0f s%n"
                .formatted(
                    load.capture(),
                    ORDERS,
                    writes,
                    writes / seconds,
                    processor.toMillis() / 1e3,
                    ofStore.toMillis() / 1e3,
                    seconds));
    for (Stage stage : Stage.values()) {
      double[] ms = load.sortedMs(stage);
      figures.append(
          "  %-9s p50=%.0f ms p99=%.0f ms max=%.0f ms%n"
              .formatted(stage, ms[writes / 2], ms[writes - 1 - writes / 100], ms[writes - 1]));
    }
    return figures.toString();
  }
}
