package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.token.FreshnessToken;
import io.indexview.client.write.Writer;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.VerificationOptions;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewVerification;
import io.indexview.schemas.control.ViewVerification.Status;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.verification.live.VerificationAdmin;
import io.indexview.verification.live.VerificationLog;
import io.indexview.verification.live.VerificationWorker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The state of the app is wrong: a record is missing there, another one stands that nobody ever
 * wrote. Each kind of rebuild that does not trust it makes the view right, while the generation
 * before serves. A record of a producer that is no source survives all of them. A verification ends
 * when the generation that it reads no longer serves.
 */
@Timeout(600)
@TestInstance(Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class RebuildModesIT {
  private static final int RECORDS = 300;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String VIEW = "orders-by-customer";
  private static final String DEFINITION =
      """
      {"name": "%s", "source": "orders", "kind": "index", "key": ["customer"],
       "include": ["amount"], "target": "kv", "layout": "key-value"}
      """
          .formatted(VIEW);
  private static final String ELSEWHERE = "/Elsewhere/orders/1";
  private static final String VERIFIED = "orders-by-day";

  /** It would take longer than anything that is waited for. */
  private static final VerificationOptions SLOW =
      new VerificationOptions(new Limits(1, 0, 0), VerificationOptions.ALL, false, false, false);

  private final SplittableRandom random = new SplittableRandom(1);
  private final GenericRecord elsewhere = Orders.random(random);
  private String skipped = "";
  private Shop shop;
  private VerificationAdmin verifications;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    shop =
        Shop.open(
            directory,
            Shop.KV_ONLY,
            config -> {
              Map<String, String> settings = new HashMap<>(config);
              settings.put("record.set.orders.skip.events", skipped);
              return AppLauncher.inProcess().launch(settings);
            },
            DEFINITION);
    try (Writer writer = shop.writer()) {
      for (int number = 0; number < RECORDS; number++) {
        writer.put(Orders.key(number), Orders.random(random));
      }
      writer.flush();
    }
    writeElsewhere();
    shop.pipeline().settle(TIMEOUT);
    assertThat(verify().exact()).isTrue();
  }

  @AfterAll
  void stop() throws Exception {
    if (shop != null) {
      shop.close();
    }
  }

  /** An order that is not in the store. */
  private void writeElsewhere() {
    String changes = shop.changes(Orders.NAME);
    GenericRecord event =
        new EnvelopeWriter(
                Orders.SCHEMA, new EnvelopeWriter.SourceInfo("elsewhere", "elsewhere", "1"))
            .write(
                Op.CREATE,
                System.currentTimeMillis(),
                0,
                new Origin.Versioned(new SourceVersion("elsewhere", new byte[] {1})),
                elsewhere);
    byte[] value =
        new AvroSerializer<GenericRecord>(shop.registry(), false).serialize(changes, event);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(shop.kafka(), new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(
          new ProducerRecord<>(changes, ELSEWHERE.getBytes(StandardCharsets.UTF_8), value));
    }
  }

  private int serving() {
    return shop.serving(VIEW).number();
  }

  private Verification verify() {
    return shop.verify(VIEW, new PrimaryRecord(ELSEWHERE, elsewhere));
  }

  /** While the app does not run: it knows one record less, and another one that is not. */
  private void damageTheState(int record) throws Exception {
    shop.pipeline().app().close();
    LocalState.under(shop.data().resolve("streams"), "records-" + Orders.NAME)
        .exchange(Orders.key(record), Orders.key(RECORDS + record));
    shop.pipeline().startApp();
  }

  /** Rebuilds the view, which serves all the time, and returns what is wrong with it then. */
  private Verification rebuild(BuildMode mode) throws Exception {
    int before = serving();
    ViewSpec spec = shop.admin().rebuild(VIEW, mode, OptionalLong.empty());
    Set<String> seen = new TreeSet<>();
    shop.admin()
        .awaitReady(
            VIEW,
            OptionalLong.of(spec.version()),
            TIMEOUT,
            status ->
                seen.add(
                    status.phase()
                        + " "
                        + status.state().flatMap(ViewState::serving).orElseThrow().number()));
    assertThat(seen).isSubsetOf("READY " + before, "READY " + (before + 1));
    shop.pipeline().settle(TIMEOUT);
    assertThat(serving()).isEqualTo(before + 1);
    return verify();
  }

  @Test
  void buildsFromTheChangelogWhatTheStateLost() throws Exception {
    damageTheState(7);
    Verification trusting = rebuild(BuildMode.STATE);
    assertThat(trusting.missing()).as("the state is wrong indeed").isEqualTo(1);
    assertThat(trusting.dangling()).isEqualTo(1);

    assertThat(rebuild(BuildMode.CHANGELOG).exact()).isTrue();
  }

  @Test
  void stepsOverAnEventThatAnOperatorNamesAndIsDegradedUntilASnapshot() throws Exception {
    shop.pipeline().app().close();
    try (Writer writer = shop.writer()) {
      FreshnessToken event = writer.delete(Orders.key(10)).orElseThrow().token();
      skipped = event.partition() + ":" + event.offset();
    }
    shop.pipeline().startApp();
    await()
        .atMost(TIMEOUT)
        .until(
            () -> shop.admin().get(VIEW),
            view ->
                view.phase() == ViewState.State.DEGRADED && view.reason().contains("skip.events"));
    shop.pipeline().app().close();
    skipped = "";
    shop.pipeline().startApp();
    ViewState.State degraded = shop.admin().get(VIEW).phase();
    // None if the source noticed the deletion before the writer's event: it publishes it, too.
    long dangling = verify().dangling();

    // First what makes it right: the other tests need it.
    ViewSpec spec = shop.admin().rebuild(VIEW, BuildMode.SNAPSHOT, OptionalLong.empty());
    shop.admin().awaitReady(VIEW, OptionalLong.of(spec.version()), TIMEOUT, status -> {});
    shop.pipeline().settle(TIMEOUT);
    assertThat(verify().exact()).isTrue();
    assertThat(degraded).isEqualTo(ViewState.State.DEGRADED);
    assertThat(dangling).isLessThanOrEqualTo(1);
  }

  @Test
  @ExhaustiveTier
  void buildsFromAnAdHocSnapshotWhatTheStateLost() throws Exception {
    damageTheState(8);

    Verification found = rebuild(BuildMode.SNAPSHOT);

    assertThat(found.exact()).as("%s", found).isTrue();
  }

  @Test
  void buildsFromAReplayWhatTheStateLost() throws Exception {
    damageTheState(9);

    Verification replayed = rebuild(BuildMode.REPLAY);

    assertThat(replayed.exact()).as("%s", replayed).isTrue();
    assertThat(rebuild(BuildMode.STATE).exact()).as("the state is right again").isTrue();
  }

  /**
   * A view is rebuilt, rolled back and dropped, each in the middle of a verification. It is there
   * until its grace time is over, and the other tests wait until every view is READY.
   */
  @Test
  @Order(Integer.MAX_VALUE)
  void endsAVerificationThatSaysWhyAndAccusesNoRow(@TempDir Path rows) throws Exception {
    shop.admin()
        .apply(
            "new",
            """
            {"name": "%s", "source": "orders", "key": ["day"], "target": "kv"}
            """
                .formatted(VERIFIED),
            OptionalLong.empty());
    shop.awaitReady(VERIFIED, TIMEOUT);
    try (VerificationLog log =
            VerificationLog.connect(shop.kafka(), shop.stack().config().topics(), shop.registry());
        VerificationWorker worker =
            VerificationWorker.start(
                log,
                shop.kafka(),
                new VerificationWorker.Settings(rows, 1 << 20),
                shop.admin(),
                generation -> Optional.of(new KvRows(shop.store(), generation)))) {
      assertThat(worker).isNotNull();
      verifications =
          new VerificationAdmin(
              log,
              shop.admin()::serving,
              generation -> new KvRows(shop.store(), generation),
              Clock.systemUTC());
      verificationEndsWhen(
          () -> shop.admin().rebuild(VERIFIED, BuildMode.STATE, OptionalLong.empty()),
          "generation 2 serves now, no longer generation 1; ask for another verification");
      verificationEndsWhen(
          () -> shop.admin().rollback(VERIFIED, OptionalLong.empty()),
          "generation 1 serves now, no longer generation 2; ask for another verification");
      verificationEndsWhen(
          () -> shop.admin().drop(VERIFIED, OptionalLong.empty()), "ask for another verification");
    }
  }

  private void verificationEndsWhen(Runnable change, String reason) {
    String id = verifications.request(VERIFIED, SLOW).id();
    await().atMost(TIMEOUT).until(() -> verification(id).run().counts().scanned() > 0);
    change.run();
    ViewVerification over =
        await().atMost(TIMEOUT).until(() -> verification(id), one -> one.status().isOver());
    assertThat(over.status()).isEqualTo(Status.FAILED);
    assertThat(over.run().step()).endsWith(reason);
    assertThat(over.run().cases()).isEmpty();
    assertThat(over.run().counts().wrong()).isZero();
  }

  private ViewVerification verification(String id) {
    return verifications.get(VERIFIED, id).orElseThrow();
  }
}
