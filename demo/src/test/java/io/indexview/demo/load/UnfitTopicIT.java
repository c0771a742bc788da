package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.admin.SourceAdmin;
import io.indexview.client.admin.ViewStatus;
import io.indexview.client.write.Writer;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.fixtures.ExhaustiveTier;
import io.indexview.schemas.progress.GroupProgress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.NewPartitions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.RetriableException;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * A change topic that does not fit the state any more concerns its own record set alone, while the
 * app runs and when it starts, and a view topic that refuses rows its own view; what the guide says
 * against it helps.
 */
@Timeout(900)
class UnfitTopicIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String SINK_GROUP = "connect-indexview-kvstore-sink";
  private static final String ORDERS_BY_DAY = "orders-by-day";
  private static final String INVOICES_BY_CUSTOMER = "invoices-by-customer";
  private static final String INVOICES_AGAIN = "invoices-again";
  private static final String NEW_TOPIC = "accounting.invoices-2";

  private final SplittableRandom random = new SplittableRandom(1);

  /**
   * Of the app, beside those of the pipeline. A thread that ends for a topic is missed after its
   * session: the least that the broker allows.
   */
  private final Map<String, String> settings =
      new LinkedHashMap<>(
          Map.of(
              "generation.grace.ms", "1000", "streams.main.consumer.session.timeout.ms", "6000"));

  /** As the pipeline started the app first. */
  private final Map<String, String> base = new LinkedHashMap<>();

  /** Of a record set that was taken out. */
  private String withoutKeysOf = "none";

  private Shop shop;
  private Admin admin;
  private GroupProgress progress;
  private Invoices invoices;
  private Writer orders;

  @BeforeEach
  void start(@TempDir Path directory) throws Exception {
    AppLauncher launcher =
        config -> {
          if (base.isEmpty()) {
            base.putAll(Invoices.in(config, directory));
          }
          Map<String, String> all = new LinkedHashMap<>(base);
          all.putAll(settings);
          all.keySet().removeIf(key -> key.startsWith(withoutKeysOf));
          return AppLauncher.inProcess().launch(all);
        };
    shop =
        Shop.open(
            directory,
            Shop.KV_ONLY,
            launcher,
            List.of(Orders.spec()),
            """
            {"name": "orders-by-day", "source": "orders", "key": ["day"], "target": "kv",
             "layout": "key-value"}
            """);
    admin = shop.keep(Admin.create(shop.kafka()));
    progress = new GroupProgress(admin, shop.keep(ControlTable.consumer(shop.kafka())));
    orders = shop.keep(shop.writer());
    invoices = shop.keep(new Invoices(shop));
    invoices.publish(0, 20);
    apply(INVOICES_BY_CUSTOMER, Invoices.NAME);
    shop.awaitReady(INVOICES_BY_CUSTOMER, TIMEOUT);
    assertOthersGoOn();
  }

  @AfterEach
  void stop() throws Exception {
    if (shop != null) {
      shop.close();
    }
  }

  @Test
  @ExhaustiveTier
  void refusesTheRecordSetWhosePartitionsWereAddedUntilItIsMoved() throws Exception {
    admin.createPartitions(Map.of(Invoices.TOPIC, NewPartitions.increaseTo(3))).all().get();
    awaitDegraded("topic accounting.invoices has 3 partitions", "state has 2");
    assertOthersGoOn();

    restartApp();
    assertOthersGoOn();
    awaitDegraded("topic accounting.invoices has 3 partitions");

    admin.createTopics(List.of(new NewTopic(NEW_TOPIC, 3, (short) 1))).all().get();
    settings.put("record.sets", "orders,files,invoices,invoices2");
    settings.put("record.set.invoices2.topic", NEW_TOPIC);
    settings.put("record.set.invoices2.format", "flat");
    settings.put("record.set.invoices2.complete", "topic");
    settings.put(
        "record.set.invoices2.schema.file", shop.data().resolveSibling("invoice.avsc").toString());
    restartApp();
    invoices.moveTo(NEW_TOPIC);
    invoices.publish(0, 30);
    apply(INVOICES_BY_CUSTOMER, "invoices2");
    patiently()
        .until(() -> shop.serving(INVOICES_BY_CUSTOMER).recordSet().name().equals("invoices2"));
    awaitReadyAndExact(INVOICES_BY_CUSTOMER, NEW_TOPIC);
    patiently().until(() -> generations(INVOICES_BY_CUSTOMER) == 1);

    settings.put("record.sets", "orders,files,invoices2");
    withoutKeysOf = "record.set.invoices.";
    restartApp();
    assertOthersGoOn();
    invoices.publish(30, 40);
    awaitReadyAndExact(INVOICES_BY_CUSTOMER, NEW_TOPIC);
  }

  @Test
  void goesOnWhenADeletedTopicIsThereAgain() throws Exception {
    admin.deleteTopics(List.of(Invoices.TOPIC)).all().get();
    awaitDegraded("topic accounting.invoices is gone");
    assertOthersGoOn();

    restartApp();
    assertOthersGoOn();
    awaitDegraded("topic accounting.invoices is gone");

    admin.createTopics(List.of(new NewTopic(Invoices.TOPIC, 2, (short) 1))).all().get();
    awaitDegraded("deleted and created anew", "sources published-again invoices");
    Instant since = Instant.now();
    invoices.publish(0, 30);
    try (SourceAdmin sources =
        SourceAdmin.connect(shop.kafka(), shop.stack().config().topics(), shop.registry())) {
      sources.publishedAgain(Invoices.TOPIC, since);
    }
    awaitReadyAndExact(INVOICES_BY_CUSTOMER, Invoices.TOPIC);
  }

  /** What follows them in the app ends with the topic that it follows, and with it the app. */
  @Test
  @ExhaustiveTier
  void publishesAgainWhatIsLostWithItsTopics() throws Exception {
    Topics topics = shop.stack().config().topics();
    List<String> deleted =
        List.of(topics.viewStates(), topics.viewGenerations(), topics.viewProgress());
    admin.deleteTopics(deleted).all().get();
    patiently().until(() -> admin.listTopics().names().get().containsAll(deleted));
    // As nobody has reported how its rows are, it may be DEGRADED until the app is there again.
    patiently().until(() -> shop.admin().get(INVOICES_BY_CUSTOMER).state().isPresent());
    restartApp();

    assertOthersGoOn();
    invoices.publish(20, 40);
    awaitReadyAndExact(INVOICES_BY_CUSTOMER, Invoices.TOPIC);
  }

  @Test
  @ExhaustiveTier
  void leavesOutTheViewWhoseTopicRefusesRowsUntilItIsBuiltAgain() throws Exception {
    apply(INVOICES_AGAIN, Invoices.NAME);
    shop.awaitReady(INVOICES_AGAIN, TIMEOUT);
    // Markers of transactions are smaller.
    ConfigEntry small = new ConfigEntry("max.message.bytes", "100");
    admin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(
                    ConfigResource.Type.TOPIC, shop.serving(INVOICES_BY_CUSTOMER).viewTopic()),
                List.of(new AlterConfigOp(small, AlterConfigOp.OpType.SET))))
        .all()
        .get();
    invoices.publish(10, 30);
    awaitDegraded("is not kept up to date", "refuses rows", "rebuild the view");
    assertOthersGoOn();
    awaitReadyAndExact(INVOICES_AGAIN, Invoices.TOPIC);

    ViewSpec spec =
        shop.admin().rebuild(INVOICES_BY_CUSTOMER, BuildMode.STATE, OptionalLong.empty());
    shop.admin()
        .awaitReady(INVOICES_BY_CUSTOMER, OptionalLong.of(spec.version()), TIMEOUT, status -> {});
    awaitReadyAndExact(INVOICES_BY_CUSTOMER, Invoices.TOPIC);
  }

  private void apply(String view, String recordSet) {
    String definition =
        """
        {"name": "%s", "source": "%s", "key": ["customer"], "target": "kv", "layout": "key-value"}
        """;
    shop.admin().apply(recordSet, definition.formatted(view, recordSet), OptionalLong.empty());
  }

  private int generations(String view) {
    return shop.admin().get(view).state().orElseThrow().generations().size();
  }

  private void assertOthersGoOn() {
    for (int number = 0; number < 20; number++) {
      orders.put(Orders.key(number), Orders.random(random));
    }
    orders.flush();
    shop.awaitReady(ORDERS_BY_DAY, TIMEOUT);
    awaitTaken(Pipeline.APPLICATION_ID, shop.changes(Orders.NAME));
    awaitTaken(SINK_GROUP, shop.serving(ORDERS_BY_DAY).viewTopic());
    assertThat(shop.verify(ORDERS_BY_DAY).exact()).isTrue();
  }

  private void awaitReadyAndExact(String view, String changes) {
    shop.awaitReady(view, TIMEOUT);
    awaitTaken(Pipeline.APPLICATION_ID, changes);
    awaitTaken(SINK_GROUP, shop.serving(view).viewTopic());
    assertThat(invoices.verify(view).exact()).isTrue();
  }

  private void restartApp() throws Exception {
    shop.pipeline().app().close();
    shop.pipeline().startApp();
  }

  private void awaitTaken(String group, String topic) {
    patiently().until(() -> progress.behind(group, List.of(topic)).isEmpty());
  }

  private void awaitDegraded(String... reasons) {
    patiently()
        .untilAsserted(
            () -> {
              ViewStatus status = shop.admin().get(INVOICES_BY_CUSTOMER);
              assertThat(status.phase()).isEqualTo(ViewState.State.DEGRADED);
              assertThat(status.reason()).contains(reasons);
            });
  }

  /** Kafka may ask for another try at any time, and threads of the app are to be replaced. */
  private static ConditionFactory patiently() {
    return await()
        .dontCatchUncaughtExceptions()
        .atMost(TIMEOUT)
        .ignoreExceptionsInstanceOf(RetriableException.class);
  }
}
