package io.indexview.connect.dynamodb;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.indexview.dynamodb.NewTables;
import io.indexview.schemas.Topics;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceLoader;
import org.apache.kafka.clients.consumer.CooperativeStickyAssignor;
import org.apache.kafka.common.config.Config;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.errors.ConnectException;
import org.apache.kafka.connect.sink.SinkConnector;
import org.junit.jupiter.api.Test;

class DynamoDbSinkConnectorTest {
  private static final String COOPERATIVE = CooperativeStickyAssignor.class.getName();

  static final Map<String, String> READY =
      Map.of(
          "aws.region",
          "local",
          "consumer.override.isolation.level",
          "read_committed",
          "consumer.override.partition.assignment.strategy",
          COOPERATIVE);

  private final DynamoDbSinkConnector connector = new DynamoDbSinkConnector();

  private static Map<String, String> sample() throws IOException {
    Properties properties = new Properties();
    try (Reader reader =
        Files.newBufferedReader(Path.of("src/main/etc/dynamodb-sink.properties"))) {
      properties.load(reader);
    }
    Map<String, String> sample = new HashMap<>();
    properties.forEach((key, value) -> sample.put((String) key, (String) value));
    return sample;
  }

  @Test
  void takesTheSampleProperties() throws IOException {
    Map<String, String> sample = sample();

    assertThat(connector.validate(sample).configValues())
        .allSatisfy(value -> assertThat(value.errorMessages()).isEmpty());
    assertThat(sample.get("topics.regex"))
        .isEqualTo(new Topics(sample.get("topic.prefix")).sinkPattern("dynamodb"));
    connector.start(sample);
    assertThat(connector.taskConfigs(3)).hasSize(3).containsOnly(sample);
    connector.stop();
  }

  @Test
  void describesEveryKey() {
    assertThat(connector.config().configKeys().values())
        .allSatisfy(
            key -> {
              assertThat(key.group).as(key.name).isNotBlank();
              assertThat(key.displayName).as(key.name).isNotBlank();
              assertThat(key.documentation).as(key.name).isNotBlank();
              if (key.name.contains("secret")) {
                assertThat(key.type).isEqualTo(ConfigDef.Type.PASSWORD);
              }
            });
  }

  @Test
  void saysEverythingThatIsWrongAtOnce() {
    Config validated =
        connector.validate(
            Map.of(
                "dynamodb.mode",
                "fast",
                "dynamodb.endpoint",
                "localhost:8000",
                "dynamodb.max.in.flight.requests",
                "0"));

    assertThat(errors(validated))
        .containsOnlyKeys(
            "aws.region", "dynamodb.mode", "dynamodb.endpoint", "dynamodb.max.in.flight.requests");
  }

  @Test
  void wantsBothHalvesOfTheCredentialsAndBoundsInOrder() {
    Map<String, String> properties =
        Map.of(
            "aws.region",
            "eu-central-1",
            "aws.access.key.id",
            "AKIA",
            "retry.backoff.initial.ms",
            "100",
            "retry.backoff.max.ms",
            "10",
            "consumer.override.isolation.level",
            "read_committed",
            "consumer.override.partition.assignment.strategy",
            COOPERATIVE);

    assertThat(errors(connector.validate(properties)))
        .containsOnlyKeys("aws.secret.access.key", "retry.backoff.max.ms");
    assertThatThrownBy(() -> connector.start(properties))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("aws.secret.access.key")
        .hasMessageContaining("retry.backoff.max.ms");
  }

  @Test
  void refusesToReadWhatIsNotCommitted() {
    Map<String, String> properties = Map.of("aws.region", "eu-central-1");

    assertThat(errors(connector.validate(properties)))
        .containsOnlyKeys(
            "consumer.override.isolation.level", "consumer.override.partition.assignment.strategy");
    assertThatThrownBy(() -> connector.start(properties))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining(
            "read_committed", "consumer.override.partition.assignment.strategy", COOPERATIVE);
  }

  @Test
  void refusesToReadNoStates() {
    Map<String, String> properties =
        Map.of(
            "aws.region",
            "eu-central-1",
            "consumer.override.isolation.level",
            "read_committed",
            "consumer.override.partition.assignment.strategy",
            COOPERATIVE,
            "topics.regex",
            "indexview\\.view\\.dynamodb\\..+");

    assertThat(errors(connector.validate(properties))).containsOnlyKeys("topics.regex");
  }

  @Test
  void namesEverythingThatIsWrongWithNewTables() {
    Map<String, String> properties =
        Map.of(
            "aws.region",
            "local",
            "consumer.override.isolation.level",
            "read_committed",
            "consumer.override.partition.assignment.strategy",
            COOPERATIVE,
            "dynamodb.auto.create",
            "true",
            "dynamodb.create.billing",
            "provisioned",
            "dynamodb.create.write.units",
            "5",
            "dynamodb.create.tags",
            "team=a,team=b,nothing,aws:x=1");

    Map<String, String> errors = errors(connector.validate(properties));

    assertThat(errors).containsOnlyKeys("dynamodb.create.read.units", "dynamodb.create.tags");
    assertThat(errors.get("dynamodb.create.tags"))
        .contains("\"team=b\"", "\"nothing\"", "\"aws:x=1\"")
        .doesNotContain("\"team=a\"");
  }

  @Test
  void createsTablesAsConfigured() {
    Map<String, String> properties =
        Map.of(
            "aws.region",
            "local",
            "dynamodb.create.billing",
            "provisioned",
            "dynamodb.create.read.units",
            "2",
            "dynamodb.create.write.units",
            "5",
            "dynamodb.create.tags",
            "team=search,empty=");

    assertThat(new DynamoDbSinkConfig(properties).newTables())
        .isEqualTo(
            new NewTables(new NewTables.Capacity(2, 5), Map.of("team", "search", "empty", "")));
    assertThat(new DynamoDbSinkConfig(Map.of("aws.region", "local")).newTables())
        .isEqualTo(NewTables.PLAIN);
  }

  @Test
  void saysWhatHelpsWhereClassesAreMissing() {
    DynamoDbSinkConnector broken =
        new DynamoDbSinkConnector(
            config -> {
              throw new NoClassDefFoundError("io/netty/Missing");
            });

    assertThatThrownBy(() -> broken.validate(READY))
        .isInstanceOf(ConnectException.class)
        .hasMessageContainingAll(
            "java.lang.NoClassDefFoundError: io/netty/Missing", "runs on Kafka Connect from 3.9");
  }

  @Test
  void takesAConnectorThoughTheStoreCannotBeAskedNow() {
    FaultyItemStore away = new FaultyItemStore(null);
    away.goAway();
    DynamoDbSinkConnector offline = new DynamoDbSinkConnector(config -> away);

    assertThat(errors(offline.validate(READY))).isEmpty();
  }

  static Map<String, String> errors(Config config) {
    Map<String, String> errors = new HashMap<>();
    for (ConfigValue value : config.configValues()) {
      if (!value.errorMessages().isEmpty()) {
        errors.put(value.name(), value.errorMessages().toString());
      }
    }
    return errors;
  }

  @Test
  void isFoundAsAServiceAndKnowsItsVersion() {
    assertThat(ServiceLoader.load(SinkConnector.class))
        .anyMatch(found -> found instanceof DynamoDbSinkConnector);
    assertThat(connector.version()).matches("\\d+\\.\\d+\\.\\d+.*");
  }
}
