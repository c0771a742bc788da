package io.indexview.connect.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.connect.common.source.Scans;
import io.indexview.connect.s3.listing.ListingOffset;
import io.indexview.schemas.control.SourceState.Scan;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.ServiceLoader;
import java.util.stream.Stream;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.source.ExactlyOnceSupport;
import org.apache.kafka.connect.source.SourceConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class S3SourceConnectorTest {
  private static final ListingOffset COMPLETE =
      new ListingOffset(
          "topic-1",
          Scans.NONE.and(
              new Scan(1, 2, 3, 4, false, 0, Optional.empty(), Map.of(0, 0L), Map.of(0, 9L))));

  private final S3SourceConnector connector = new S3SourceConnector();

  private static Map<String, String> sample() throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(Path.of("src/main/etc/s3-source.properties"))) {
      properties.load(reader);
    }
    Map<String, String> sample = new HashMap<>();
    properties.forEach((key, value) -> sample.put((String) key, (String) value));
    // The servers that it names are not there.
    sample.put("preflight.timeout.ms", "0");
    return sample;
  }

  /**
   * The sample, changed.
   *
   * @param changes keys, each with its value
   */
  private static Map<String, String> sampleWith(String... changes) throws IOException {
    Map<String, String> properties = sample();
    for (int i = 0; i < changes.length; i += 2) {
      properties.put(changes[i], changes[i + 1]);
    }
    return properties;
  }

  /** What is wrong with the sample, so changed. */
  private Map<String, String> errorsWith(String... changes) throws IOException {
    return errors(connector.validate(sampleWith(changes)));
  }

  @Test
  void takesTheSampleProperties() throws IOException {
    assertThat(connector.validate(sample()).configValues())
        .allSatisfy(value -> assertThat(value.errorMessages()).isEmpty());
  }

  @Test
  void describesEveryKey() {
    assertThat(connector.config().configKeys().values())
        .allSatisfy(
            key -> {
              assertThat(key.group).as(key.name).isNotBlank();
              assertThat(key.displayName).as(key.name).isNotBlank();
              assertThat(key.documentation).as(key.name).isNotBlank();
              assertThat(key.name).doesNotStartWith("task.");
              if (key.name.contains("secret")) {
                assertThat(key.type).isEqualTo(ConfigDef.Type.PASSWORD);
              }
            });
  }

  @Test
  void wantsAnIndexAndBucketsForPeriodicListings() throws IOException {
    assertThat(errorsWith("s3.listing.interval.ms", "1000", "s3.buckets", ""))
        .containsOnlyKeys("index.dir", "s3.listing.interval.ms");
    assertThat(errorsWith("s3.listing.interval.ms", "1000", "index.dir", "pom.xml"))
        .hasEntrySatisfying("index.dir", error -> assertThat(error).contains("no directory"));
  }

  @Test
  void wantsAnIndexForWhateverHasNoSequencer() throws IOException {
    assertThat(errorsWith("s3.sequencers", "ignore").get("index.dir")).contains("s3.sequencers");
    assertThat(errorsWith("s3.metadata.read.events", "ObjectRestore").get("index.dir"))
        .contains("s3.metadata.read.events");
  }

  @ParameterizedTest
  @ValueSource(strings = {"s3:ObjectTagging:*", "ObjectTagging:*", "ObjectTagging,,ObjectRestore"})
  void refusesTypesOfEventsThatStandInNoEvent(String types) throws IOException {
    assertThat(errorsWith("s3.metadata.read.events", types, "index.dir", "target"))
        .containsOnlyKeys("s3.metadata.read.events")
        .hasEntrySatisfying(
            "s3.metadata.read.events", error -> assertThat(error).contains("not s3:ObjectTagging"));
    assertThat(
            errorsWith(
                "s3.metadata.read.events", "ObjectTagging, Object Tags", "index.dir", "target"))
        .isEmpty();
  }

  @ParameterizedTest
  @ValueSource(strings = {"photos-abc-s3alias", "photos--use1-az4--x-s3"})
  void refusesWhatEventsDoNotNameAsTheirBucket(String name) throws IOException {
    assertThat(errorsWith("s3.buckets", "documents," + name))
        .containsOnlyKeys("s3.buckets")
        .hasEntrySatisfying("s3.buckets", error -> assertThat(error).contains(name));
    assertThat(errorsWith("s3.buckets", name, "s3.endpoint", "http://minio.example:9000"))
        .as("another server may have a bucket of the name")
        .isEmpty();
  }

  @Test
  void wantsTheRegionOfTheQueue() throws IOException {
    assertThat(errorsWith("aws.region", "us-east-1"))
        .containsOnlyKeys("aws.region")
        .hasEntrySatisfying("aws.region", error -> assertThat(error).contains("eu-central-1"));
    assertThat(
            errorsWith(
                "aws.region",
                "cn-north-1",
                "sqs.queue.url",
                "https://sqs.cn-northwest-1.amazonaws.com.cn/123456789012/file-events"))
        .containsOnlyKeys("aws.region");
    assertThat(errorsWith("aws.region", "us-east-1", "sqs.endpoint", "https://vpce.example"))
        .isEmpty();
    assertThat(errorsWith("aws.region", "a", "sqs.queue.url", "http://localhost:9324/0/events"))
        .isEmpty();
  }

  @Test
  void triesTheConfigurationOutWhenItIsSubmitted() throws IOException {
    String nowhere = "http://127.0.0.1:1";
    Map<String, String> errors =
        errorsWith(
            "preflight.timeout.ms", "2000",
            "aws.access.key.id", "AKIA",
            "aws.secret.access.key", "secret",
            "sqs.endpoint", nowhere,
            "s3.endpoint", nowhere,
            "kafka.bootstrap.servers", "127.0.0.1:1",
            "schema.registry.url", "mock://preflight");

    assertThat(errors).containsKeys("sqs.queue.url", "s3.buckets", "kafka.bootstrap.servers");
  }

  @Test
  void refusesAnAttributeThatItDoesNotKnow() throws IOException {
    assertThat(errorsWith("s3.attributes", "tags,owner").get("s3.attributes")).contains("owner");
  }

  @Test
  void saysEverythingThatIsWrongAtOnce() {
    Config validated =
        connector.validate(
            Map.of(
                "source.name",
                "a b",
                "s3.key.pattern",
                "(?<user>.*)",
                "sqs.receive.wait.ms",
                "30000",
                "sqs.queue.url",
                "events"));

    assertThat(errors(validated))
        .containsOnlyKeys(
            "source.name",
            "s3.topic",
            "aws.region",
            "kafka.bootstrap.servers",
            "schema.registry.url",
            "s3.key.pattern",
            "sqs.receive.wait.ms",
            "sqs.queue.url");
    assertThat(errors(validated).get("s3.key.pattern")).contains("uploadUser", "fileId");
  }

  @Test
  void looksAtKeysTogether() throws IOException {
    Map<String, String> properties =
        sampleWith("s3.buckets", "documents,with/prefix", "aws.access.key.id", "AKIA");

    assertThat(errors(connector.validate(properties)))
        .containsOnlyKeys("s3.buckets", "aws.secret.access.key");
    assertThatThrownBy(() -> connector.start(properties)).isInstanceOf(ConfigException.class);
  }

  @Test
  void refusesToTolerateErrorsBecauseTheMessagesWouldBeDeleted() throws IOException {
    Map<String, String> properties = sampleWith("errors.tolerance", "all");

    assertThat(errors(connector.validate(properties)))
        .containsOnlyKeys("errors.tolerance")
        .hasEntrySatisfying("errors.tolerance", error -> assertThat(error).contains("none"));
    assertThatThrownBy(() -> connector.start(properties)).isInstanceOf(ConfigException.class);
  }

  private static Map<String, String> errors(Config config) {
    Map<String, String> errors = new HashMap<>();
    for (ConfigValue value : config.configValues()) {
      if (!value.errorMessages().isEmpty()) {
        errors.put(value.name(), value.errorMessages().toString());
      }
    }
    return errors;
  }

  @Test
  void sharesTheBucketsAmongItsTasks() throws IOException {
    connector.start(sampleWith("s3.buckets", "a,b,c"));

    List<S3SourceTaskConfig> tasks =
        connector.taskConfigs(2).stream().map(S3SourceTaskConfig::new).toList();

    assertThat(tasks)
        .extracting(S3SourceTaskConfig::taskBuckets)
        .containsExactly(List.of("a", "c"), List.of("b"));
    assertThat(tasks).extracting(S3SourceTaskConfig::taskId).containsExactly(0, 1);
    assertThat(tasks).noneMatch(S3SourceTaskConfig::ownsQueuePartition);
    connector.start(sampleWith("s3.buckets", ""));
    assertThat(connector.taskConfigs(2))
        .extracting(task -> new S3SourceTaskConfig(task).ownsQueuePartition())
        .containsExactly(true, false);
    connector.stop();
  }

  @Test
  void isFoundAsAServiceAndKnowsItsVersion() {
    assertThat(ServiceLoader.load(SourceConnector.class))
        .anyMatch(found -> found instanceof S3SourceConnector);
    assertThat(connector.version()).matches("\\d+\\.\\d+\\.\\d+.*");
    assertThat(new S3SourceTask().version()).isEqualTo(connector.version());
    assertThat(connector.exactlyOnceSupport(Map.of())).isEqualTo(ExactlyOnceSupport.UNSUPPORTED);
  }

  @Test
  void takesOffsetsThatItWroteItself() {
    Map<Map<String, ?>, Map<String, ?>> offsets = new HashMap<>();
    offsets.put(ListingOffset.bucketPartition("files", "a"), COMPLETE.toMap());
    offsets.put(ListingOffset.bucketPartition("files", "b"), ListingOffset.NONE.toMap());
    offsets.put(ListingOffset.bucketPartition("files", "c"), null);
    offsets.put(ListingOffset.queuePartition("files", "http://queue"), Map.of());
    offsets.put(Map.of("of", "another connector"), null);

    assertThat(connector.alterOffsets(Map.of(), offsets)).isTrue();
    assertThat(ListingOffset.fromMap(COMPLETE.toMap())).isEqualTo(COMPLETE);
  }

  static Stream<Arguments> wrongOffsets() {
    Map<String, Object> bucket = ListingOffset.bucketPartition("files", "a");
    Map<String, Object> complete = COMPLETE.toMap();
    return Stream.of(
        Arguments.of(Map.of("bucket", "a"), complete, "bucket"),
        Arguments.of(Map.of("source", 1, "bucket", "a"), complete, "source"),
        Arguments.of(bucket, Map.of(), "complete"),
        Arguments.of(bucket, with(complete, "number", "one"), "number: one"),
        Arguments.of(bucket, with(complete, "records", -1), "records: -1"),
        Arguments.of(bucket, with(complete, "publishedUntil", "now"), "publishedUntil: now"),
        Arguments.of(bucket, with(complete, "ends", "0"), "ends: 0"),
        Arguments.of(bucket, with(complete, "ends", "a:b"), "ends: a:b"));
  }

  private static Map<String, Object> with(Map<String, Object> map, String key, Object value) {
    Map<String, Object> changed = new HashMap<>(map);
    changed.put(key, value);
    return changed;
  }

  @ParameterizedTest
  @MethodSource("wrongOffsets")
  void refusesOtherOffsetsNamingWhatIsWrong(
      Map<String, ?> partition, Map<String, ?> offset, String named) {
    assertThatThrownBy(() -> connector.alterOffsets(Map.of(), Map.of(partition, offset)))
        .isInstanceOf(ConnectException.class)
        .hasMessageContaining(named);
  }
}
