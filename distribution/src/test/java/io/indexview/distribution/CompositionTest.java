package io.indexview.distribution;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.indexview.server.config.ServerConfig;
import io.indexview.streams.config.AppConfig;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigValue;
import org.apache.kafka.connect.connector.Connector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** docker-compose.yml and what it mounts, as far as no container is needed to judge them. */
class CompositionTest {
  private static final Path HOME = Path.of("..").toAbsolutePath().normalize();
  private static final Path CONNECTORS = HOME.resolve("deploy/connectors");
  private static final String MAIN = "docker-compose.yml";
  private static final String ORACLE = "docker-compose.oracle.yml";

  private static final Pattern VARIABLE = Pattern.compile("\\$\\{(\\w+)(?::-([^}]*))?[^}]*}");
  private static final Pattern REFERENCE = Pattern.compile("\\$\\{(env|file):([^}]+)}");
  private static final Pattern SECRET =
      Pattern.compile("(?i).*(secret|password|token|user\\.info|access\\.key).*");

  /** Compose 2 warns about it at each command; docker-compose 1.29 needs none. */
  @ParameterizedTest
  @ValueSource(strings = {MAIN, ORACLE})
  void namesNoVersionOfTheFormat(String file) throws IOException {
    assertThat(yaml(file)).containsKey("services").doesNotContainKey("version");
  }

  @ParameterizedTest
  @ValueSource(strings = {MAIN, ORACLE})
  void publishesPortsOnLoopbackAlone(String file) throws IOException {
    services(file)
        .forEach(
            (name, service) ->
                assertThat(strings(service, "ports"))
                    .as(name)
                    .allMatch(port -> port.matches("127\\.0\\.0\\.1:\\d+:\\d+")));
  }

  @ParameterizedTest
  @ValueSource(strings = {MAIN, ORACLE})
  void pinsEveryImage(String file) throws IOException {
    services(file)
        .forEach(
            (name, service) -> {
              Object image = service.get("image");
              if (image != null || file.equals(MAIN)) {
                assertThat(withDefaults((String) image)).as(name).matches(".+:[^/:]*\\d[^/:]*");
              }
            });
  }

  @ParameterizedTest
  @CsvSource({
    "app, project.version",
    "connect-1, project.version",
    "emulators, project.version",
    "broker, kafka.version",
    "registry, apicurio.version",
    "dynamodb, dynamodb-local.version"
  })
  void runsTheVersionsOfTheBuild(String service, String property) throws IOException {
    assertThat(withDefaults((String) services(MAIN).get(service).get("image")))
        .endsWith(":" + System.getProperty(property));
  }

  @ParameterizedTest
  @ValueSource(strings = {"indexview", "connect", "emulators"})
  void pinsTheBaseOfEveryImage(String image) throws IOException {
    assertThat(Files.readString(HOME.resolve("deploy/docker/" + image + ".Dockerfile")))
        .containsPattern("(?m)^ARG BASE=\\S+:\\S*\\d\\S*$");
  }

  @Test
  void confinesEveryService() throws IOException {
    services(MAIN)
        .forEach(
            (name, service) -> {
              assertThat(service)
                  .as(name)
                  .containsEntry("read_only", true)
                  .containsKey("mem_limit");
              assertThat(strings(service, "cap_drop")).as(name).containsExactly("ALL");
              assertThat(strings(service, "security_opt"))
                  .as(name)
                  .contains("no-new-privileges:true");
            });
  }

  @Test
  void mountsFilesThatThereAre() throws IOException {
    Map<String, Path> mounts = new HashMap<>();
    services(MAIN).values().forEach(service -> mounts.putAll(mounts(service)));

    assertThat(mounts).isNotEmpty();
    assertThat(mounts.values()).allMatch(Files::exists);
  }

  static List<Path> connectors() throws IOException {
    try (Stream<Path> files = Files.list(CONNECTORS)) {
      return files.sorted().toList();
    }
  }

  @ParameterizedTest
  @MethodSource("connectors")
  void configuresConnectorsThatTakeIt(Path file) throws Exception {
    Map<String, String> config = json(file);
    assertThat(file).hasFileName(config.get("name") + ".json");

    Map<String, Object> worker = services(MAIN).get("connect-1");
    Map<String, String> values = asOnTheWorker(config, worker);
    // Nobody is there to be asked.
    values.put("preflight.timeout.ms", "0");
    assertThat(connector(config).validate(values).configValues())
        .filteredOn(value -> !value.errorMessages().isEmpty())
        .extracting(ConfigValue::name, ConfigValue::errorMessages)
        .isEmpty();
  }

  @ParameterizedTest
  @MethodSource("connectors")
  void keepsSecretsOutOfConnectors(Path file) throws Exception {
    Map<String, String> config = json(file);
    Map<String, ConfigDef.ConfigKey> keys = connector(config).config().configKeys();

    config.forEach(
        (name, value) -> {
          ConfigDef.ConfigKey key = keys.get(name);
          boolean password = key != null && key.type() == ConfigDef.Type.PASSWORD;
          if (password || SECRET.matcher(name).matches()) {
            assertThat(value).as(name).matches(REFERENCE);
          }
        });
  }

  /** What it has of Connect's settings, the samples of the distribution have, too. */
  @ParameterizedTest
  @CsvSource({
    "kvstore-source, kvstore",
    "kvstore-sink, kvstore",
    "s3-source, s3",
    "dynamodb-sink, dynamodb"
  })
  void hasNoSettingOfConnectThatTheSamplesLack(String connector, String module) throws IOException {
    Map<String, String> sample =
        properties(
            HOME.resolve("connectors/%s/src/main/etc/%s.properties".formatted(module, connector)));

    assertThat(json(CONNECTORS.resolve("indexview-" + connector + ".json")).keySet())
        .filteredOn(key -> key.matches("(key|value|header)\\.converter|(consumer|errors)\\..*"))
        // It has one broker.
        .filteredOn(key -> !key.equals("errors.deadletterqueue.topic.replication.factor"))
        .isNotEmpty()
        .allMatch(sample::containsKey);
  }

  @Test
  void makesTheTopicsThatConnectorsAndAppUse() throws Exception {
    List<String> made =
        strings(services(MAIN).get("topics"), "command").stream()
            .filter(word -> word.matches("[\\w.-]+:\\d+") && !word.startsWith("broker:"))
            .map(word -> word.substring(0, word.indexOf(':')))
            .toList();
    List<String> wanted = new ArrayList<>();
    for (Path file : connectors()) {
      json(file)
          .forEach(
              (key, value) -> {
                if (key.matches("s3\\.topic|record\\.set\\..+\\.topic")) {
                  wanted.add(value);
                }
              });
    }

    assertThat(made).containsExactlyInAnyOrderElementsOf(wanted);
    assertThat(AppConfig.parse(appConfig()).recordSets())
        .extracting(set -> set.topic())
        .containsExactlyInAnyOrderElementsOf(made);
  }

  private static Map<String, String> appConfig() throws IOException {
    Map<String, Object> app = services(MAIN).get("app");
    Map<String, String> config =
        asOnTheWorker(properties(HOME.resolve("deploy/etc/app.properties")), app);
    // It is in the image.
    config.replaceAll(
        (key, value) ->
            value.replace("/opt/indexview/etc/schemas", HOME + "/schemas/src/main/avro"));
    return config;
  }

  @Test
  void configuresTheServer() throws IOException {
    Map<String, Object> server = services(MAIN).get("server");
    Map<String, String> config =
        asOnTheWorker(properties(HOME.resolve("deploy/etc/server.properties")), server);
    config.keySet().removeIf(key -> key.startsWith("config.providers"));

    ServerConfig.parse(config);
  }

  /** As the exporter does: it matches attributes with their values. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "plugins, connector=a, task=0, table=t><>applied-rows-total: 12.0 | indexview_connect_applied-rows-total",
        "plugins, connector=a, task=0><>messages-in-flight: 3 | indexview_connect_messages-in-flight",
        "connector-metrics, connector=a><>status: failed | kafka_connect_connector_status",
        "connector-task-metrics, connector=a, task=0><>status: running | kafka_connect_connector_task_status",
        "task-error-metrics, connector=a, task=0><>total-retries: 1.0 | kafka_connect_task-error_total-retries",
        "connect-worker-metrics><>task-count: 4.0 | kafka_connect-worker_task-count",
      })
  void showsTheMetricsOfWorkersUnderNamesWithoutValues(String attribute, String metric)
      throws IOException {
    assertThat(shown("kafka.connect<type=" + attribute)).hasValue(metric);
  }

  /**
   * By the first rule whose pattern is in it. The exporter puts _ for - then, and takes _total off.
   */
  @SuppressWarnings("unchecked")
  static Optional<String> shown(String attribute) throws IOException {
    List<Map<String, Object>> rules =
        (List<Map<String, Object>>) yaml("deploy/docker/jmx-exporter.yml").get("rules");
    return rules.stream()
        .map(
            rule ->
                Map.entry(
                    Pattern.compile("^.*(?:" + rule.get("pattern") + ").*$").matcher(attribute),
                    (String) rule.get("name")))
        .filter(rule -> rule.getKey().matches())
        .map(rule -> rule.getKey().replaceAll(rule.getValue()))
        .findFirst();
  }

  @SuppressWarnings("unchecked")
  private static Map<String, Map<String, Object>> services(String file) throws IOException {
    return (Map<String, Map<String, Object>>) yaml(file).get("services");
  }

  static Map<String, Object> yaml(String file) throws IOException {
    try (Reader reader = Files.newBufferedReader(HOME.resolve(file))) {
      return new Yaml().load(reader);
    }
  }

  /** What a list of the service says, variables at their defaults; empty without the list. */
  private static List<String> strings(Map<String, Object> service, String key) {
    List<?> values = (List<?>) service.getOrDefault(key, List.of());
    return values.stream()
        .filter(String.class::isInstance)
        .map(value -> withDefaults((String) value))
        .toList();
  }

  private static String withDefaults(String value) {
    return replaced(
        VARIABLE, value, variable -> variable.group(2) == null ? "" : variable.group(2));
  }

  /** Files and directories of the project by where a container has them. */
  private static Map<String, Path> mounts(Map<String, Object> service) {
    Map<String, Path> mounts = new HashMap<>();
    for (String volume : strings(service, "volumes")) {
      String[] parts = volume.split(":", -1);
      if (parts[0].startsWith("./")) {
        mounts.put(parts[1], HOME.resolve(parts[0]).normalize());
      }
    }
    return mounts;
  }

  /** With what the service's environment says in place of references, and this project's files. */
  private static Map<String, String> asOnTheWorker(
      Map<String, String> config, Map<String, Object> service) throws IOException {
    Map<String, String> environment = new HashMap<>();
    if (service.get("env_file") instanceof String file) {
      environment.putAll(properties(HOME.resolve(file)));
    }
    if (service.get("environment") instanceof Map<?, ?> more) {
      more.forEach((key, value) -> environment.put((String) key, (String) value));
    }
    Map<String, Path> mounts = mounts(service);
    Map<String, String> values = new HashMap<>();
    config.forEach(
        (key, value) -> {
          String resolved =
              replaced(
                  REFERENCE,
                  value,
                  reference ->
                      reference.group(1).equals("env")
                          ? environment.get(reference.group(2))
                          : "a secret of more than thirty-two characters".replace(' ', '-'));
          values.put(
              key, mounts.containsKey(resolved) ? mounts.get(resolved).toString() : resolved);
        });
    return values;
  }

  private static String replaced(
      Pattern pattern, String text, Function<Matcher, String> replacement) {
    Matcher matcher = pattern.matcher(text);
    StringBuilder result = new StringBuilder();
    while (matcher.find()) {
      matcher.appendReplacement(result, Matcher.quoteReplacement(replacement.apply(matcher)));
    }
    return matcher.appendTail(result).toString();
  }

  private static Map<String, String> json(Path file) throws IOException {
    return new ObjectMapper().readValue(file.toFile(), new TypeReference<>() {});
  }

  private static Map<String, String> properties(Path file) throws IOException {
    Properties properties = new Properties();
    try (Reader reader = Files.newBufferedReader(file)) {
      properties.load(reader);
    }
    Map<String, String> values = new HashMap<>();
    properties.stringPropertyNames().forEach(key -> values.put(key, properties.getProperty(key)));
    return values;
  }

  private static Connector connector(Map<String, String> config)
      throws ReflectiveOperationException {
    return (Connector)
        Class.forName(config.get("connector.class")).getDeclaredConstructor().newInstance();
  }
}
