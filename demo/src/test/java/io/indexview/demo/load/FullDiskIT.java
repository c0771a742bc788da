package io.indexview.demo.load;

import static java.nio.file.StandardOpenOption.APPEND;
import static java.nio.file.StandardOpenOption.CREATE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.write.Writer;
import io.indexview.demo.AppProcess;
import io.indexview.local.ConnectClient;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The disk under the app's state, or a source's index, is full while records change. */
@Timeout(600)
@ExhaustiveTier
class FullDiskIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(3);
  private static final String VIEW = "orders-by-customer";

  /** The least, of which these changes need a multiple: RocksDB brings them to the disk. */
  private static final int STATE_MEMORY = 8 << 20;

  private static final int RECORDS = 60_000;
  private static final String SOURCE = "indexview-kvstore-source";

  private static final String DEFINITION =
      """
      {"name": "%s", "source": "orders", "key": ["customer"], "target": "kv", "layout": "key-value"}
      """
          .formatted(VIEW);

  private final SplittableRandom random = new SplittableRandom(1);

  @TempDir private Path directory;
  private Path disk;

  private static int run(String... command) throws Exception {
    return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
  }

  private void mount(String name) throws Exception {
    disk = Files.createDirectories(directory.resolve(name));
    int mounted = run("mount", "-t", "tmpfs", "-o", "size=128m", "tmpfs", disk.toString());
    assumeThat(mounted).as("needs the right to mount a tmpfs (root, on Linux)").isZero();
  }

  @AfterEach
  void unmount() throws Exception {
    run("umount", "--lazy", disk.toString());
  }

  @Test
  void holdsUpTheAppWhichSaysSoAndGoesOnWhenItIsStartedAgain() throws Exception {
    mount("disk");
    try (Shop shop =
        Shop.open(
            directory,
            Shop.ALL_PARTS,
            config -> {
              Map<String, String> settings = new HashMap<>(config);
              settings.put("state.dir", disk.resolve("state").toString());
              settings.put("state.memory.bytes", Integer.toString(STATE_MEMORY));
              // Else little would be written.
              settings.put("state.cache.bytes", "0");
              return AppProcess.launcher(directory).launch(settings);
            },
            DEFINITION)) {
      change(shop, 1_000);
      shop.pipeline().settle(TIMEOUT);
      AppProcess app = (AppProcess) shop.pipeline().app();

      Path rest = disk.resolve("rest");
      fill(rest);
      assertThat(app.trouble()).contains("state.dir", "is full");
      change(shop, RECORDS);

      Files.delete(rest);
      // Its threads have failed, or wait in RocksDB, also when there is space.
      app.kill();
      shop.pipeline().startApp();
      shop.pipeline().settle(TIMEOUT);
      assertThat(shop.verify(VIEW).exact()).isTrue();
      assertThat(((AppProcess) shop.pipeline().app()).trouble()).isEmpty();
    }
  }

  @Test
  void failsTheSourceWhichSaysSoAndGoesOnWhenItIsStartedAgain() throws Exception {
    mount("data/kvstore-index");
    try (Shop shop =
        Shop.open(directory, Shop.ALL_PARTS, AppProcess.launcher(directory), DEFINITION)) {
      change(shop, 1_000);
      shop.pipeline().settle(TIMEOUT);
      ConnectClient connect = shop.stack().connect();

      Path rest = disk.resolve("rest");
      fill(rest);
      change(shop, RECORDS);
      await()
          .atMost(TIMEOUT)
          .untilAsserted(
              () ->
                  assertThat(connect.status(SOURCE).orElseThrow().failure().orElse(""))
                      .contains("No space left on device", "kvstore-index"));

      Files.delete(rest);
      connect.restartFailed(SOURCE);
      await().atMost(TIMEOUT).until(() -> connect.status(SOURCE).orElseThrow().isRunning());
      shop.pipeline().settle(TIMEOUT);
      assertThat(shop.verify(VIEW).exact()).isTrue();
    }
  }

  private void change(Shop shop, int records) throws Exception {
    try (Writer writer = shop.writer()) {
      for (int number = 0; number < records; number++) {
        writer.put(Orders.key(number), Orders.random(random));
      }
      writer.flush();
    }
  }

  private static void fill(Path file) {
    byte[] block = new byte[4_096];
    assertThatThrownBy(
            () -> {
              try (OutputStream out = Files.newOutputStream(file, CREATE, APPEND)) {
                while (true) {
                  out.write(block);
                }
              }
            })
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space");
  }
}
