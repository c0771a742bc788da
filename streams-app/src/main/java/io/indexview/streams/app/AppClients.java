package io.indexview.streams.app;

import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.EventsLost;
import io.indexview.schemas.control.PublishedGeneration;
import io.indexview.schemas.control.PurgeProgress;
import io.indexview.schemas.control.RecordSetInfo;
import io.indexview.schemas.control.SourceRequest;
import io.indexview.schemas.control.SourceState;
import io.indexview.schemas.control.ViewSpec;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.progress.TopicIds;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroDeserializer;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.schemas.serde.ControlSchemas;
import io.indexview.schemas.time.Time;
import io.indexview.streams.config.AppConfig;
import io.indexview.streams.config.TargetConfig;
import io.indexview.streams.controller.Controller;
import io.indexview.streams.controller.ControllerFactory;
import io.indexview.streams.controller.actions.ActionContext;
import io.indexview.streams.controller.actions.ClusterLog;
import io.indexview.streams.controller.actions.NewestEvents;
import io.indexview.streams.controller.actions.ObservedTopics;
import io.indexview.streams.controller.actions.RecordSetInfos;
import io.indexview.streams.error.StopSignal;
import io.indexview.streams.generation.AppTopics;
import io.indexview.streams.generation.Cluster;
import io.indexview.streams.generation.KafkaCluster;
import io.indexview.streams.generation.RecordSetCatalog;
import io.indexview.streams.health.ViewStateGauges;
import io.indexview.streams.task.TaskServices.AppPosition;
import io.indexview.streams.task.TaskServices.ChangeTopicReaders;
import io.indexview.streams.task.TaskServices.TopicIdentity;
import io.indexview.streams.topology.GroupPosition;
import io.indexview.streams.topology.KafkaChangeTopicReaders;
import io.indexview.streams.topology.StreamsSettings;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.apache.avro.Schema;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.kafka.streams.StreamsConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The clients that the application uses beside Kafka Streams, and what is made of them. For one
 * thread at a time: that of the start, then that of the controller.
 */
final class AppClients implements AutoCloseable {
  private static final Logger LOGGER = LoggerFactory.getLogger(AppClients.class);
  private static final Duration ASK_FOR_TOPIC_ID = Duration.ofSeconds(5);
  private static final Duration TRUST_TOPIC_ID = Duration.ofSeconds(30);
  private static final Duration TOPIC_ID_TIMEOUT = Duration.ofSeconds(5);

  /**
   * Bounds the close of clients, which else wait a minute for answers of a cluster that is gone.
   */
  private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(2);

  private static final int MAX_CALL_MS = 5_000;

  private final AppConfig config;
  private final String instance;
  private final SchemaRegistry registry;
  private final StreamsConfig streams;
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Admin admin;
  private final Cluster cluster;
  private final ActionContext context;
  private final RecordSetCatalog catalog;
  private final Supplier<Map<String, ViewSpec>> specs;
  private final RecordSetInfos recordSetInfos;

  private AppClients(AppConfig config, String instance, SchemaRegistry registry) {
    this.config = config;
    this.instance = instance;
    this.registry = registry;
    this.streams = new StreamsConfig(StreamsSettings.of(config, instance));
    this.admin = Admin.create(bounded(streams.getAdminConfigs(clientId("admin"))));
    opened.push(() -> admin.close(CLOSE_TIMEOUT));
    Consumer<byte[], byte[]> reader = keep(consumer("reader"));
    this.cluster = new KafkaCluster(admin, config.topicReplication());
    this.catalog = new RecordSetCatalog(config.recordSets(), registry);
    this.specs =
        table(config.topics().viewDefinitions(), ControlSchemas.VIEW_DEFINITION, ViewSpec::of);
    ActionContext.Tables tables = tables();
    this.context =
        new ActionContext(
            config,
            cluster,
            new ObservedTopics(cluster, tables.sources()),
            new ClusterLog(admin, reader, writer()),
            tables,
            Time.SYSTEM);
    this.recordSetInfos =
        new RecordSetInfos(
            context,
            catalog,
            table(config.topics().recordSets(), ControlSchemas.RECORD_SET, RecordSetInfo::of),
            registry);
  }

  /**
   * @param instance what the ids of all clients begin with
   * @param registry stays open
   */
  static AppClients open(AppConfig config, String instance, SchemaRegistry registry) {
    return new AppClients(config, instance, registry);
  }

  private ActionContext.Tables tables() {
    ControlTable<PublishedGeneration> generations =
        controlTable(
            config.topics().viewGenerations(),
            ControlSchemas.VIEW_GENERATION,
            PublishedGeneration::of);
    ControlTable<ViewState> states =
        controlTable(config.topics().viewStates(), ControlSchemas.VIEW_STATE, ViewState::of);
    return new ActionContext.Tables(
        generations::refresh,
        states::refresh,
        table(config.topics().sourceStates(), ControlSchemas.SOURCE_STATE, SourceState::of),
        table(config.topics().sourceRequests(), ControlSchemas.SOURCE_REQUEST, SourceRequest::of),
        table(config.topics().viewProgress(), ControlSchemas.VIEW_PROGRESS, PurgeProgress::of),
        () -> {
          generations.readAnew();
          states.readAnew();
        });
  }

  private <T> Supplier<Map<String, T>> table(
      String topic, Schema schema, Function<GenericRecord, T> values) {
    return controlTable(topic, schema, values)::refresh;
  }

  private <T> ControlTable<T> controlTable(
      String topic, Schema schema, Function<GenericRecord, T> values) {
    AvroDeserializer deserializer = new AvroDeserializer(registry, schema);
    return keep(new ControlTable<>(topic, consumer(topic), deserializer, values));
  }

  private Consumer<byte[], byte[]> consumer(String purpose) {
    return ControlTable.consumer(bounded(streams.getRestoreConsumerConfigs(clientId(purpose))));
  }

  private Producer<byte[], byte[]> writer() {
    Map<String, Object> settings = new HashMap<>(producers("writer"));
    settings.put(ProducerConfig.MAX_BLOCK_MS_CONFIG, MAX_CALL_MS);
    settings.put(ProducerConfig.REQUEST_TIMEOUT_MS_CONFIG, MAX_CALL_MS);
    settings.put(ProducerConfig.DELIVERY_TIMEOUT_MS_CONFIG, 2 * MAX_CALL_MS);
    Producer<byte[], byte[]> writer =
        new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    opened.push(() -> writer.close(CLOSE_TIMEOUT));
    return writer;
  }

  private Map<String, Object> producers(String purpose) {
    Map<String, Object> settings = new HashMap<>(streams.getProducerConfigs(clientId(purpose)));
    settings.remove(ProducerConfig.TRANSACTIONAL_ID_CONFIG);
    settings.remove(ProducerConfig.TRANSACTION_TIMEOUT_CONFIG);
    settings.put(ProducerConfig.LINGER_MS_CONFIG, 0);
    return settings;
  }

  /** One thread looks after all views: a call that hangs for one must not hold up the others. */
  private static Map<String, Object> bounded(Map<String, Object> settings) {
    Map<String, Object> bounded = new HashMap<>(settings);
    bounded.put(CommonClientConfigs.DEFAULT_API_TIMEOUT_MS_CONFIG, MAX_CALL_MS);
    bounded.put(CommonClientConfigs.REQUEST_TIMEOUT_MS_CONFIG, MAX_CALL_MS);
    return bounded;
  }

  private String clientId(String purpose) {
    return instance + "-app-" + purpose;
  }

  private <T extends AutoCloseable> T keep(T client) {
    opened.push(client);
    return client;
  }

  /** Settings of the cluster, for other clients. */
  Map<String, Object> clusterSettings() {
    return streams.getAdminConfigs(clientId("specs"));
  }

  /** How far the application has come; may be asked by any thread, until this is closed. */
  AppPosition position() {
    GroupProgress progress = new GroupProgress(admin, keep(consumer("position")));
    ExecutorService asking =
        Executors.newSingleThreadExecutor(task -> new Thread(task, "indexview-position"));
    opened.push(() -> end(asking));
    return new GroupPosition(
        ends -> progress.behind(config.applicationId(), ends), asking, Time.SYSTEM);
  }

  /** Waits for the calls in progress to end, because their client is closed next. */
  private static void end(ExecutorService asking) throws InterruptedException {
    asking.shutdownNow();
    if (!asking.awaitTermination(CLOSE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
      LOGGER.debug("Somebody still asks how far the application has come");
    }
  }

  /** Which topics there are; may be asked by any thread, until this is closed. */
  TopicIdentity topicIdentity() {
    TopicIds ids = new TopicIds(admin);
    return new TopicIdentity() {
      @Override
      public Optional<String> of(String topic) {
        long now = System.nanoTime();
        return ids.since(topic, now - ASK_FOR_TOPIC_ID.toNanos())
            .or(() -> ids.since(topic, now - TRUST_TOPIC_ID.toNanos()));
      }

      @Override
      public Optional<String> now(String topic) {
        return ids.now(topic, TOPIC_ID_TIMEOUT);
      }
    };
  }

  /** Primary-change topics to be read again; any thread may open them. */
  ChangeTopicReaders changeTopicReaders() {
    return new KafkaChangeTopicReaders(
        streams.getRestoreConsumerConfigs(clientId("replay")),
        config.applicationId(),
        this::steppedOver);
  }

  private Set<Long> steppedOver(TopicPartition partition) {
    return config.recordSets().stream()
        .filter(recordSet -> recordSet.topic().equals(partition.topic()))
        .findFirst()
        .map(recordSet -> recordSet.steppedOver().getOrDefault(partition.partition(), Set.of()))
        .orElse(Set.of());
  }

  Cluster cluster() {
    return cluster;
  }

  /** The newest value of each partition of a topic; none if it does not exist. */
  List<byte[]> newestValues(String topic) {
    return cluster.partitions(topic).isEmpty()
        ? List.of()
        : new NewestEvents(context.log()).values(topic);
  }

  ActionContext context() {
    return context;
  }

  RecordSetInfos recordSetInfos() {
    return recordSetInfos;
  }

  Map<String, ViewSpec> specs() {
    return specs.get();
  }

  Map<String, PublishedGeneration> generations() {
    return context.tables().generations().get();
  }

  AppTopics appTopics() {
    return new AppTopics(
        config.topics(),
        config.targets().stream().map(TargetConfig::deadLetterTopic).toList(),
        StreamsSettings.topicMessageBytes(config),
        config.compactionSettings(),
        config.viewTopicSettings());
  }

  /** Tells the controller, whichever process that is. */
  void tell(EventsLost loss) {
    String topic = config.topics().viewProgress();
    AvroSerializer<GenericRecord> serializer = new AvroSerializer<>(registry, false);
    context
        .log()
        .write(
            List.of(
                ControlTable.record(
                    topic,
                    loss.key().getBytes(StandardCharsets.UTF_8),
                    serializer.serialize(topic, loss.toAvro()))));
  }

  /** The controller, not started; it closes this when it ends. */
  Controller controller(
      ViewStateGauges gauges, StopSignal stop, java.util.function.Consumer<Throwable> onGivingUp) {
    ControllerFactory factory =
        new ControllerFactory(
            config,
            instance,
            registry,
            context,
            appTopics(),
            catalog,
            recordSetInfos,
            specs,
            bounded(streams.getRestoreConsumerConfigs(clientId("controller"))),
            producers("controller"));
    return factory.create(gauges, stop, onGivingUp, this);
  }

  /** Closes everything, whatever fails meanwhile. */
  @Override
  public void close() throws Exception {
    try (AutoCloseable last = opened.poll()) {
      if (last != null) {
        close();
      }
    }
  }
}
