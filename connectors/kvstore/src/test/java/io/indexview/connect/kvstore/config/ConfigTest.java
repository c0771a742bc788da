package io.indexview.connect.kvstore.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.kvstore.config.CaptureFragment.CaptureMode;
import io.indexview.connect.kvstore.sink.KvStoreSinkConnector;
import io.indexview.connect.kvstore.sink.KvStoreSinkTask;
import io.indexview.connect.kvstore.source.KvStoreSourceConnector;
import io.indexview.connect.kvstore.source.KvStoreSourceTask;
import io.indexview.kvstore.KvKey;
import io.indexview.kvstore.KvStore;
import io.indexview.kvstore.value.ValueConfig;
import io.indexview.schemas.Topics;
import io.indexview.schemas.serde.ControlSchemas;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.sink.SinkConnector;
import org.apache.kafka.connect.source.SourceConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ConfigTest {
  private static final String SCHEMA =
      "{\"type\":\"record\",\"name\":\"P\",\"fields\":[{\"name\":\"a\",\"type\":\"string\"}]}";

  @TempDir private Path directory;

  static List<ConfigDef> definitions() {
    return List.of(
        KvStoreSourceConfig.definition(Map.of("record.sets", "people")),
        KvStoreSinkConfig.definition());
  }

  @ParameterizedTest
  @CsvSource({
    "/IDX, IDX|META, true",
    "/IDX/airports, IDX|META, true",
    "/META/x, IDX|META, true",
    "/META-history, IDX|META, true",
    "/IDX-owner/airports, IDX|META, true",
    "/Corporate/people, IDX|Corporate, true",
    "/Corporate/people, IDX|META, false",
    "/IDXX, IDX|META, false",
    "/IDX, '', false"
  })
  void refusesRecordSetsAmongTheKeysOfViews(String prefix, String prefixes, boolean refused) {
    Map<String, String> config = source();
    config.put("record.sets", "people");
    config.keySet().removeIf(key -> key.startsWith("record.set.orders."));
    config.put("record.set.people.prefix", prefix);
    config.put("view.prefixes", prefixes.replace('|', ','));

    Map<String, List<String>> errors = errors(KvStoreSourceConfig.validate(config));

    if (refused) {
      assertThat(errors).containsOnlyKeys("record.set.people.prefix");
      assertThat(errors.get("record.set.people.prefix"))
          .singleElement()
          .asString()
          .contains(prefix, "view.prefixes", "prefix of the primary records");
    } else {
      assertThat(errors).isEmpty();
    }
  }

  @Test
  void opensTheStoreToWriteWithADurabilityThatExists() throws Exception {
    Map<String, String> config = new HashMap<>(sample("kvstore-sink.properties"));
    config.put("kvstore.uri", "embedded:" + directory);
    config.put("kvstore.durability", "none");
    assertThat(errors(KvStoreSinkConfig.validate(config)).get("kvstore.durability"))
        .singleElement()
        .asString()
        .contains("sync, write_no_sync");

    for (String durability : List.of("sync", "write_no_sync")) {
      config.put("kvstore.durability", durability);
      assertThat(errors(KvStoreSinkConfig.validate(config))).isEmpty();
      try (KvStore store = new KvStoreSinkConfig(config).store().openWriter()) {
        store.put(KvKey.ofMajor("a"), new byte[0]);
        assertThat(store.get(KvKey.ofMajor("a"))).isPresent();
      }
    }
  }

  @ParameterizedTest
  @MethodSource("definitions")
  void givesEveryKeyGroupDisplayAndDocAndNoSecretAsText(ConfigDef definition) {
    assertThat(definition.configKeys().values())
        .isNotEmpty()
        .allSatisfy(
            key -> {
              assertThat(key.group).as(key.name).isNotBlank();
              assertThat(key.displayName).as(key.name).isNotBlank();
              assertThat(key.documentation).as(key.name).isNotBlank().doesNotContain("\n");
              if (key.name.matches(".*(password|secret|token|user\\.info).*")) {
                assertThat(key.type).as(key.name).isEqualTo(ConfigDef.Type.PASSWORD);
              }
            });
  }

  @Test
  void takesTheSampleOfTheSource() throws IOException {
    Map<String, String> sample = sample("kvstore-source.properties");
    Path schema = Files.writeString(directory.resolve("p.avsc"), SCHEMA);
    sample.replaceAll((key, value) -> key.endsWith("schema.file") ? schema.toString() : value);
    sample.put(ScanFragment.INDEX_DIR_CONFIG, directory.toString());

    assertThat(errors(KvStoreSourceConfig.validate(sample))).isEmpty();
    KvRecordSet people = new KvStoreSourceConfig(sample).recordSets().recordSet("people");
    assertThat(people.topic()).isEqualTo("indexview.changes.people");
    assertThat(people.prefix().major()).containsExactly("Corporate", "people");
  }

  @Test
  void takesTheSampleOfTheSink() throws IOException {
    Map<String, String> sample = sample("kvstore-sink.properties");

    assertThat(errors(KvStoreSinkConfig.validate(sample))).isEmpty();
    assertThat(sample.get("topics.regex"))
        .isEqualTo(new Topics(sample.get("topic.prefix")).sinkPattern("kv"));
  }

  @Test
  void saysEverythingThatIsWrongWithASourceAtOnce() {
    Map<String, String> config = source();
    config.put("kvstore.uri", "http://localhost");
    config.put("record.set.people.prefix", "/Corporate/-/people");
    config.put("record.set.people.schema", "{\"type\":\"string\"}");
    config.put("record.set.people.topic", "a/b");
    config.put("record.set.orders.schema.file", directory.resolve("none.avsc").toString());
    config.put("scan.interval.ms", "0");
    config.remove("source.name");

    assertThat(errors(KvStoreSourceConfig.validate(config)))
        .containsOnlyKeys(
            "kvstore.uri",
            "record.set.people.prefix",
            "record.set.people.schema",
            "record.set.people.topic",
            "record.set.orders.schema.file",
            "scan.interval.ms",
            "source.name");
  }

  @Test
  void blamesKeysThatDoNotGoTogether() {
    Map<String, String> config = source();
    config.put("kvstore.uri", "oracle://localhost:9/store");
    config.remove("record.set.people.schema");
    config.put("record.set.orders.topic", "indexview.changes.people");
    config.put("kvstore.security.file", directory.resolve("none").toString());
    config.put("kvstore.server.jars", directory.resolve("nowhere").toString());

    Map<String, List<String>> errors = errors(KvStoreSourceConfig.validate(config));
    assertThat(errors)
        .containsOnlyKeys(
            "record.set.people.schema",
            "record.set.orders.topic",
            "kvstore.security.file",
            "kvstore.server.jars");
    assertThat(errors.get("record.set.orders.topic").get(0)).contains("record set people");
    assertThatThrownBy(() -> new KvStoreSourceConnector().start(config))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("record.set.people.schema")
        .hasMessageContaining("kvstore.security.file");
  }

  @Test
  void followsChangesWhereTheStoreCanUnlessConfiguredOtherwise() {
    Map<String, String> config = source();
    CaptureFragment capture = new KvStoreSourceConfig(config).capture();
    assertThat(capture.mode()).isEqualTo(CaptureMode.AUTO);
    assertThat(capture.scanInterval()).hasHours(6);

    config.put("capture.mode", "scan");
    assertThat(new KvStoreSourceConfig(config).capture().mode()).isEqualTo(CaptureMode.SCAN);
    config.put("capture.mode", "sometimes");
    config.put("capture.delay.ms", "-1");
    assertThat(errors(KvStoreSourceConfig.validate(config)))
        .containsOnlyKeys("capture.mode", "capture.delay.ms");
  }

  @Test
  void refusesRecordSetsThatShareKeys() {
    Map<String, String> config = source();
    config.put("record.set.orders.prefix", "/Corporate");

    assertThat(errors(KvStoreSourceConfig.validate(config)).get("record.set.orders.prefix"))
        .singleElement()
        .asString()
        .contains("/Corporate", "record set people (/Corporate/people)", "minor keys");

    config.put("record.set.orders.minor.keys", "/-/orders");
    config.put("record.set.people.minor.keys", "/-/contact, /-");
    assertThat(errors(KvStoreSourceConfig.validate(config))).isEmpty();
    assertThat(new KvStoreSourceConfig(config).recordSets().recordSet("people").scope().minors())
        .containsExactly("/-", "/-/contact");

    config.put("record.set.people.minor.keys", "contact");
    assertThat(errors(KvStoreSourceConfig.validate(config)))
        .containsOnlyKeys("record.set.people.minor.keys");
  }

  /** Without the minor keys all records would be published. */
  @Test
  void refusesKeysOfRecordSetsThatMeanNothing() {
    Map<String, String> config = source();
    config.put("record.set.people.minor.key", "/-/contact");
    config.put("record.set.poeple.minor.keys", "/-/contact");

    Map<String, List<String>> errors = errors(KvStoreSourceConfig.validate(config));
    assertThat(errors)
        .containsOnlyKeys("record.set.people.minor.key", "record.set.poeple.minor.keys");
    assertThat(errors.get("record.set.people.minor.key").get(0))
        .contains("minor.keys, prefix", "[people, orders]");
  }

  @Test
  void refusesWhatOnlyAnOracleStoreTakesForOthers() throws IOException {
    Map<String, String> config = source();
    Path file = Files.writeString(directory.resolve("login.properties"), "");
    config.put("kvstore.security.file", file.toString());
    config.put("kvstore.server.jars", directory.toString());
    for (String uri : List.of("embedded:/data", "remote://localhost:9")) {
      config.put("kvstore.uri", uri);
      Map<String, List<String>> errors = errors(KvStoreSourceConfig.validate(config));
      assertThat(errors).containsOnlyKeys("kvstore.security.file", "kvstore.server.jars");
      assertThat(errors.get("kvstore.security.file").get(0)).contains(uri, "leave it out");
    }
    config.put("preflight.timeout.ms", "0");
    config.put("kvstore.uri", "oracle://localhost:9/store");
    assertThat(errors(KvStoreSourceConfig.validate(config))).isEmpty();
  }

  @Test
  void refusesARecordSchemaThatNoEventCanHave() {
    Map<String, String> config = source();
    config.put(
        "record.set.people.schema",
        """
        {"type": "record", "name": "Person", "fields": [{"name": "nothing", "type": "null"}]}""");

    Map<String, List<String>> errors = errors(KvStoreSourceConfig.validate(config));
    assertThat(errors).containsOnlyKeys("record.set.people.schema");
    assertThat(errors.get("record.set.people.schema").get(0)).contains("Person", "null", "union");
  }

  @Test
  void takesEachValueFormatWithWhatItNeeds() throws IOException {
    Path old = Files.writeString(directory.resolve("old.avsc"), SCHEMA);
    Map<String, String> config = source();
    for (String format : List.of("avro", "avro_registry", "json")) {
      config.put("record.set.people.value.format", format);
      assertThat(errors(KvStoreSourceConfig.validate(config))).isEmpty();
    }
    config.put("record.set.people.value.format", "avro_store");
    config.put("record.set.people.store.schemas", "1:" + old + ", 12:" + old);
    assertThat(errors(KvStoreSourceConfig.validate(config))).isEmpty();
    assertThat(values(config).storeSchemas()).containsOnlyKeys(1, 12);

    config.remove("record.set.people.store.schemas");
    config.remove("record.set.people.schema");
    config.put("record.set.people.value.format", "string");
    assertThat(errors(KvStoreSourceConfig.validate(config))).isEmpty();
    assertThat(values(config).schema()).isEqualTo(ControlSchemas.STRING_RECORD);
    config.put("record.set.people.value.format", "bytes");
    assertThat(values(config).schema()).isEqualTo(ControlSchemas.BYTES_RECORD);
  }

  @Test
  void saysWhatAValueFormatLacksOrDoesNotTake() throws IOException {
    Map<String, String> config = source();
    config.put("record.set.people.value.format", "string");
    config.put("record.set.orders.value.format", "avro_store");
    assertThat(errors(KvStoreSourceConfig.validate(config)))
        .containsOnlyKeys("record.set.people.schema", "record.set.orders.store.schemas");

    Path other =
        Files.writeString(directory.resolve("other.avsc"), SCHEMA.replace("\"a\"", "\"surname\""));
    config.put("record.set.people.value.format", "json");
    config.put("record.set.people.store.schemas", "1:" + other);
    config.put("record.set.orders.store.schemas", "7:" + other);
    Map<String, List<String>> errors = errors(KvStoreSourceConfig.validate(config));
    assertThat(errors)
        .containsOnlyKeys("record.set.people.store.schemas", "record.set.orders.store.schemas");
    assertThat(errors.get("record.set.orders.store.schemas").get(0)).contains("schema 7", "a");

    for (String wrong : List.of("p.avsc", "0:p.avsc", "1:nowhere.avsc", "1:" + other + ",1:x")) {
      config.put("record.set.orders.store.schemas", wrong);
      assertThat(errors(KvStoreSourceConfig.validate(config)))
          .containsKey("record.set.orders.store.schemas");
    }
  }

  private static ValueConfig values(Map<String, String> config) {
    return new KvStoreSourceConfig(config).recordSets().recordSet("people").values();
  }

  @Test
  void refusesASinkThatReadsWhatIsNotCommitted() {
    Map<String, String> config = Map.of("kvstore.uri", "embedded:/data");

    assertThat(errors(KvStoreSinkConfig.validate(config)))
        .containsOnlyKeys(
            "consumer.override.isolation.level", "consumer.override.partition.assignment.strategy");
  }

  @Test
  void refusesASinkThatDoesNotLearnOfStates() {
    Map<String, String> config =
        Map.of(
            "kvstore.uri",
            "embedded:/data",
            "consumer.override.isolation.level",
            "read_committed",
            "consumer.override.partition.assignment.strategy",
            CooperativeStickyAssignor.class.getName(),
            "topics.regex",
            "indexview\\.view\\.kv\\..+",
            "metadata.prefixes",
            "");

    assertThat(errors(KvStoreSinkConfig.validate(config))).containsOnlyKeys("metadata.prefixes");
    Map<String, String> withDefault = new HashMap<>(config);
    withDefault.put("metadata.prefixes", "META,/a,META-history");
    assertThat(errors(KvStoreSinkConfig.validate(withDefault)).get("metadata.prefixes"))
        .satisfiesExactly(
            history -> assertThat(history).contains("META-history belongs to the metadata"),
            slash ->
                assertThat(slash).startsWith("\"/a\" is no metaPrefix of a view; use 1 to 32"));
    withDefault.remove("metadata.prefixes");
    assertThat(errors(KvStoreSinkConfig.validate(withDefault))).containsOnlyKeys("topics.regex");
    assertThatThrownBy(() -> new KvStoreSinkConnector().start(withDefault))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("indexview.view-states");
  }

  @Test
  void spreadsRecordSetsOverTasks() {
    KvStoreSourceConnector connector = new KvStoreSourceConnector();
    connector.start(source());

    assertThat(connector.taskConfigs(5))
        .extracting(config -> config.get("task.record.sets"))
        .containsExactly("people", "orders");
    assertThat(connector.taskConfigs(1))
        .extracting(config -> config.get("task.record.sets"))
        .containsExactly("people,orders");
  }

  @Property
  void givesEachRecordSetToOneTaskHoweverManyThereAre(
      @ForAll @IntRange(min = 1, max = 12) int sets,
      @ForAll @IntRange(min = 1, max = 20) int tasks) {
    List<String> names = IntStream.range(0, sets).mapToObj(i -> "set" + i).toList();
    Map<String, String> config = new HashMap<>();
    config.put("schema.registry.url", "mock://config");
    config.put("source.name", "s");
    config.put("kvstore.uri", "embedded:/data");
    config.put("index.dir", "/index");
    config.put("kafka.bootstrap.servers", "localhost:9092");
    config.put("record.sets", String.join(",", names));
    for (String name : names) {
      config.put("record.set." + name + ".prefix", "/" + name);
      config.put("record.set." + name + ".schema", SCHEMA);
    }
    KvStoreSourceConnector connector = new KvStoreSourceConnector();
    connector.start(config);

    List<List<String>> given =
        connector.taskConfigs(tasks).stream()
            .map(task -> List.of(task.get("task.record.sets").split(",")))
            .toList();

    assertThat(given).hasSize(Math.min(sets, tasks));
    assertThat(given.stream().flatMap(List::stream)).containsExactlyInAnyOrderElementsOf(names);
    assertThat(given)
        .allSatisfy(
            own ->
                assertThat(own.size())
                    .isBetween(sets / given.size(), (sets + given.size() - 1) / given.size()));
  }

  @Test
  void isFoundByServiceLoading() {
    assertThat(ServiceLoader.load(SourceConnector.class).stream().map(ServiceLoader.Provider::type))
        .contains(KvStoreSourceConnector.class);
    assertThat(ServiceLoader.load(SinkConnector.class).stream().map(ServiceLoader.Provider::type))
        .contains(KvStoreSinkConnector.class);
    assertThat(new KvStoreSourceTask().version()).isEqualTo(new KvStoreSinkTask().version());
  }

  private Map<String, String> source() {
    Map<String, String> config = new HashMap<>();
    config.put("schema.registry.url", "mock://config");
    config.put("source.name", "people-store");
    config.put("kvstore.uri", "embedded:/data");
    config.put("index.dir", directory.toString());
    config.put("kafka.bootstrap.servers", "localhost:9092");
    config.put("record.sets", "people, orders");
    config.put("record.set.people.prefix", "/Corporate/people");
    config.put("record.set.people.schema", SCHEMA);
    config.put("record.set.orders.prefix", "/Corporate/orders");
    config.put("record.set.orders.schema", SCHEMA);
    return config;
  }

  private static Map<String, List<String>> errors(Config config) {
    Map<String, List<String>> errors = new HashMap<>();
    for (ConfigValue value : config.configValues()) {
      if (!value.errorMessages().isEmpty()) {
        errors.put(value.name(), value.errorMessages());
      }
    }
    return errors;
  }

  private static Map<String, String> sample(String name) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of("src/main/etc", name))) {
      properties.load(reader);
    }
    Map<String, String> sample = new HashMap<>();
    properties.forEach((key, value) -> sample.put((String) key, (String) value));
    return sample;
  }
}
