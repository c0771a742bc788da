package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewStatus;
import io.indexview.client.write.Writer;
import io.indexview.demo.AppProcess;
import io.indexview.local.Poll;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A view is added, then changed, while records change all the time; the app dies in the middle of
 * the second build. Sizes: system properties {@code online.records}, {@code online.rate} (changes
 * per second) and {@code online.seconds} (of the measurement before). What was measured is in
 * {@code target/online-build.txt}.
 */
@Timeout(3_600)
@ExhaustiveTier
class OnlineBuildIT {
  private static final int RECORDS = Integer.getInteger("online.records", 5_000);
  private static final int RATE = Integer.getInteger("online.rate", 200);
  private static final Duration BEFORE =
      Duration.ofSeconds(Integer.getInteger("online.seconds", 2));
  private static final Duration TIMEOUT = Duration.ofMinutes(10);
  private static final String LIVE =
      """
      {"name": "orders-by-customer", "source": "orders", "kind": "index", "key": ["customer"],
       "include": ["stamp"], "target": "kv", "layout": "key-value"}
      """;
  private static final String ADDED =
      """
      {"name": "orders-by-day", "source": "orders", "kind": "index", "key": ["day"],
       "include": ["%s"], "target": "kv", "layout": "key-value"}
      """;

  @TempDir private Path directory;

  private final List<String> figures = new ArrayList<>();
  private Shop shop;
  private ViewAdmin admin;
  private Latencies latencies;

  @Test
  void isReadyAndExactAlthoughRecordsChangeAndTheAppDies() throws Exception {
    Path logs = Files.createDirectories(Path.of("target", "online-build"));
    try (Shop opened = Shop.open(directory, Shop.ALL_PARTS, AppProcess.launcher(logs), LIVE);
        Writer writer = opened.writer()) {
      shop = opened;
      admin = opened.admin();
      timed("writing %d records".formatted(RECORDS), () -> load(writer));
      timed("the first view READY after that", () -> awaitReady("orders-by-customer"));
      latencies =
          new Latencies(
              shop.serving("orders-by-customer").viewTopic(),
              ControlTable.consumer(shop.kafka()),
              shop.registry());
      try (SteadyLoad load = SteadyLoad.start(writer, RECORDS, RATE)) {
        buildUnderLoad(load);
      } finally {
        latencies.close();
      }
      writer.flush();
      shop.pipeline().settle(TIMEOUT);
      assertThat(shop.verify("orders-by-customer").exact()).isTrue();
      assertThat(shop.verify("orders-by-day").exact()).isTrue();
    } finally {
      Files.write(Path.of("target", "online-build.txt"), figures);
    }
  }

  private void buildUnderLoad(SteadyLoad load) throws Exception {
    awaitWritten(load, (long) RATE * BEFORE.toSeconds());
    latencies.cut();
    awaitWritten(load, (long) RATE * BEFORE.toSeconds());
    figures.add("live, nothing built: " + latencies.cut());
    admin.apply("added", ADDED.formatted("amount"), OptionalLong.empty());
    timed(
        "building the second view under load",
        () -> {
          awaitBuilt("orders-by-day");
          figures.add("live, while it was built: " + latencies.cut());
          return null;
        });
    timed("then until READY", () -> awaitReady("orders-by-day"));

    admin.apply("changed", ADDED.formatted("note"), OptionalLong.empty());
    awaitSomeOfTheBuild("orders-by-day", 2);
    AppProcess app = (AppProcess) shop.pipeline().app();
    app.kill();
    figures.add("killed at: " + admin.get("orders-by-day").progress());
    assertThat(admin.get("orders-by-day").phase()).isEqualTo(ViewState.State.READY);
    timed(
        "from the kill until the app runs again",
        () -> {
          shop.pipeline().startApp();
          return null;
        });
    timed(
        "then until the build is done",
        () -> {
          awaitBuilt("orders-by-day");
          return null;
        });
    timed("then until READY", () -> awaitReady("orders-by-day"));
    assertThat(shop.serving("orders-by-day").number()).isEqualTo(2);
  }

  private Object load(Writer writer) throws Exception {
    ExecutorService threads = Executors.newFixedThreadPool(4);
    try {
      List<Future<?>> parts = new ArrayList<>();
      for (int part = 0; part < 4; part++) {
        int first = part;
        parts.add(threads.submit(() -> load(writer, first)));
      }
      for (Future<?> part : parts) {
        part.get();
      }
      writer.flush();
      return null;
    } finally {
      threads.shutdown();
    }
  }

  private static void load(Writer writer, int first) {
    SplittableRandom random = new SplittableRandom(first);
    for (int number = first; number < RECORDS; number += 4) {
      writer.put(Orders.key(number), Orders.random(random));
    }
  }

  private Object awaitReady(String view) {
    shop.awaitReady(view, TIMEOUT);
    return view;
  }

  private void awaitBuilt(String view) throws Exception {
    await(
        "build of " + view,
        () -> {
          ViewStatus status = admin.get(view);
          return status.ready()
              || !status.progress().isEmpty()
                  && status.progress().stream().allMatch(ViewState.Progress::built);
        });
  }

  /** Or all of it: a small build may be done before anybody sees it. */
  private void awaitSomeOfTheBuild(String view, int number) throws Exception {
    await(
        "the begin of the build of " + view,
        () -> isSomeBuilt(view) || shop.serving(view).number() == number);
  }

  private boolean isSomeBuilt(String view) {
    return admin.get(view).progress().stream().anyMatch(progress -> progress.done() > 0);
  }

  private void awaitWritten(SteadyLoad load, long more) throws Exception {
    long wanted = load.written() + more;
    await("load", () -> load.written() >= wanted);
  }

  private static void await(String what, Callable<Boolean> condition) throws Exception {
    Poll.until(
        () -> condition.call() ? Optional.of(true) : Optional.empty(),
        TIMEOUT,
        () -> new IllegalStateException("waited in vain for " + what));
  }

  private void timed(String what, Callable<?> action) throws Exception {
    long since = System.nanoTime();
    action.call();
    figures.add("%s: %.2f s".formatted(what, (System.nanoTime() - since) / 1e9));
  }
}
