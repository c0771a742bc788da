package io.indexview.server.config;

import static org.apache.kafka.common.config.ConfigDef.NO_DEFAULT_VALUE;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.dynamodb.DynamoDbSettings;
import io.indexview.kvstore.KvStoreConfig;
import io.indexview.schemas.Topics;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.schemas.registry.RegistryConfig;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidList;
import org.apache.kafka.common.config.ConfigDef.ValidString;
import org.apache.kafka.common.config.types.Password;

/** The configuration of the server; {@link #parse} is the way in. */
public final class ServerConfig extends AbstractConfig {
  public static final String BOOTSTRAP_SERVERS_CONFIG = "bootstrap.servers";
  private static final String BOOTSTRAP_SERVERS_DOC = "Kafka brokers, host:port, comma-separated.";

  public static final String TOPIC_PREFIX_CONFIG = "topic.prefix";
  private static final String TOPIC_PREFIX_DOC =
      "First part of the names of all topics of the installation; every part of it must use the"
          + " same.";

  public static final String KVSTORE_URI_CONFIG = "kvstore.uri";
  private static final String KVSTORE_URI_DOC =
      "The KV store: embedded:/directory in the server's own process, oracle://host:port,host:port/"
          + "storename for Oracle NoSQL Database. Without it neither views nor records in a KV"
          + " store can be used.";

  public static final String KVSTORE_SECURITY_FILE_CONFIG = "kvstore.security.file";
  private static final String KVSTORE_SECURITY_FILE_DOC =
      "Login properties file of the Oracle NoSQL client, for a secured store.";

  public static final String AWS_REGION_CONFIG = "aws.region";
  private static final String AWS_REGION_DOC =
      "Region of DynamoDB, for instance eu-central-1; needed also beside dynamodb.endpoint."
          + " Without it views in DynamoDB cannot be read.";

  public static final String DYNAMODB_ENDPOINT_CONFIG = "dynamodb.endpoint";
  private static final String DYNAMODB_ENDPOINT_DOC =
      "Address of a server that speaks the API of DynamoDB. Without one it is the region's own.";

  public static final String AWS_ACCESS_KEY_ID_CONFIG = "aws.access.key.id";
  private static final String AWS_ACCESS_KEY_ID_DOC =
      "Access key to sign requests with. Without one the AWS SDK looks for credentials itself.";

  public static final String AWS_SECRET_ACCESS_KEY_CONFIG = "aws.secret.access.key";
  private static final String AWS_SECRET_ACCESS_KEY_DOC = "The access key's secret.";

  public static final String HTTP_HOST_CONFIG = "http.host";
  public static final String HTTP_HOST_DEFAULT = "127.0.0.1";
  private static final String HTTP_HOST_DOC =
      "Address to listen on. Any but a loopback address needs http.tls.keystore.location and"
          + " http.token, or http.insecure.bind.";

  public static final String HTTP_PORT_CONFIG = "http.port";
  public static final int HTTP_PORT_DEFAULT = 8480;
  private static final String HTTP_PORT_DOC = "Port to listen on; 0 takes a free one.";

  public static final String HTTP_NAMES_CONFIG = "http.names";
  private static final String HTTP_NAMES_DOC =
      "Host names that requests may be addressed to, beside http.host, and beside localhost on a"
          + " loopback address; others are refused. On another address without names, any is taken.";

  public static final String KEYSTORE_LOCATION_CONFIG = "http.tls.keystore.location";
  private static final String KEYSTORE_LOCATION_DOC =
      "Key store with the server's certificate and private key; makes it speak https only.";

  public static final String KEYSTORE_PASSWORD_CONFIG = "http.tls.keystore.password";
  private static final String KEYSTORE_PASSWORD_DOC = "Password of the key store and of its key.";

  public static final String KEYSTORE_TYPE_CONFIG = "http.tls.keystore.type";
  private static final String KEYSTORE_TYPE_DEFAULT = "PKCS12";
  private static final String KEYSTORE_TYPE_DOC = "Format of the key store: PKCS12 or JKS.";

  public static final String TOKEN_CONFIG = "http.token";
  private static final String TOKEN_DOC =
      "Token that every request but GET /health must carry as bearer authorization; at least 16"
          + " visible ASCII characters. Without it everybody who reaches the server may do all.";

  public static final String INSECURE_BIND_CONFIG = "http.insecure.bind";
  private static final String INSECURE_BIND_DOC =
      "Lets the server listen beyond loopback without TLS or token. Only where something in front"
          + " of it does both.";

  public static final String THREADS_CONFIG = "http.threads";
  public static final int THREADS_DEFAULT = 16;
  private static final String THREADS_DOC =
      "Threads that answer; half of them may wait for a view or a freshness token at a time.";

  public static final String IDLE_TIMEOUT_CONFIG = "http.idle.timeout.ms";
  public static final long IDLE_TIMEOUT_DEFAULT = 30_000;
  private static final String IDLE_TIMEOUT_DOC =
      "After how long a connection is closed on which nothing moves.";

  public static final String MAX_REQUEST_CONFIG = "http.request.max.bytes";
  public static final long MAX_REQUEST_DEFAULT = 1L << 20;
  private static final String MAX_REQUEST_DOC = "Largest body of a request.";

  public static final String PAGE_MAX_CONFIG = "read.page.max.rows";
  public static final int PAGE_MAX_DEFAULT = 1_000;
  private static final String PAGE_MAX_DOC = "Most rows of a page that a request may ask for.";

  public static final String TIMEOUT_MAX_CONFIG = "read.timeout.max.ms";
  public static final long TIMEOUT_MAX_DEFAULT = 60_000;
  private static final String TIMEOUT_MAX_DOC =
      "Longest time that a request may ask to wait for a view or a freshness token.";

  public static final String PAGE_TOKEN_KEY_CONFIG = "page.token.key";
  private static final String PAGE_TOKEN_KEY_DOC =
      "Secret that page tokens are signed with, at least 16 characters, the same on all servers."
          + " Without it each start makes its own, and page tokens end with the process.";

  /** Keys passed to Kafka's clients, without this prefix. */
  public static final String KAFKA_PREFIX = "kafka.";

  ServerConfig(Map<String, String> values) {
    super(definition(), values, false);
  }

  /**
   * Resolves config providers, checks everything and gives the configuration.
   *
   * @throws io.indexview.schemas.config.InvalidConfigException naming all problems
   */
  public static ServerConfig parse(Map<String, String> values) {
    return new ServerConfigParser(values).parse();
  }

  /** All keys but those with the prefix of Kafka's clients; the registry client's included. */
  public static ConfigDef definition() {
    ConfigDef definition = RegistryConfig.configDef();
    defineKafka(definition);
    defineTargets(definition);
    defineHttp(definition);
    defineSecurity(definition);
    defineReads(definition);
    return definition;
  }

  private static void defineKafka(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Kafka");
    keys.add(
        BOOTSTRAP_SERVERS_CONFIG,
        Type.LIST,
        NO_DEFAULT_VALUE,
        ValidList.anyNonDuplicateValues(false, false),
        Importance.HIGH,
        BOOTSTRAP_SERVERS_DOC);
    keys.add(
        TOPIC_PREFIX_CONFIG,
        Type.STRING,
        Topics.DEFAULT_PREFIX,
        Checks.TOPIC_PREFIX,
        Importance.MEDIUM,
        TOPIC_PREFIX_DOC);
  }

  private static void defineTargets(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Stores");
    keys.add(
        KVSTORE_URI_CONFIG,
        Type.STRING,
        null,
        Checks.KVSTORE_URI,
        Importance.HIGH,
        KVSTORE_URI_DOC);
    keys.add(
        KVSTORE_SECURITY_FILE_CONFIG,
        Type.STRING,
        null,
        Checks.READABLE_FILE,
        Importance.MEDIUM,
        KVSTORE_SECURITY_FILE_DOC);
    keys.add(AWS_REGION_CONFIG, Type.STRING, null, Checks.REGION, Importance.HIGH, AWS_REGION_DOC);
    keys.add(
        DYNAMODB_ENDPOINT_CONFIG,
        Type.STRING,
        null,
        Checks.HTTP_URL,
        Importance.MEDIUM,
        DYNAMODB_ENDPOINT_DOC);
    keys.add(
        AWS_ACCESS_KEY_ID_CONFIG,
        Type.STRING,
        null,
        null,
        Importance.MEDIUM,
        AWS_ACCESS_KEY_ID_DOC);
    keys.add(
        AWS_SECRET_ACCESS_KEY_CONFIG,
        Type.PASSWORD,
        null,
        null,
        Importance.MEDIUM,
        AWS_SECRET_ACCESS_KEY_DOC);
  }

  private static void defineHttp(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "HTTP");
    keys.add(
        HTTP_HOST_CONFIG,
        Type.STRING,
        HTTP_HOST_DEFAULT,
        new NonEmptyString(),
        Importance.HIGH,
        HTTP_HOST_DOC);
    keys.add(
        HTTP_PORT_CONFIG,
        Type.INT,
        HTTP_PORT_DEFAULT,
        between(0, 65_535),
        Importance.HIGH,
        HTTP_PORT_DOC);
    keys.add(
        HTTP_NAMES_CONFIG,
        Type.LIST,
        List.of(),
        ValidList.anyNonDuplicateValues(true, false),
        Importance.MEDIUM,
        HTTP_NAMES_DOC);
    keys.add(
        THREADS_CONFIG, Type.INT, THREADS_DEFAULT, between(8, 1_000), Importance.LOW, THREADS_DOC);
    keys.add(
        IDLE_TIMEOUT_CONFIG,
        Type.LONG,
        IDLE_TIMEOUT_DEFAULT,
        between(100, 3_600_000),
        Importance.LOW,
        IDLE_TIMEOUT_DOC);
    keys.add(
        MAX_REQUEST_CONFIG,
        Type.LONG,
        MAX_REQUEST_DEFAULT,
        between(1_024, 64 << 20),
        Importance.LOW,
        MAX_REQUEST_DOC);
  }

  private static void defineSecurity(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "HTTP security");
    keys.add(
        KEYSTORE_LOCATION_CONFIG,
        Type.STRING,
        null,
        Checks.READABLE_FILE,
        Importance.HIGH,
        KEYSTORE_LOCATION_DOC);
    keys.add(
        KEYSTORE_PASSWORD_CONFIG,
        Type.PASSWORD,
        null,
        null,
        Importance.HIGH,
        KEYSTORE_PASSWORD_DOC);
    keys.add(
        KEYSTORE_TYPE_CONFIG,
        Type.STRING,
        KEYSTORE_TYPE_DEFAULT,
        ValidString.in(KEYSTORE_TYPE_DEFAULT, "JKS"),
        Importance.LOW,
        KEYSTORE_TYPE_DOC);
    keys.add(TOKEN_CONFIG, Type.PASSWORD, null, Checks.SECRET, Importance.HIGH, TOKEN_DOC);
    keys.add(INSECURE_BIND_CONFIG, Type.BOOLEAN, false, null, Importance.LOW, INSECURE_BIND_DOC);
  }

  private static void defineReads(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Reads");
    keys.add(
        PAGE_MAX_CONFIG,
        Type.INT,
        PAGE_MAX_DEFAULT,
        between(1, 100_000),
        Importance.MEDIUM,
        PAGE_MAX_DOC);
    keys.add(
        TIMEOUT_MAX_CONFIG,
        Type.LONG,
        TIMEOUT_MAX_DEFAULT,
        between(0, 3_600_000),
        Importance.MEDIUM,
        TIMEOUT_MAX_DOC);
    keys.add(
        PAGE_TOKEN_KEY_CONFIG,
        Type.PASSWORD,
        null,
        Checks.SECRET,
        Importance.MEDIUM,
        PAGE_TOKEN_KEY_DOC);
  }

  public Topics topics() {
    return new Topics(getString(TOPIC_PREFIX_CONFIG));
  }

  /** What clients of the cluster need. */
  public Map<String, Object> kafkaSettings() {
    Map<String, Object> settings = new HashMap<>(originalsWithPrefix(KAFKA_PREFIX));
    settings.put(BOOTSTRAP_SERVERS_CONFIG, String.join(",", getList(BOOTSTRAP_SERVERS_CONFIG)));
    return settings;
  }

  /** Empty: there is no KV store. */
  public Optional<KvStoreConfig> kvStore() {
    return Optional.ofNullable(getString(KVSTORE_URI_CONFIG))
        .map(KvStoreConfig::of)
        .map(
            store -> {
              String file = getString(KVSTORE_SECURITY_FILE_CONFIG);
              return file == null ? store : store.withSecurityFile(Path.of(file));
            });
  }

  /** Empty: there is no DynamoDB. */
  public Optional<DynamoDbSettings> dynamoDb() {
    String endpoint = getString(DYNAMODB_ENDPOINT_CONFIG);
    return Optional.ofNullable(getString(AWS_REGION_CONFIG))
        .map(
            region ->
                new DynamoDbSettings(
                    region,
                    endpoint == null ? null : URI.create(endpoint),
                    getString(AWS_ACCESS_KEY_ID_CONFIG),
                    secret(AWS_SECRET_ACCESS_KEY_CONFIG).orElse(null),
                    getInt(THREADS_CONFIG)));
  }

  public HttpSettings http() {
    return new HttpSettings(
        new HttpSettings.Address(
            getString(HTTP_HOST_CONFIG),
            getInt(HTTP_PORT_CONFIG),
            Set.copyOf(getList(HTTP_NAMES_CONFIG))),
        Optional.ofNullable(getString(KEYSTORE_LOCATION_CONFIG))
            .map(
                location ->
                    new HttpSettings.Tls(
                        Path.of(location),
                        getPassword(KEYSTORE_PASSWORD_CONFIG),
                        getString(KEYSTORE_TYPE_CONFIG))),
        Optional.ofNullable(getPassword(TOKEN_CONFIG)),
        getInt(THREADS_CONFIG),
        Duration.ofMillis(getLong(IDLE_TIMEOUT_CONFIG)),
        getLong(MAX_REQUEST_CONFIG));
  }

  public int pageMaxRows() {
    return getInt(PAGE_MAX_CONFIG);
  }

  public Duration timeoutMax() {
    return Duration.ofMillis(getLong(TIMEOUT_MAX_CONFIG));
  }

  /** Empty: any will do. */
  public Optional<byte[]> pageTokenKey() {
    return secret(PAGE_TOKEN_KEY_CONFIG).map(key -> key.getBytes(StandardCharsets.UTF_8));
  }

  private Optional<String> secret(String key) {
    return Optional.ofNullable(getPassword(key)).map(Password::value);
  }
}
