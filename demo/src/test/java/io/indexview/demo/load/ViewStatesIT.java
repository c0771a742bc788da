package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.indexview.client.admin.SourceAdmin;
import io.indexview.client.admin.ViewStatus;
import io.indexview.client.read.IndexViewReader;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReadOptions;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.read.RowPage;
import io.indexview.client.read.ViewQuery;
import io.indexview.client.write.Writer;
import io.indexview.client.write.Written;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.verification.live.RowLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.SplittableRandom;
import org.apache.avro.Schema;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What makes the rows of a running view wrong is said of this view, and of no other; what the guide
 * says against it makes it right.
 */
@Timeout(1_800)
@TestInstance(Lifecycle.PER_CLASS)
class ViewStatesIT {
  private static final Duration TIMEOUT = Duration.ofMinutes(2);
  private static final String SINK = "indexview-kvstore-sink";
  private static final String SOURCE = "indexview-kvstore-source";
  private static final String ORDERS_BY_CUSTOMER = "orders-by-customer";
  private static final String ORDERS_BY_DAY = "orders-by-day";
  private static final String PARCELS_BY_CUSTOMER = "parcels-by-customer";
  private static final String PARCELS_BY_DAY = "parcels-by-day";
  private static final String PARCELS_BY_REGION = "parcels-by-region";
  private static final String INVOICES_BY_CUSTOMER = "invoices-by-customer";

  private final SplittableRandom random = new SplittableRandom(1);
  private final Map<Integer, Written> written = new HashMap<>();
  private final Set<Integer> removed = new HashSet<>();
  private Shop shop;
  private ControlTable<SourceState> sources;

  @BeforeAll
  void start(@TempDir Path directory) throws Exception {
    shop =
        Shop.open(
            directory,
            Shop.KV_ONLY,
            config -> {
              Map<String, String> settings = Invoices.in(config, directory);
              settings.put("freshness.interval.ms", "1000");
              return AppLauncher.inProcess().launch(settings);
            },
            List.of(Orders.spec(), Parcels.spec(Parcels.FIRST)),
            definition(Orders.NAME, "customer"),
            definition(Orders.NAME, "day"),
            definition(Parcels.NAME, "customer"),
            definition(Parcels.NAME, "day"));
    sources =
        shop.keep(
            new ControlTable<>(
                shop.stack().config().topics().sourceStates(),
                ControlTable.consumer(shop.kafka()),
                new AvroDeserializer(shop.registry(), ControlSchemas.SOURCE_STATE),
                SourceState::of));
  }

  private static String definition(String recordSet, String field) {
    return """
    {"name": "%s-by-%s", "source": "%s", "key": ["%s"], "target": "kv", "layout": "key-value"}
    """
        .formatted(recordSet, field, recordSet, field);
  }

  @AfterAll
  void stop() throws Exception {
    if (shop != null) {
      shop.close();
    }
  }

  @Test
  void tellsWhatFellBehindRetentionUntilItIsBuiltAgain() throws Exception {
    try (Writer orders = shop.writer()) {
      change(orders, 0, 100);
      shop.pipeline().settle(TIMEOUT);
      sinkFallsBehind(orders);
      appFallsBehind(orders);
    }

    rebuild(ORDERS_BY_DAY, BuildMode.SNAPSHOT);
    assertThat(shop.verify(ORDERS_BY_DAY).exact()).isTrue();
    assertThat(shop.admin().get(ORDERS_BY_CUSTOMER).reason())
        .as("the sink's loss is none of the record set's")
        .contains(SINK)
        .doesNotContain("are lost");
    rebuild(ORDERS_BY_CUSTOMER, BuildMode.STATE);
    assertThat(shop.verify(ORDERS_BY_CUSTOMER).exact()).isTrue();

    restartApp(() -> {});
    shop.pipeline().settle(TIMEOUT);
  }

  /** Of one view alone: rows are deleted from its topic before the sink has read them. */
  private void sinkFallsBehind(Writer orders) throws Exception {
    shop.tell(SINK, "stop");
    change(orders, 0, 10);
    remove(orders, 10, 20);
    shop.awaitTaken(Pipeline.APPLICATION_ID, shop.changes(Orders.NAME));
    restartApp(() -> shop.trim(shop.serving(ORDERS_BY_CUSTOMER).viewTopic()));
    awaitDegraded(ORDERS_BY_CUSTOMER, SINK, shop.serving(ORDERS_BY_CUSTOMER).viewTopic());

    shop.tell(SINK, "resume");
    shop.awaitTaken("connect-" + SINK, shop.serving(ORDERS_BY_DAY).viewTopic());
    assertThat(shop.verify(ORDERS_BY_CUSTOMER).dangling()).isGreaterThanOrEqualTo(10);
    assertThat(shop.admin().get(ORDERS_BY_CUSTOMER).phase()).isEqualTo(ViewState.State.DEGRADED);
    assertThat(shop.admin().get(ORDERS_BY_DAY).ready()).isTrue();
    assertThat(shop.verify(ORDERS_BY_DAY).exact()).isTrue();
  }

  /**
   * Events are deleted before it has read them, in one partition the last ones that there will be.
   * One view has the sink's loss as well.
   */
  private void appFallsBehind(Writer orders) throws Exception {
    restartApp(
        () -> {
          change(orders, 20, 30);
          removePartitionOf(orders, 30);
          awaitScan();
          shop.trim(shop.changes(Orders.NAME));
        });
    awaitDegraded(ORDERS_BY_DAY, "events of record set orders are lost");
    awaitDegraded(ORDERS_BY_CUSTOMER, "events of record set orders are lost", SINK);

    change(orders, 50, 90);
    shop.awaitTaken(Pipeline.APPLICATION_ID, shop.changes(Orders.NAME));
    shop.awaitTaken("connect-" + SINK, shop.serving(ORDERS_BY_DAY).viewTopic());
    assertThat(shop.verify(ORDERS_BY_DAY).dangling()).isPositive();
    assertThat(shop.admin().get(ORDERS_BY_DAY).phase()).isEqualTo(ViewState.State.DEGRADED);
    assertThat(shop.admin().get(PARCELS_BY_DAY).ready()).isTrue();
  }

  /**
   * What the application forgot is not deleted by any event, so each view has to be built again.
   */
  @Test
  void tellsThatItsStateIsLostUntilTheViewIsBuiltAgain() throws Exception {
    loseStateAndBuildAgain(
        "records",
        () -> {
          shop.awaitTaken(Pipeline.APPLICATION_ID, shop.changes(Orders.NAME));
          shop.awaitTaken("connect-" + SINK, shop.serving(ORDERS_BY_DAY).viewTopic());
          assertThat(shop.verify(ORDERS_BY_DAY).dangling()).isPositive();
        });
  }

  @Test
  void tellsThatWhatWasBuiltIsForgottenUntilTheViewIsBuiltAgain() throws Exception {
    loseStateAndBuildAgain("builds", () -> {});
  }

  private void loseStateAndBuildAgain(String store, Meanwhile lost) throws Exception {
    String changelog = "%s-%s-orders-changelog".formatted(Pipeline.APPLICATION_ID, store);
    try (Writer orders = shop.writer()) {
      change(orders, 100, 200);
      shop.pipeline().settle(TIMEOUT);
      restartApp(
          () -> {
            shop.kafkaAdmin().deleteTopics(List.of(changelog)).all().get();
            Path state = shop.data().resolve("streams");
            Files.move(state, state.resolveSibling("streams-without-" + store));
            remove(orders, 150, 170);
          });
      awaitDegraded(ORDERS_BY_DAY, "state of record set orders", changelog);
      awaitDegraded(ORDERS_BY_CUSTOMER, "state of record set orders", changelog);
      assertThat(shop.admin().get(PARCELS_BY_CUSTOMER).ready()).isTrue();
      lost.happens();
    }

    rebuild(ORDERS_BY_DAY, BuildMode.SNAPSHOT);
    assertThat(shop.verify(ORDERS_BY_DAY).exact()).isTrue();
    assertThat(shop.admin().get(ORDERS_BY_CUSTOMER).phase()).isEqualTo(ViewState.State.DEGRADED);
    rebuild(ORDERS_BY_CUSTOMER, BuildMode.STATE);
    assertThat(shop.verify(ORDERS_BY_CUSTOMER).exact()).isTrue();

    restartApp(() -> {});
    shop.pipeline().settle(TIMEOUT);
  }

  /**
   * Its rows are gone for whoever had not read them. The other views go on as if nothing were, as
   * they do without the topics that tasks write beside rows.
   */
  @Test
  void tellsThatAViewTopicIsGoneAndGoesOnWithTheOthers() throws Exception {
    try (Writer orders = shop.writer()) {
      change(orders, 200, 300);
      shop.pipeline().settle(TIMEOUT);
      String topic = shop.serving(ORDERS_BY_CUSTOMER).viewTopic();
      Topics all = shop.stack().config().topics();
      List<String> gone = List.of(topic, all.viewProgress(), all.deadLetters());
      shop.kafkaAdmin().deleteTopics(gone).all().get();
      change(orders, 200, 260);
      awaitDegraded(ORDERS_BY_CUSTOMER, topic, "was deleted");
      try (RowLog log = shop.rowLog(ORDERS_BY_CUSTOMER)) {
        assertThatThrownBy(log::ends).hasMessageContainingAll(topic, "rebuild the view");
      }
      shop.awaitTaken(Pipeline.APPLICATION_ID, shop.changes(Orders.NAME));
    }
    shop.awaitTaken("connect-" + SINK, shop.serving(ORDERS_BY_DAY).viewTopic());
    assertThat(shop.verify(ORDERS_BY_DAY).exact()).isTrue();
    // Its tasks have to tell again how its rows are.
    shop.awaitReady(ORDERS_BY_DAY, TIMEOUT);

    rebuild(ORDERS_BY_CUSTOMER, BuildMode.STATE);
    assertThat(shop.verify(ORDERS_BY_CUSTOMER).exact()).isTrue();
    shop.pipeline().settle(TIMEOUT);
  }

  @Test
  void tellsOfEventsThatCannotBeReadUntilTheirRecordsAreKnownAgain() throws Exception {
    try (Writer orders = shop.writer()) {
      change(orders, 200, 210);
      shop.pipeline().settle(TIMEOUT);

      int partition = written.get(200).token().partition();
      publish(shop.changes(Orders.NAME), partition, Orders.key(200).toString(), "{}");
      awaitDegraded(ORDERS_BY_DAY, "1 records have no rows, or those of before", "cannot be read");
      awaitDegraded(ORDERS_BY_CUSTOMER, "1 records", "write it once more");
      assertThat(shop.admin().get(PARCELS_BY_DAY).ready()).isTrue();
      change(orders, 200, 201);
      awaitExactOrders();

      shop.store().put(Orders.key(201), "{}".getBytes(StandardCharsets.UTF_8));
      awaitDegraded(ORDERS_BY_DAY, "1 records");
      change(orders, 201, 202);
      awaitExactOrders();
    }

    publish(shop.changes(Orders.NAME), 0, null, "all are gone");
    awaitDegraded(ORDERS_BY_DAY, "events of record set orders are lost", "any record");
    rebuild(ORDERS_BY_DAY, BuildMode.SNAPSHOT);
    awaitExactOrders();
  }

  /** Nobody can be asked to publish a topic again that no source speaks for. */
  @Test
  void isWholeAgainWhenAnOperatorTellsThatATopicWasPublishedAgain() throws Exception {
    try (Invoices invoices = new Invoices(shop)) {
      invoices.publish(0, 20);
      shop.admin().apply("new", definition(Invoices.NAME, "customer"), OptionalLong.empty());
      shop.awaitReady(INVOICES_BY_CUSTOMER, TIMEOUT);
      assertThat(invoices.verify(INVOICES_BY_CUSTOMER).exact()).isTrue();

      publish(Invoices.TOPIC, 0, null, "nobody knows");
      awaitDegraded(INVOICES_BY_CUSTOMER, "events of record set invoices are lost");
      shop.admin().rebuild(INVOICES_BY_CUSTOMER, BuildMode.SNAPSHOT, OptionalLong.empty());
      awaitDegraded(INVOICES_BY_CUSTOMER, "sources published-again invoices --since");

      Instant since = Instant.now();
      invoices.forget(3, 5);
      invoices.publish(5, 25);
      invoices.publish(0, 3);
      try (SourceAdmin sources =
          SourceAdmin.connect(shop.kafka(), shop.stack().config().topics(), shop.registry())) {
        sources.publishedAgain(Invoices.TOPIC, since);
      }
      patiently()
          .until(() -> shop.admin().get(INVOICES_BY_CUSTOMER).phase() == ViewState.State.READY);
      shop.awaitTaken("connect-" + SINK, shop.serving(INVOICES_BY_CUSTOMER).viewTopic());
      assertThat(invoices.verify(INVOICES_BY_CUSTOMER).exact()).isTrue();
      rebuild(INVOICES_BY_CUSTOMER, BuildMode.STATE);
    }
    // The rebuild that was refused is still the newest definition.
    rebuild(INVOICES_BY_CUSTOMER, BuildMode.STATE);
  }

  @Test
  void tellsBeforeWhenChangesAreVisibleAndWhatHoldsThatBack() throws Exception {
    try (Writer orders = shop.writer()) {
      change(orders, 300, 310);
      awaitVisible(ORDERS_BY_DAY, Instant.now());

      shop.tell(SINK, "stop");
      change(orders, 300, 310);
      Instant changed = Instant.now();
      patiently()
          .until(
              () -> shop.admin().get(ORDERS_BY_DAY).heldBackBy(), reason -> reason.contains(SINK));
      // Scans that were over before the change still count.
      assertThat(shop.admin().get(ORDERS_BY_DAY).visibleBefore().orElseThrow()).isBefore(changed);
      shop.tell(SINK, "resume");
      awaitVisible(ORDERS_BY_DAY, Instant.now());
    }
    IndexViewReader reader =
        IndexViewReaders.of(shop.store(), ReaderConfig.of(PageTokens.ofThisProcess()));
    RowPage page =
        reader.read(
            ViewQuery.of(ORDERS_BY_DAY).withLimit(1),
            ReadOptions.DEFAULT
                .withNotReady(new ReadOptions.NotReady.Wait(TIMEOUT))
                .notOlderThan(Duration.ofSeconds(30)));
    assertThat(page.visibleBefore()).isPresent();
    assertThat(page.reason()).isEmpty();
  }

  private void awaitVisible(String view, Instant change) {
    patiently()
        .until(
            () -> shop.admin().get(view).visibleBefore(),
            visible -> visible.filter(change::isBefore).isPresent());
  }

  /** Something on a change topic that is no event. */
  private void publish(String topic, int partition, String key, String value) throws Exception {
    try (Producer<byte[], byte[]> producer =
        new KafkaProducer<>(shop.kafka(), new ByteArraySerializer(), new ByteArraySerializer())) {
      producer
          .send(
              new ProducerRecord<>(
                  topic,
                  partition,
                  key == null ? null : key.getBytes(StandardCharsets.UTF_8),
                  value.getBytes(StandardCharsets.UTF_8)))
          .get();
    }
  }

  private void awaitExactOrders() {
    for (String view : List.of(ORDERS_BY_DAY, ORDERS_BY_CUSTOMER)) {
      shop.awaitReady(view, TIMEOUT);
      shop.awaitTaken("connect-" + SINK, shop.serving(view).viewTopic());
      assertThat(shop.verify(view).exact()).as(view).isTrue();
    }
  }

  private interface Meanwhile {
    void happens() throws Exception;
  }

  private void restartApp(Meanwhile meanwhile) throws Exception {
    shop.pipeline().app().close();
    meanwhile.happens();
    shop.pipeline().startApp();
  }

  /** Leaves alone what lies in a partition that was removed. */
  private void change(Writer orders, int from, int to) {
    for (int number = from; number < to; number++) {
      if (!removed.contains(number)) {
        written.put(number, orders.put(Orders.key(number), Orders.random(random)));
      }
    }
    orders.flush();
  }

  private void removePartitionOf(Writer orders, int one) {
    int partition = written.get(one).token().partition();
    written.forEach(
        (number, order) -> {
          if (order.token().partition() == partition) {
            removed.add(number);
            orders.delete(Orders.key(number));
          }
        });
    orders.flush();
  }

  private static void remove(Writer orders, int from, int to) {
    for (int number = from; number < to; number++) {
      orders.delete(Orders.key(number));
    }
    orders.flush();
  }

  /** Kafka may ask for another try at any time. */
  private static ConditionFactory patiently() {
    return await().atMost(TIMEOUT).ignoreExceptionsInstanceOf(RetriableException.class);
  }

  /** Then the source knows all events that are on the topic now. */
  private void awaitScan() {
    long now = System.currentTimeMillis();
    patiently()
        .until(
            () ->
                sources.refresh().values().stream()
                    .filter(
                        sourcePartition ->
                            sourcePartition.topic().equals(shop.changes(Orders.NAME)))
                    .allMatch(
                        sourcePartition ->
                            sourcePartition.upToDate().stream()
                                .anyMatch(scan -> scan.startedAtMs() > now)));
  }

  private void awaitDegraded(String view, String... reasons) {
    patiently()
        .untilAsserted(
            () -> {
              ViewStatus status = shop.admin().get(view);
              assertThat(status.phase()).isEqualTo(ViewState.State.DEGRADED);
              assertThat(status.reason()).contains(reasons);
            });
  }

  private void rebuild(String view, BuildMode mode) {
    ViewSpec spec = shop.admin().rebuild(view, mode, OptionalLong.empty());
    shop.admin().awaitReady(view, OptionalLong.of(spec.version()), TIMEOUT, status -> {});
  }

  @Test
  void followsTheRecordSchemaAsFarAsEachViewCan() throws Exception {
    Parcels parcels = new Parcels(shop);
    parcels.write(Parcels.FIRST, 0, 30);
    shop.pipeline().settle(TIMEOUT);

    become(Parcels.WITH_REGION);
    parcels.write(Parcels.WITH_REGION, 20, 40);
    awaitExact(parcels, PARCELS_BY_CUSTOMER, PARCELS_BY_DAY);
    patiently().until(() -> publishedSchema().getField("region") != null);
    shop.admin().apply("new", definition(Parcels.NAME, "region"), OptionalLong.empty());
    shop.awaitReady(PARCELS_BY_REGION, TIMEOUT);
    awaitExact(parcels, PARCELS_BY_REGION);
    become(Parcels.WITHOUT_DAY);
    awaitDegraded(PARCELS_BY_DAY, "key[0] \"day\"", "lack \"day\"");
    parcels.write(Parcels.WITHOUT_DAY, 35, 45);
    awaitExact(parcels, PARCELS_BY_CUSTOMER, PARCELS_BY_REGION);
    awaitDegraded(PARCELS_BY_DAY, "lack \"day\"", "10 records have no rows");
    shop.awaitTaken("connect-" + SINK, shop.serving(PARCELS_BY_DAY).viewTopic());
    assertThat(parcels.verify(PARCELS_BY_DAY).exact()).isTrue();
    become(Parcels.WITH_REGION);
    parcels.write(Parcels.WITH_REGION, 35, 45);
    shop.awaitReady(PARCELS_BY_DAY, TIMEOUT);
    awaitExact(parcels, PARCELS_BY_CUSTOMER, PARCELS_BY_DAY, PARCELS_BY_REGION);
  }

  /** The app sees it by itself; a source reads its configuration when it starts. */
  private void become(Schema schema) throws Exception {
    Path file = shop.stack().dataDirectory().resolve("schemas").resolve(Parcels.NAME + ".avsc");
    Files.writeString(file, schema.toString());
    shop.stack().connect().restart(SOURCE);
    shop.stack().connect().awaitRunning(SOURCE, TIMEOUT);
  }

  /** As definitions are checked against it. */
  private Schema publishedSchema() {
    return shop.admin().recordSets().stream()
        .filter(recordSet -> recordSet.name().equals(Parcels.NAME))
        .map(recordSet -> new Schema.Parser().parse(recordSet.schema()))
        .findFirst()
        .orElseThrow();
  }

  private void awaitExact(Parcels parcels, String... views) {
    shop.awaitTaken(Pipeline.APPLICATION_ID, shop.changes(Parcels.NAME));
    for (String view : views) {
      shop.awaitTaken("connect-" + SINK, shop.serving(view).viewTopic());
      assertThat(parcels.verify(view).exact()).as(view).isTrue();
      assertThat(shop.admin().get(view).ready()).as(view).isTrue();
    }
  }
}
