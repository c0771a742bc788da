package io.indexview.demo.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.indexview.client.admin.ViewStatus;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier;
import io.indexview.verification.ViewVerifier.TargetRows;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.views.definition.ViewGeneration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.RetriableException;

/** A shop of orders that change all the time, whose streams app has several instances. */
final class InstancesShop implements AutoCloseable {
  static final Duration TIMEOUT = Duration.ofMinutes(3);
  static final String BY_DAY = "orders-by-day";

  private static final Duration POLL = Duration.ofMillis(100);
  private static final int ORDERS = Integer.getInteger("instances.orders", 4_000);
  private static final int PER_SECOND = Integer.getInteger("instances.rate", 50);
  private static final int PARTITIONS = 4;
  private static final String DEFINITION =
      """
      {"name": "%s", "source": "orders", "key": ["%s"], "include": ["amount", "%s"],
       "target": "kv", "layout": "key-value"}
      """;

  private final AppInstances instances;
  private final Shop shop;
  private final KnownOrders orders;
  private final GroupProgress progress;

  private InstancesShop(AppInstances instances, Shop shop) {
    this.instances = instances;
    this.shop = shop;
    this.orders = shop.keep(new KnownOrders(shop.keep(shop.writer()), ORDERS, PER_SECOND));
    this.progress =
        new GroupProgress(shop.kafkaAdmin(), shop.keep(ControlTable.consumer(shop.kafka())));
  }

  /** One whose orders are in a view, which two instances derive. */
  static InstancesShop open(Path directory, Path logs) throws Exception {
    AppInstances instances = new AppInstances(directory.resolve("instances"), logs);
    Shop shop =
        Shop.open(
            directory,
            Shop.KV_ONLY_OF_PROCESSES,
            instances.launcher("one", "two"),
            DEFINITION.formatted(BY_DAY, "day", "stamp"));
    InstancesShop opened = new InstancesShop(instances, shop);
    try {
      opened.orders.writeAll();
      opened.assertExact();
      return opened;
    } catch (Exception | AssertionError e) {
      // Nobody else knows of the instances.
      shop.close();
      throw e;
    }
  }

  AppInstances instances() {
    return instances;
  }

  Shop shop() {
    return shop;
  }

  /** Orders change until this is closed. */
  KnownOrders.Writing write() {
    return orders.begin();
  }

  String awaitController() {
    return instances.awaitController(shop.kafkaAdmin());
  }

  /** Waits until these have all tasks of the orders, each at least one. */
  void awaitTasksOf(Set<String> names) {
    instances.awaitTasks(shop.kafkaAdmin(), shop.changes(Orders.NAME), PARTITIONS, names);
  }

  /** Waits until the app has taken what is published until now. */
  void awaitTakenSoFar() {
    Map<TopicPartition, Long> ends = progress.ends(List.of(shop.changes(Orders.NAME)));
    await()
        .atMost(TIMEOUT)
        .ignoreExceptionsInstanceOf(RetriableException.class)
        .until(() -> progress.behind(Pipeline.APPLICATION_ID, ends).isEmpty());
  }

  /** Every state that was published of a view since then. */
  List<ViewState> statesSince(long sinceMs) {
    TopicPartition states = new TopicPartition(shop.stack().config().topics().viewStates(), 0);
    AvroDeserializer deserializer =
        new AvroDeserializer(shop.registry(), ControlSchemas.VIEW_STATE);
    List<ViewState> reported = new ArrayList<>();
    try (Consumer<byte[], byte[]> consumer = ControlTable.consumer(shop.kafka())) {
      consumer.assign(List.of(states));
      consumer.seekToBeginning(List.of(states));
      long end = consumer.endOffsets(List.of(states)).get(states);
      while (consumer.position(states) < end) {
        for (ConsumerRecord<byte[], byte[]> message : consumer.poll(POLL)) {
          if (message.timestamp() >= sinceMs && message.value() != null) {
            reported.add(ViewState.of(deserializer.deserialize(states.topic(), message.value())));
          }
        }
      }
    }
    return reported;
  }

  /** Asks for one more view of the orders. */
  void add(String view, String field) {
    apply(DEFINITION.formatted(view, field, "stamp"));
  }

  /** Asks for other rows of {@link #BY_DAY}, also in its file, which instances read at start. */
  void changeByDay() throws IOException {
    String changed = DEFINITION.formatted(BY_DAY, "day", "note");
    Files.writeString(shop.spec().viewsDir().resolve("0.yaml"), changed);
    apply(changed);
  }

  private void apply(String definition) {
    shop.admin().apply(Orders.NAME, definition, OptionalLong.empty());
  }

  /**
   * Waits until every view is READY and holds what was written, and compares: the rows in the store
   * and the rows on the topic with what the writer knows. Nothing may be written meanwhile.
   */
  void assertExact() throws Exception {
    shop.pipeline().settle(TIMEOUT);
    Topics topics = shop.stack().config().topics();
    assertThat(progress.ends(List.of(topics.deadLetters(), topics.deadLetters("kv"))).values())
        .containsOnly(0L);
    for (ViewStatus status : shop.admin().list()) {
      assertThat(status.phase()).isEqualTo(ViewState.State.READY);
      ViewGeneration generation = shop.serving(status.view());
      if (generation.recordSet().name().equals(Orders.NAME)) {
        assertExact(generation, new KvRows(shop.store(), generation));
        assertExact(
            generation,
            new TopicRows(generation, () -> ControlTable.consumer(shop.kafka()), shop.registry()));
      }
    }
  }

  private void assertExact(ViewGeneration generation, TargetRows rows) {
    Verification found = ViewVerifier.verify(generation, orders.iterator(), rows, Set.of());
    assertThat(found.exact()).as("%s, %s: %s", generation, rows, found).isTrue();
    assertThat(found.rows()).isPositive();
  }

  @Override
  public void close() throws Exception {
    shop.close();
  }
}
