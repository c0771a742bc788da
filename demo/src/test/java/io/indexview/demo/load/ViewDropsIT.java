package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.client.token.FreshnessGate;
import io.indexview.client.token.FreshnessToken;
import io.indexview.client.write.Writer;
import io.indexview.local.LocalStack;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Views are created, built again and dropped, several at once, while another view of their target
 * is read; each read waits for the write before it. Figures are in {@code target/view-drops.txt}.
 */
@ExhaustiveTier
@Timeout(1_800)
class ViewDropsIT {
  private static final int ROUNDS = Integer.getInteger("drops", 3);
  private static final int KEYS = 40;
  private static final String LIVE = "orders-by-customer";
  private static final String SINK = "indexview-kvstore-sink";
  private static final Duration TIMEOUT = Duration.ofMinutes(5);

  /** Half of what Connect waits for a topic that is gone; it commits nothing meanwhile. */
  private static final Duration MAX_WAIT = Duration.ofSeconds(30);

  @TempDir private Path directory;
  private final List<Long> reads = new ArrayList<>();
  private volatile boolean isOver;

  @Test
  void readsOfAnotherViewIncludeTheirWritesSoon() throws Exception {
    AppLauncher launcher =
        config -> {
          Map<String, String> hasty = new HashMap<>(config);
          hasty.put("generation.grace.ms", "10000");
          return AppLauncher.inProcess().launch(hasty);
        };
    ExecutorService reader = Executors.newSingleThreadExecutor();
    try (Shop shop = Shop.open(directory, Shop.ALL_PARTS, launcher, definition(LIVE, "customer"))) {
      shop.awaitReady(LIVE, TIMEOUT);
      Future<?> reading = reader.submit(() -> read(shop));
      for (int round = 0; round < ROUNDS; round++) {
        comeAndGo(shop, List.of("one-" + round, "two-" + round, "three-" + round));
      }
      isOver = true;
      reading.get();

      figures();
      assertThat(shop.stack().connect().status(SINK).orElseThrow().isRunning()).isTrue();
      assertThat(shop.verify(LIVE).exact()).isTrue();
    } finally {
      isOver = true;
      reader.shutdownNow();
    }
  }

  private static String definition(String view, String key) {
    return "name: %s\nsource: %s\nkey: [%s]\ntarget: kv\n".formatted(view, Orders.NAME, key);
  }

  private static void comeAndGo(Shop shop, List<String> views) {
    views.forEach(view -> shop.admin().apply(view, definition(view, "day"), OptionalLong.empty()));
    views.forEach(view -> shop.awaitReady(view, TIMEOUT));
    views.forEach(view -> shop.admin().rebuild(view, BuildMode.STATE, OptionalLong.empty()));
    views.forEach(view -> shop.awaitReady(view, TIMEOUT));
    views.forEach(view -> shop.admin().drop(view, OptionalLong.empty()));
    await()
        .atMost(TIMEOUT)
        .until(
            () -> shop.kafkaAdmin().listTopics().names().get(),
            topics -> topics.stream().noneMatch(topic -> views.stream().anyMatch(topic::contains)));
  }

  private Void read(Shop shop) throws Exception {
    LocalStack stack = shop.stack();
    Topics topics = stack.config().topics();
    SplittableRandom random = new SplittableRandom(1);
    try (Writer writer = shop.writer();
        FreshnessGate gate =
            FreshnessGate.connect(shop.kafka(), topics, shop.admin()::recordSets)) {
      IndexViewReader reader =
          IndexViewReaders.of(
              shop.store(), ReaderConfig.of(PageTokens.ofThisProcess()).waitingWith(gate));
      for (int number = 0; !isOver; number++) {
        GenericRecord order = Orders.random(random);
        order.put("customer", "writer-" + number);
        String key = Orders.key(number % KEYS).toString();
        FreshnessToken token = writer.put(Orders.key(number % KEYS), order).token();
        long since = System.nanoTime();
        RowPage page =
            reader.read(
                ViewQuery.of(LIVE).where("customer", "writer-" + number),
                ReadOptions.DEFAULT.atLeast(token, MAX_WAIT));
        reads.add((System.nanoTime() - since) / 1_000_000);
        assertThat(page.rows()).extracting(RowPage.Row::primaryKey).containsExactly(key);
      }
      return null;
    }
  }

  private void figures() throws Exception {
    List<Long> sorted = reads.stream().sorted().toList();
    Files.writeString(
        Path.of("target", "view-drops.txt"),
        "%d reads: median %d ms, 99 %% within %d ms, longest %d ms%n"
            .formatted(
                sorted.size(),
                sorted.get(sorted.size() / 2),
                sorted.get(sorted.size() * 99 / 100),
                sorted.get(sorted.size() - 1)));
  }
}
