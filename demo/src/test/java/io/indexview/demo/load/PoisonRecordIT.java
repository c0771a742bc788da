package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.write.Writer;
import io.indexview.demo.AppProcess;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A record that overflows the stack of whoever follows it to its end. */
@Timeout(600)
@ExhaustiveTier
class PoisonRecordIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final int LEVELS = 100_000;
  private static final String SINK = "connect-indexview-kvstore-sink";

  private final SplittableRandom random = new SplittableRandom(1);

  private static String definition(String recordSet) {
    return """
    {"name": "%s", "source": "%s", "key": ["customer"], "target": "kv", "layout": "key-value"}
    """
        .formatted(recordSet, recordSet);
  }

  @Test
  void isADeadLetterAndHoldsUpNothing(@TempDir Path directory) throws Exception {
    try (Shop shop =
            Shop.open(
                directory,
                Shop.KV_ONLY_OF_PROCESSES,
                config -> AppProcess.launcher(directory).launch(Invoices.in(config, directory)),
                List.of(Orders.spec()),
                definition(Orders.NAME));
        Invoices invoices = new Invoices(shop);
        Writer orders = shop.writer()) {
      invoices.publish(0, 20);
      shop.admin().apply("new", definition(Invoices.NAME), OptionalLong.empty());
      shop.awaitReady(Invoices.NAME, TIMEOUT);

      invoices.publishNested(3, LEVELS);
      awaitDegraded(shop);
      assertOrdersGoOn(shop, orders);
      assertThat(((AppProcess) shop.pipeline().app()).hasLogged("stream thread failed", 0))
          .isFalse();
      shop.pipeline().app().close();
      shop.pipeline().startApp();
      awaitDegraded(shop);
      assertOrdersGoOn(shop, orders);

      invoices.publish(3, 4);
      shop.awaitReady(Invoices.NAME, TIMEOUT);
      shop.awaitTaken(SINK, shop.serving(Invoices.NAME).viewTopic());
      assertThat(invoices.verify(Invoices.NAME).exact()).isTrue();
    }
  }

  private static void awaitDegraded(Shop shop) {
    await()
        .atMost(TIMEOUT)
        .until(
            () -> shop.admin().get(Invoices.NAME),
            view ->
                view.phase() == ViewState.State.DEGRADED && view.reason().contains("1 records"));
  }

  private void assertOrdersGoOn(Shop shop, Writer orders) {
    for (int number = 0; number < 100; number++) {
      orders.put(Orders.key(number), Orders.random(random));
    }
    orders.flush();
    shop.awaitReady(Orders.NAME, TIMEOUT);
    shop.awaitTaken(Pipeline.APPLICATION_ID, shop.changes(Orders.NAME));
    shop.awaitTaken(SINK, shop.serving(Orders.NAME).viewTopic());
    assertThat(shop.verify(Orders.NAME).exact()).isTrue();
  }
}
