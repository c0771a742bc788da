package io.indexview.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.indexview.client.admin.PublishedValues.ValuesUnknownException;
import io.indexview.client.write.Writer;
import io.indexview.client.write.WriterConfig;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.open.KvStores;
import io.indexview.schemas.registry.SchemaRegistries;
import io.indexview.schemas.registry.SchemaRegistry;
import java.lang.management.ManagementFactory;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.management.AttributeNotFoundException;
import javax.management.InstanceNotFoundException;
import javax.management.ObjectName;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The KV store source as Connect handles it: exactly once, offsets by REST, metrics in JMX. */
@Timeout(600)
class KvSourceContractIT {
  private static final String CONNECTOR = "notes-source";
  private static final String TOPIC = "indexview.changes.notes";
  private static final int PARTITIONS = 2;
  private static final int NOTES = 50;
  private static final Duration TIMEOUT = Duration.ofMinutes(2);

  @TempDir private Path directory;

  private final HttpClient http = HttpClient.newHttpClient();
  private LocalStack stack;

  @Test
  void publishesOnceAndAgainWhenItsOffsetIsReset() throws Exception {
    StackConfig parts =
        StackConfig.builder()
            .dataDirectory(directory.resolve("data"))
            .parts(PartName.BROKER, PartName.CONNECT)
            .build();
    try (LocalStack started = LocalStack.start(parts);
        KvStore store = KvStores.open("embedded:" + directory.resolve("store"))) {
      stack = started;
      stack.createChangeTopics(List.of("notes"), PARTITIONS);
      IntStream.range(0, NOTES).forEach(number -> store.put(note(number), text("a note")));
      stack.connect().put(CONNECTOR, config());
      awaitScans();
      assertThat(committed()).isEqualTo(NOTES);

      refusesATopicThatIsMissing();
      resetOffset();
      awaitScans();
      assertThat(committed()).isEqualTo(2 * NOTES);

      writesInTheFormatThatTheSourceSays(store);
    }
  }

  private void writesInTheFormatThatTheSourceSays(KvStore store) throws Exception {
    WriterConfig config = new WriterConfig("notes", KvKey.ofMajor("notes"), TOPIC, "1", "it", 10);
    try (SchemaRegistry registry =
            SchemaRegistries.create(Map.of("schema.registry.url", stack.registryUrl().toString()));
        Writer writer = Writer.connect(store, config, kafka(), stack.topics(), registry)) {
      GenericRecord written = new GenericData.Record(writer.schema());
      written.put("value", "written");
      writer.put(note(NOTES), written).token();

      assertThat(store.get(note(NOTES)).orElseThrow().value()).isEqualTo(text("written"));
      assertThatExceptionOfType(ValuesUnknownException.class)
          .isThrownBy(
              () ->
                  Writer.connect(
                      store,
                      new WriterConfig(
                          "other",
                          KvKey.ofMajor("other"),
                          "indexview.changes.other",
                          "1",
                          "it",
                          10),
                      kafka(),
                      stack.topics(),
                      registry));
    }
    // A scan that is under way may find it before its event comes.
    assertThat(committed()).isBetween(2 * NOTES + 1, 2 * NOTES + 2);
  }

  private static KvKey note(int number) {
    return KvKey.ofMajor("notes", Integer.toString(number));
  }

  private static byte[] text(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private Map<String, Object> kafka() {
    return Map.of("bootstrap.servers", stack.bootstrapServers());
  }

  private Map<String, String> config() {
    Map<String, String> config = new HashMap<>();
    config.put("connector.class", "io.indexview.connect.kvstore.source.KvStoreSourceConnector");
    config.put("tasks.max", "3");
    config.put("exactly.once.support", "required");
    config.put("key.converter", "org.apache.kafka.connect.storage.StringConverter");
    config.put("value.converter", "io.indexview.connect.common.avro.AvroConverter");
    config.put("value.converter.schema.registry.url", stack.registryUrl().toString());
    config.put("schema.registry.url", stack.registryUrl().toString());
    config.put("kafka.bootstrap.servers", stack.bootstrapServers());
    config.put("source.name", "notes");
    config.put("kvstore.uri", "embedded:" + directory.resolve("store"));
    config.put("index.dir", directory.resolve("index").toString());
    config.put("scan.interval.ms", "200");
    config.put("scan.max.time.percent", "100");
    // Two complete scans are waited for.
    config.put("capture.mode", "scan");
    config.put("preflight.timeout.ms", "60000");
    config.put("record.sets", "notes");
    config.put("record.set.notes.prefix", "/notes");
    config.put("record.set.notes.value.format", "string");
    return config;
  }

  /** Two complete scans of the task that runs now: the second one publishes what is left over. */
  private void awaitScans() throws Exception {
    Poll.until(
        () -> scans() >= 2 ? Optional.of(true) : Optional.empty(),
        TIMEOUT,
        () -> new IllegalStateException("no two scans in the task's metrics"));
  }

  /** 0 while no task has this metric: it registers them one after the other, and ends with them. */
  private static double scans() throws Exception {
    ObjectName name =
        new ObjectName(
            "kafka.connect:type=plugins,connector=" + CONNECTOR + ",task=0,record-set=notes");
    try {
      return (double) ManagementFactory.getPlatformMBeanServer().getAttribute(name, "scans-total");
    } catch (InstanceNotFoundException | AttributeNotFoundException e) {
      return 0;
    }
  }

  /** Of all transactions that were begun before: their ends come to the topic after the answer. */
  private int committed() throws Exception {
    Map<String, Object> settings = new HashMap<>(kafka());
    settings.put("isolation.level", "read_committed");
    List<TopicPartition> partitions =
        IntStream.range(0, PARTITIONS).mapToObj(i -> new TopicPartition(TOPIC, i)).toList();
    try (Consumer<byte[], byte[]> consumer =
        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
      consumer.assign(partitions);
      consumer.seekToBeginning(partitions);
      Map<TopicPartition, Long> ends = ends(partitions);
      int count = 0;
      while (ends.entrySet().stream().anyMatch(e -> consumer.position(e.getKey()) < e.getValue())) {
        count += consumer.poll(Duration.ofMillis(100)).count();
      }
      return count;
    }
  }

  /** High watermarks, which are behind what is not committed yet. */
  private Map<TopicPartition, Long> ends(List<TopicPartition> partitions) throws Exception {
    try (Admin admin = Admin.create(kafka())) {
      return admin
          .listOffsets(
              partitions.stream().collect(Collectors.toMap(it -> it, it -> OffsetSpec.latest())))
          .all()
          .get()
          .entrySet()
          .stream()
          .collect(Collectors.toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }
  }

  private void refusesATopicThatIsMissing() throws Exception {
    HttpResponse<String> answer =
        send(
            "PUT",
            "/connector-plugins/KvStoreSourceConnector/config/validate",
            "{\"connector.class\":\"KvStoreSourceConnector\",\"name\":\"x\"," + asJson() + "}");

    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body())
        .contains("\"error_count\":1,", "topic indexview.changes.nowhere does not exist");
  }

  private String asJson() {
    Map<String, String> config = config();
    config.remove("connector.class");
    config.put("record.set.notes.topic", "indexview.changes.nowhere");
    return String.join(
        ",",
        config.entrySet().stream()
            .map(entry -> "\"%s\":\"%s\"".formatted(entry.getKey(), entry.getValue()))
            .toList());
  }

  private void resetOffset() throws Exception {
    assertThat(send("PUT", "/connectors/" + CONNECTOR + "/stop", "").statusCode()).isEqualTo(204);
    Poll.until(
        () -> {
          HttpResponse<String> wrong = patch("7", "{\"scan\":0}");
          return wrong.body().contains("STOPPED state") ? Optional.empty() : Optional.of(wrong);
        },
        TIMEOUT,
        () -> new IllegalStateException("the connector does not stop"));
    HttpResponse<String> refused = patch("7", "{\"scan\":0}");
    assertThat(refused.statusCode()).isGreaterThanOrEqualTo(400);
    assertThat(refused.body()).contains("sourcePartition: 7; there is only 0");

    HttpResponse<String> reset = patch("0", "null");
    assertThat(reset.statusCode()).as(reset.body()).isEqualTo(200);
    // The worker does not wait for a task that is slow to end, and its scans are not the next
    // one's.
    Poll.until(
        () -> scans() == 0 ? Optional.of(true) : Optional.empty(),
        TIMEOUT,
        () -> new IllegalStateException("the task does not end"));
    assertThat(send("PUT", "/connectors/" + CONNECTOR + "/resume", "").statusCode()).isEqualTo(202);
  }

  /** The fields in another order than the connector's. */
  private HttpResponse<String> patch(String sourcePartition, String offset) throws Exception {
    return send(
        "PATCH",
        "/connectors/" + CONNECTOR + "/offsets",
        """
        {"offsets":[{"partition":{"topic":"%s","sourcePartition":"%s","source":"notes"},"offset":%s}]}"""
            .formatted(TOPIC, sourcePartition, offset));
  }

  /** Asks again while the worker's group rebalances. */
  private HttpResponse<String> send(String method, String path, String body) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(stack.connect().url().resolve(path))
            .method(method, BodyPublishers.ofString(body))
            .header("Content-Type", "application/json")
            .timeout(TIMEOUT)
            .build();
    return Poll.until(
        () -> {
          HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
          return answer.statusCode() == 409 ? Optional.empty() : Optional.of(answer);
        },
        TIMEOUT,
        () -> new IllegalStateException("the worker's group still rebalances"));
  }
}
