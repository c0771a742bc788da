package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.client.verify.KvRows;
import io.indexview.client.verify.live.VerificationAdmin;
import io.indexview.client.verify.live.VerificationLog;
import io.indexview.client.verify.live.VerificationWorker;
import io.indexview.client.write.Writer;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Status;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A view is rebuilt, rolled back and dropped, each in the middle of a verification. */
@Timeout(600)
class VerificationEndsIT {
  private static final int RECORDS = 300;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String VIEW = "orders-by-customer";
  private static final String DEFINITION =
      """
      {"name": "%s", "source": "orders", "key": ["customer"], "target": "kv"}
      """
          .formatted(VIEW);

  /** It would take longer than anything that is waited for. */
  private static final VerificationOptions SLOW =
      new VerificationOptions(new Limits(1, 0, 0), VerificationOptions.ALL, false, false, false);

  private VerificationAdmin verifications;

  @Test
  void saysWhyAndAccusesNoRow(@TempDir Path directory) throws Exception {
    try (Shop shop = Shop.open(directory, Shop.KV_ONLY, AppLauncher.inProcess(), DEFINITION);
        VerificationLog log =
            VerificationLog.connect(
                shop.kafka(), shop.stack().config().topics(), shop.registry())) {
      try (Writer writer = shop.writer()) {
        SplittableRandom random = new SplittableRandom(1);
        for (int number = 0; number < RECORDS; number++) {
          writer.put(Orders.key(number), Orders.random(random));
        }
        writer.flush();
      }
      shop.awaitReady(VIEW, TIMEOUT);
      verifications =
          new VerificationAdmin(
              log,
              shop.admin()::serving,
              generation -> new KvRows(shop.store(), generation),
              Clock.systemUTC());
      VerificationWorker.Settings settings =
          new VerificationWorker.Settings(directory.resolve("rows"), 1 << 20);
      try (VerificationWorker worker =
          VerificationWorker.start(
              log,
              shop.kafka(),
              settings,
              shop.admin(),
              generation -> Optional.of(new KvRows(shop.store(), generation)))) {
        assertThat(worker).isNotNull();
        endsWhen(
            () -> shop.admin().rebuild(VIEW, BuildMode.STATE, OptionalLong.empty()),
            "generation 2 serves now, no more generation 1; ask for another verification");
        endsWhen(
            () -> shop.admin().rollback(VIEW, OptionalLong.empty()),
            "generation 1 serves now, no more generation 2; ask for another verification");
        endsWhen(
            () -> shop.admin().drop(VIEW, OptionalLong.empty()), "ask for another verification");
      }
    }
  }

  private void endsWhen(Runnable change, String reason) {
    String id = verifications.request(VIEW, SLOW).id();
    Awaitility.await().atMost(TIMEOUT).until(() -> now(id).run().counts().scanned() > 0);
    change.run();
    ViewVerification over =
        Awaitility.await().atMost(TIMEOUT).until(() -> now(id), one -> one.status().isOver());
    assertThat(over.status()).isEqualTo(Status.FAILED);
    assertThat(over.run().step()).endsWith(reason);
    assertThat(over.run().cases()).isEmpty();
    assertThat(over.run().counts().wrong()).isZero();
  }

  private ViewVerification now(String id) {
    return verifications.get(VIEW, id).orElseThrow();
  }
}
