package io.indexview.cli.load;

import static org.assertj.core.api.Assertions.assertThat;

import io.indexview.cli.demo.AppProcess;
import io.indexview.client.admin.ViewAdmin;
import io.indexview.client.verify.PrimaryRecord;
import io.indexview.client.verify.Verification;
import io.indexview.client.write.ValueCodec;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvStore;
import io.indexview.local.LocalStack;
import io.indexview.local.StackConfig;
import io.indexview.local.pipeline.Pipeline;
import io.indexview.local.pipeline.PipelineSpec;
import io.indexview.schemas.change.EnvelopeWriter;
import io.indexview.schemas.change.Op;
import io.indexview.schemas.change.Origin;
import io.indexview.schemas.change.SourceVersion;
import io.indexview.schemas.control.BuildMode;
import io.indexview.schemas.control.ViewState;
import io.indexview.schemas.control.ViewWish;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import io.indexview.schemas.serde.AvroSerializer;
import io.indexview.views.definition.ViewGeneration;
import java.nio.charset.StandardCharsets;
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
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The state of the app is wrong: a record is missing there, another one stands that nobody ever
 * wrote. Each kind of rebuild that does not trust it makes the view right, while the generation
 * before serves. A record of a producer that is no source survives all of them.
 */
@Timeout(600)
@TestInstance(Lifecycle.PER_CLASS)
class RebuildModesIT {
  private static final int RECORDS = 300;
  private static final Duration PATIENCE = Duration.ofMinutes(2);
  private static final String VIEW = "orders-by-customer";
  private static final String DEFINITION =
      """
      {"name": "%s", "source": "orders", "kind": "index", "key": ["customer"],
       "include": ["amount"], "target": "kv", "layout": "key-value"}
      """
          .formatted(VIEW);
  private static final String ELSEWHERE = "/Elsewhere/orders/1";

  private final SplittableRandom random = new SplittableRandom(1);
  private final GenericRecord elsewhere = Orders.random(random);
  private final Deque<AutoCloseable> opened = new ArrayDeque<>();
  private Path directory;
  private LocalStack stack;
  private Pipeline pipeline;
  private KvStore store;
  private SchemaRegistry registry;
  private ViewAdmin admin;

  @BeforeAll
  void start(@TempDir Path temporary) throws Exception {
    directory = temporary;
    StackConfig config = StackConfig.builder().dataDirectory(directory.resolve("data")).build();
    Path views = Files.createDirectories(directory.resolve("views"));
    Files.writeString(views.resolve("orders.json"), DEFINITION);
    Path logs = Files.createDirectories(Path.of("target", "rebuild-modes"));
    PipelineSpec spec =
        new PipelineSpec(List.of(Orders.spec()), Pattern.compile("(?<fileId>.*)"), views);
    stack = keep(LocalStack.start(config));
    pipeline = keep(Pipeline.deploy(stack, spec, AppProcess.launcher(logs), line -> {}));
    store = keep(stack.openKvStore());
    registry =
        keep(
            SchemaRegistries.create(Map.of("schema.registry.url", stack.registryUrl().toString())));
    admin = keep(ViewAdmin.connect(kafka(), stack.config().topics(), registry, Clock.systemUTC()));
    try (Writer writer = writer()) {
      for (int number = 0; number < RECORDS; number++) {
        writer.put(Orders.key(number), Orders.random(random));
      }
      writer.flush();
    }
    writeElsewhere();
    pipeline.settle(PATIENCE);
    assertThat(verify().exact()).isTrue();
  }

  @AfterAll
  void stop() throws Exception {
    for (AutoCloseable resource : opened) {
      resource.close();
    }
  }

  private <T extends AutoCloseable> T keep(T resource) {
    opened.push(resource);
    return resource;
  }

  private Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  private String changes() {
    return stack.config().topics().changes(Orders.NAME);
  }

  private Writer writer() {
    WriterConfig config =
        new WriterConfig(
            Orders.NAME,
            Orders.PREFIX,
            changes(),
            WriterConfig.DEFAULT_INCARNATION,
            "rebuilds",
            WriterConfig.DEFAULT_MOST_IN_FLIGHT);
    return Writer.connect(store, config, ValueCodec.avro(Orders.SCHEMA), kafka(), registry);
  }

  /** An order that is not in the store. */
  private void writeElsewhere() {
    GenericRecord event =
        new EnvelopeWriter(
                Orders.SCHEMA, new EnvelopeWriter.SourceInfo("elsewhere", "elsewhere", "1"))
            .write(
                Op.CREATE,
                System.currentTimeMillis(),
                0,
                new Origin.Told(new SourceVersion("elsewhere", new byte[] {1})),
                elsewhere);
    byte[] value = new AvroSerializer<GenericRecord>(registry, false).serialize(changes(), event);
    try (KafkaProducer<byte[], byte[]> producer =
        new KafkaProducer<>(kafka(), new ByteArraySerializer(), new ByteArraySerializer())) {
      producer.send(
          new ProducerRecord<>(changes(), ELSEWHERE.getBytes(StandardCharsets.UTF_8), value));
    }
  }

  private ViewGeneration serving() {
    return ViewGeneration.fromJson(
        admin.get(VIEW).state().flatMap(ViewState::serving).orElseThrow().description());
  }

  private Verification verify() {
    return Orders.verify(store, serving(), new PrimaryRecord(ELSEWHERE, elsewhere));
  }

  /** While the app does not run: it knows one record less, and another one that is not. */
  private void damageTheState(int record) throws Exception {
    pipeline.app().close();
    LocalState.under(directory.resolve("data"), "records-" + Orders.NAME)
        .exchange(Orders.key(record), Orders.key(RECORDS + record));
    pipeline.startApp();
  }

  /** Rebuilds the view, which serves all the time, and returns what is wrong with it then. */
  private Verification rebuild(BuildMode mode) throws Exception {
    int before = serving().number();
    ViewWish wish = admin.rebuild(VIEW, mode, OptionalLong.empty());
    Set<String> seen = new TreeSet<>();
    admin.awaitReady(
        VIEW,
        OptionalLong.of(wish.version()),
        PATIENCE,
        status ->
            seen.add(
                status.phase()
                    + " "
                    + status.state().flatMap(ViewState::serving).orElseThrow().number()));
    assertThat(seen).isSubsetOf("READY " + before, "READY " + (before + 1));
    pipeline.settle(PATIENCE);
    assertThat(serving().number()).isEqualTo(before + 1);
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
  void buildsFromAResnapshotWhatTheStateLost() throws Exception {
    damageTheState(8);

    Verification found = rebuild(BuildMode.RESNAPSHOT);

    assertThat(found.exact()).as("%s", found).isTrue();
  }

  @Test
  void buildsFromAReplayWhatTheStateLost() throws Exception {
    damageTheState(9);

    Verification replayed = rebuild(BuildMode.REPLAY);

    assertThat(replayed.exact()).as("%s", replayed).isTrue();
    assertThat(rebuild(BuildMode.STATE).exact()).as("the state is right again").isTrue();
  }
}
