package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.google.common.primitives.Bytes;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.local.PartName;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import io.indexview.schemas.progress.GroupProgress;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.config.ConfigResource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The steps of docs/erasure.md, with bounds of a second: then no file of brokers, sources and app
 * holds the value of the record any more. The store is left out, as it is the truth and the target.
 */
@Timeout(600)
@ExhaustiveTier
class ErasureIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String VIEW = "orders-by-customer";
  private static final String DEFINITION =
      """
      {"name": "%s", "source": "orders", "key": ["customer"], "include": ["note"],
       "target": "kv", "layout": "key-value"}
      """
          .formatted(VIEW);
  private static final int ERASED = 1;
  private static final int OTHERS = 100;

  /** Of no order else, and nothing that a compression could shorten. */
  private static final String VALUE = "q7Zk-0vXw-Lr39-Ht5B";

  private static final Map<String, String> ONE_SECOND =
      Map.of(
          "max.compaction.lag.ms", "1000",
          "segment.ms", "1000",
          "file.delete.delay.ms", "100");

  private static final ValueEncoder CODEC = ValueEncoder.avro(Orders.SCHEMA);

  @TempDir private Path directory;

  @Test
  void leavesNoByteOfADeletedValue() throws Exception {
    try (Shop shop = Shop.open(directory, Shop.KV_ONLY, AppLauncher.inProcess(), DEFINITION);
        Admin admin = Admin.create(shop.kafka())) {
      SplittableRandom random = new SplittableRandom(1);
      GenericRecord order = Orders.random(random);
      order.put("note", VALUE);
      shop.store().put(Orders.key(ERASED), CODEC.encode(order));
      shop.pipeline().settle(TIMEOUT);
      String view = shop.serving(VIEW).viewTopic();
      String changelog = Pipeline.APPLICATION_ID + "-records-orders-changelog";
      String changes = shop.changes(Orders.NAME);
      assertThat(holders(shop))
          .anyMatch(file -> isOf(file, view))
          .anyMatch(file -> isOf(file, changelog))
          .anyMatch(file -> isOf(file, changes));

      shop.store().delete(Orders.key(ERASED));
      shop.pipeline().settle(TIMEOUT);
      assertThat(shop.verify(VIEW).exact()).isTrue();
      for (String topic : List.of(view, changelog, changes)) {
        set(admin, new ConfigResource(ConfigResource.Type.TOPIC, topic), ONE_SECOND);
      }
      set(
          admin,
          new ConfigResource(ConfigResource.Type.BROKER, ""),
          Map.of("log.cleaner.backoff.ms", "100"));

      ScheduledExecutorService others = Executors.newSingleThreadScheduledExecutor();
      try {
        others.scheduleWithFixedDelay(
            () -> write(shop, ERASED + 1 + random.nextInt(OTHERS), random),
            0,
            50,
            TimeUnit.MILLISECONDS);
        await("compaction")
            .atMost(TIMEOUT)
            .until(
                () ->
                    holders(shop).stream()
                        .noneMatch(file -> isOf(file, view) || isOf(file, changelog)));
      } finally {
        others.shutdown();
        assertThat(others.awaitTermination(1, TimeUnit.MINUTES)).isTrue();
      }
      // What the app has not read yet would be lost.
      shop.pipeline().settle(TIMEOUT);
      trim(shop, admin, changes);
      for (int number = ERASED + 1; number <= ERASED + OTHERS; number++) {
        write(shop, number, random);
      }
      shop.pipeline().settle(TIMEOUT);
      shop.pipeline().app().close();
      Path state = shop.data().resolve("streams");
      Files.move(state, directory.resolve("moved-away"));
      shop.pipeline().startApp();
      // Brokers look for segments to delete half a minute after they start, then every five
      // minutes.
      shop.stack().restart(PartName.BROKER);
      await("deletion of segments")
          .atMost(TIMEOUT)
          .untilAsserted(() -> assertThat(holders(shop)).isEmpty());

      shop.pipeline().settle(TIMEOUT);
      assertThat(shop.verify(VIEW).exact()).isTrue();
    }
  }

  private static void write(Shop shop, int number, SplittableRandom random) {
    shop.store().put(Orders.key(number), CODEC.encode(Orders.random(random)));
  }

  private static void set(Admin admin, ConfigResource of, Map<String, String> values)
      throws Exception {
    Collection<AlterConfigOp> ops =
        values.entrySet().stream()
            .map(
                value ->
                    new AlterConfigOp(
                        new ConfigEntry(value.getKey(), value.getValue()),
                        AlterConfigOp.OpType.SET))
            .toList();
    admin.incrementalAlterConfigs(Map.of(of, ops)).all().get();
  }

  /** Up to where it ends now; what comes after closes the segments. */
  private static void trim(Shop shop, Admin admin, String topic) throws Exception {
    try (var reader = ControlTable.consumer(shop.kafka())) {
      admin
          .deleteRecords(
              new GroupProgress(admin, reader)
                  .ends(List.of(topic)).entrySet().stream()
                      .collect(
                          Collectors.toMap(
                              Map.Entry::getKey,
                              end -> RecordsToDelete.beforeOffset(end.getValue()))))
          .all()
          .get();
    }
  }

  private static boolean isOf(Path file, String topic) {
    return file.getParent().getFileName().toString().startsWith(topic + "-");
  }

  /** Files that hold the value; indexes of segments hold offsets alone. */
  private static List<Path> holders(Shop shop) throws IOException {
    Path store = shop.data().resolve("kvstore");
    byte[] value = VALUE.getBytes(StandardCharsets.UTF_8);
    try (Stream<Path> files = Files.walk(shop.data())) {
      return files
          .filter(file -> Files.isRegularFile(file) && !file.startsWith(store))
          .filter(file -> !file.toString().endsWith("index"))
          .filter(file -> Bytes.indexOf(read(file), value) >= 0)
          .toList();
    } catch (UncheckedIOException e) {
      if (e.getCause() instanceof NoSuchFileException) {
        // A directory went away meanwhile.
        return holders(shop);
      }
      throw e;
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (NoSuchFileException e) {
      return new byte[0];
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
