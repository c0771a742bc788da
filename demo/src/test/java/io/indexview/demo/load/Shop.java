package io.indexview.demo.load;

import static org.awaitility.Awaitility.await;

import io.indexview.client.admin.TargetStates;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.admin.ViewAdmin.ServedGeneration;
import io.indexview.client.read.IndexViewReaders;
import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReaderConfig;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.kvstore.value.ValueEncoder;
import io.indexview.local.LocalStack;
import io.indexview.local.PartName;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.AppLauncher;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.local.pipeline.RecordSetSpec;
import io.indexview.schemas.Topics;
import io.indexview.schemas.control.ControlTable;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.progress.GroupProgress;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.verification.KvRows;
import io.indexview.verification.ViewVerifier.PrimaryRecord;
import io.indexview.verification.ViewVerifier.Verification;
import io.indexview.verification.live.KafkaRowLog;
import io.indexview.verification.live.RowLog;
import io.indexview.views.definition.ViewGeneration;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.errors.PolicyViolationException;
import org.apache.kafka.common.errors.RetriableException;
import org.awaitility.core.ConditionFactory;

/** A local stack whose pipeline carries record sets of a shop, and clients of it. */
final class Shop implements AutoCloseable {
  static final Set<PartName> ALL_PARTS = Set.of(PartName.values());

  /** What views in the KV store need, derived in this process. */
  static final Set<PartName> KV_ONLY = Set.of(PartName.BROKER, PartName.CONNECT, PartName.KV_STORE);

  /** What views in the KV store need, derived in other processes. */
  static final Set<PartName> KV_ONLY_OF_PROCESSES =
      Set.of(PartName.BROKER, PartName.CONNECT, PartName.KV_STORE, PartName.REGISTRY);

  /** What views in both targets need, whatever reads them without a server. */
  static final Set<PartName> BOTH_TARGETS =
      Set.of(
          PartName.BROKER,
          PartName.CONNECT,
          PartName.KV_STORE,
          PartName.REGISTRY,
          PartName.DYNAMODB);

  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  /** Address of a KV store in place of the embedded one, to which it makes no difference. */
  private static final String STORE = System.getProperty("kvstore.uri");

  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private final Path directory;
  private LocalStack stack;
  private PipelineSpec spec;
  private Pipeline pipeline;
  private KvStore store;
  private SchemaRegistry registry;
  private ViewAdmin admin;
  private Admin kafkaAdmin;
  private GroupProgress progress;

  private Shop(Path directory) {
    this.directory = directory;
  }

  /** A shop of orders. */
  static Shop open(Path directory, Set<PartName> parts, AppLauncher launcher, String... definitions)
      throws Exception {
    return open(directory, parts, launcher, List.of(Orders.spec()), definitions);
  }

  /**
   * Starts everything.
   *
   * @param directory empty
   * @param definitions of the views that stand from the start
   */
  static Shop open(
      Path directory,
      Set<PartName> parts,
      AppLauncher launcher,
      List<RecordSetSpec> recordSets,
      String... definitions)
      throws Exception {
    Shop shop = new Shop(directory);
    try {
      shop.start(parts, launcher, recordSets, definitions);
      return shop;
    } catch (Exception e) {
      shop.close();
      throw e;
    }
  }

  private void start(
      Set<PartName> parts,
      AppLauncher launcher,
      List<RecordSetSpec> recordSets,
      String... definitions)
      throws Exception {
    Path views = Files.createDirectories(directory.resolve("views"));
    for (int i = 0; i < definitions.length; i++) {
      Files.writeString(views.resolve(i + ".yaml"), definitions[i]);
    }
    spec = new PipelineSpec(recordSets, Pattern.compile("(?<fileId>.*)"), views);
    // DynamoDB's items may stay in memory: no test starts it again.
    StackConfig.Builder config =
        StackConfig.builder().parts(PartName.BROKER, parts.toArray(PartName[]::new));
    if (STORE != null) {
      config.ownKvStore(KvStoreConfig.of(STORE));
    }
    stack = keep(LocalStack.start(config.build().withDataDirectory(data())));
    pipeline = keep(Pipeline.deploy(stack, spec, launcher, line -> {}));
    store = keep(stack.openKvStore());
    registry =
        keep(
            SchemaRegistries.create(Map.of("schema.registry.url", stack.registryUrl().toString())));
    Topics topics = stack.config().topics();
    TargetStates targets =
        IndexViewReaders.over(
                store,
                parts.contains(PartName.DYNAMODB) ? keep(stack.openItemStore()) : null,
                topics,
                ReaderConfig.of(PageTokens.ofThisProcess()))
            .states();
    kafkaAdmin = keep(Admin.create(kafka()));
    progress = new GroupProgress(kafkaAdmin, keep(ControlTable.consumer(kafka())));
    admin = keep(ViewAdmin.connect(kafka(), topics, registry, targets, Clock.systemUTC()));
  }

  /** Has something closed with the shop, before what was there before it. */
  <T extends AutoCloseable> T keep(T resource) {
    opened.push(resource);
    return resource;
  }

  Path data() {
    return directory.resolve("data");
  }

  LocalStack stack() {
    return stack;
  }

  PipelineSpec spec() {
    return spec;
  }

  Pipeline pipeline() {
    return pipeline;
  }

  KvStore store() {
    return store;
  }

  SchemaRegistry registry() {
    return registry;
  }

  ViewAdmin admin() {
    return admin;
  }

  Admin kafkaAdmin() {
    return kafkaAdmin;
  }

  Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  /** The primary-change topic of a record set. */
  String changes(String recordSet) {
    return stack.config().topics().changes(recordSet);
  }

  /** A writer of orders; to be closed. */
  Writer writer() {
    return writer(Orders.spec());
  }

  /**
   * A writer of a record set; to be closed.
   *
   * @param recordSet with the schema that it is to write with
   */
  Writer writer(RecordSetSpec recordSet) {
    WriterConfig config =
        new WriterConfig(
            recordSet.name(),
            new KvKey(recordSet.keyPrefix(), List.of()),
            changes(recordSet.name()),
            WriterConfig.DEFAULT_INCARNATION,
            "shop",
            WriterConfig.DEFAULT_MAX_IN_FLIGHT);
    return Writer.connect(store, config, ValueEncoder.avro(recordSet.schema()), kafka(), registry);
  }

  ViewGeneration serving(String view) {
    return ViewGeneration.fromJson(
        admin.get(view).state().flatMap(ViewState::serving).orElseThrow().description());
  }

  /**
   * Compares a view with the orders in the store.
   *
   * @param elsewhere orders that are not in the store
   */
  Verification verify(String view, PrimaryRecord... elsewhere) {
    return Orders.verify(store, serving(view), elsewhere);
  }

  /** What was derived for a view in the KV store. */
  RowLog rowLog(String view) {
    ServedGeneration served = admin.serving(view);
    return new KafkaRowLog(
        kafka(),
        served.published(),
        served.frozen(),
        served.state().sinkGroup(),
        new KvRows(store, served.frozen()));
  }

  void awaitReady(String view, Duration timeout) {
    admin.awaitReady(view, OptionalLong.empty(), timeout, status -> {});
  }

  /** Has a connector stop or resume, and waits until it has. */
  void tell(String connector, String action) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(
                stack.connect().url().resolve("/connectors/" + connector + "/" + action))
            .PUT(HttpRequest.BodyPublishers.noBody())
            .build();
    HttpClient http = HttpClient.newHttpClient();
    // 409: the worker's group rebalances.
    patiently()
        .until(
            () -> http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode() != 409);
    patiently()
        .until(
            () -> stack.connect().status(connector).orElseThrow(),
            status ->
                action.equals("stop")
                    ? status.state().equals("STOPPED") && status.tasks().isEmpty()
                    : status.isRunning());
  }

  /** Kafka may ask for another try at any time. */
  private static ConditionFactory patiently() {
    return await().atMost(TIMEOUT).ignoreExceptionsInstanceOf(RetriableException.class);
  }

  /** Waits until a consumer group has taken all that is on a topic. */
  void awaitTaken(String group, String topic) {
    patiently().until(() -> progress.behind(group, List.of(topic)).isEmpty());
  }

  /** Deletes all records, as retention would. */
  void trim(String topic) throws Exception {
    ConfigEntry deleting = new ConfigEntry("cleanup.policy", "delete");
    kafkaAdmin
        .incrementalAlterConfigs(
            Map.of(
                new ConfigResource(ConfigResource.Type.TOPIC, topic),
                List.of(new AlterConfigOp(deleting, AlterConfigOp.OpType.SET))))
        .all()
        .get();
    var ends =
        progress.ends(List.of(topic)).entrySet().stream()
            .collect(
                Collectors.toMap(
                    Map.Entry::getKey, end -> RecordsToDelete.beforeOffset(end.getValue())));
    await()
        .atMost(TIMEOUT)
        .ignoreExceptionsMatching(
            e ->
                e.getCause() instanceof PolicyViolationException
                    || e.getCause() instanceof RetriableException)
        .until(() -> kafkaAdmin.deleteRecords(ends).all().get() == null);
  }

  @Override
  public void close() throws Exception {
    for (AutoCloseable resource : opened) {
      resource.close();
    }
  }
}
