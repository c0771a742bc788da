package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.write.Writer;
import io.indexview.kvstore.KvIterator;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvRecord;
import io.indexview.kvstore.KvScan;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.schemas.control.ViewState;
import io.indexview.views.layout.ViewMetadata;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.apache.avro.generic.GenericRecord;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A target that has views of another installation, one of them of the same name. */
@Timeout(600)
class InstallationsIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String LIVE = "orders-by-customer";
  private static final String HELD = "orders-by-day";
  private static final int ORDERS = 3_000;

  private final SplittableRandom random = new SplittableRandom(1);

  private static String definition(String view, String key) {
    return "name: %s\nsource: %s\nkey: [%s]\ntarget: kv\n".formatted(view, Orders.NAME, key);
  }

  @Test
  void keepsOffTheirRowsUntilTheirMetadataIsGone(@TempDir Path directory) throws Exception {
    try (Shop shop =
            Shop.open(
                directory, Shop.KV_ONLY, AppLauncher.inProcess(), definition(LIVE, "customer"));
        Writer writer = shop.writer()) {
      KvKey theirs = serveTheirs(shop);
      change(writer);
      shop.admin().apply(HELD, definition(HELD, "day"), OptionalLong.empty());
      shop.awaitReady(LIVE, TIMEOUT);
      awaitHeld(shop);
      await().atMost(TIMEOUT).until(() -> shop.verify(LIVE).exact());

      shop.admin().drop(HELD, OptionalLong.empty());
      await()
          .atMost(TIMEOUT)
          .until(() -> shop.admin().list().stream().noneMatch(view -> view.view().equals(HELD)));
      assertThat(shop.store().get(theirs)).isPresent();

      shop.admin().apply(HELD, definition(HELD, "day"), OptionalLong.empty());
      awaitHeld(shop);
      change(writer);
      shop.store().delete(theirs);
      shop.awaitReady(HELD, TIMEOUT);
      shop.pipeline().settle(TIMEOUT);
      assertThat(shop.verify(HELD).exact()).isTrue();
      assertThat(shop.verify(LIVE).exact()).isTrue();
    }
  }

  private static KvKey serveTheirs(Shop shop) {
    ViewMetadata metadata =
        new ViewMetadata(
            HELD,
            "theirs",
            1,
            0,
            ViewState.State.READY,
            "",
            Orders.NAME,
            "connect-theirs",
            List.of(),
            ViewState.Freshness.UNKNOWN);
    KvKey key = new KvKey(List.of("META", HELD), List.of("io.indexview.load.Order", "READY"));
    shop.store().put(key, metadata.toJson().getBytes(StandardCharsets.UTF_8));
    return key;
  }

  private void change(Writer writer) throws Exception {
    for (int number = 0; number < ORDERS; number++) {
      GenericRecord order = Orders.random(random);
      writer.put(Orders.key(number), order);
    }
    writer.flush();
  }

  /** The sink's group is behind on the view's topic, which is derived. */
  private void awaitHeld(Shop shop) {
    await()
        .atMost(TIMEOUT)
        .until(() -> shop.admin().get(HELD).reason(), reason -> reason.contains("sink"));
    assertThat(rows(shop)).isZero();
  }

  private static long rows(Shop shop) {
    long rows = 0;
    try (KvIterator<KvRecord> records =
        shop.store().storeIterator(KvScan.under(KvKey.ofMajor("IDX", HELD)))) {
      while (records.hasNext()) {
        records.next();
        rows++;
      }
    }
    return rows;
  }
}
