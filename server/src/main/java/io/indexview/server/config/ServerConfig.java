package io.indexview.server.config;

import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.client.read.PageTokens;
import io.indexview.client.read.ReaderConfig;
import io.indexview.schemas.Topics;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.schemas.control.VerificationOptions.Limits;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.verification.TombstoneRetention;
import io.indexview.verification.jdbc.JdbcTarget;
import io.indexview.verification.live.VerificationSchedule;
import io.indexview.verification.live.VerificationWorker;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.types.Password;

/** The configuration of the server; {@link #parse} is the way in. */
public final class ServerConfig extends AbstractConfig {
  public static final String BOOTSTRAP_SERVERS_CONFIG = ConfigKeys.BOOTSTRAP_SERVERS_CONFIG;

  public static final String TOPIC_PREFIX_CONFIG = ConfigKeys.TOPIC_PREFIX_CONFIG;

  public static final String PAGE_MAX_CONFIG = "read.page.max.rows";
  public static final int PAGE_MAX_DEFAULT = 1_000;
  private static final String PAGE_MAX_DOC = "Most rows of a page that a request may ask for.";

  public static final String TIMEOUT_MAX_CONFIG = "read.timeout.max.ms";
  public static final long TIMEOUT_MAX_DEFAULT = 60_000;
  private static final String TIMEOUT_MAX_DOC =
      "Longest time that a request may ask to wait for a view or a freshness token.";

  public static final String METADATA_MAX_AGE_CONFIG = "read.metadata.max.age.ms";
  public static final long METADATA_MAX_AGE_DEFAULT =
      ReaderConfig.DEFAULT_METADATA_MAX_AGE.toMillis();
  private static final String METADATA_MAX_AGE_DOC =
      "How old what the server knows of a READY view may be. For so long it may still answer with"
          + " rows of a view that is no longer READY, or of the generation before; rows that were"
          + " removed are never taken for a page. 0 has it look before and after each page, which"
          + " costs two more requests to the store.";

  public static final String PAGE_TOKEN_KEY_CONFIG = "page.token.key";
  private static final String PAGE_TOKEN_KEY_DOC =
      "Secret that page tokens are signed with, at least 32 characters, the same on all servers."
          + " Without it each start makes its own, and page tokens end with the process.";

  public static final String VERIFICATION_DIR_CONFIG = "verification.dir";
  private static final String VERIFICATION_DIR_DOC =
      "Where the rows of a verification are kept while they are compared: about 100 bytes and the"
          + " row's key for each row of the view and of its target. Default: a directory of its own"
          + " among the temporary files of the system.";

  public static final String VERIFICATION_MEMORY_CONFIG = "verification.memory.bytes";
  public static final long VERIFICATION_MEMORY_DEFAULT = 128L << 20;
  private static final String VERIFICATION_MEMORY_DOC =
      "How much memory the rows that a verification compares at once may take, about.";

  public static final String VERIFICATION_INTERVAL_CONFIG = "verification.interval.ms";
  private static final String VERIFICATION_INTERVAL_DOC =
      "How often each view is verified, from one verification to the next; 0: only when somebody"
          + " asks. Of several servers, the shortest interval counts. A verification reads the whole"
          + " target; nothing is repaired.";

  public static final String VERIFICATION_OVERRIDES_CONFIG = "verification.interval.ms.overrides";
  private static final String VERIFICATION_OVERRIDES_DOC =
      "Intervals of single views, each as view:ms, for instance cities-by-name:3600000; 0: never by"
          + " itself. The interval in a view's definition takes precedence over both.";

  public static final String VERIFICATION_ROWS_CONFIG = "verification.rows.per.second";
  private static final String VERIFICATION_ROWS_DOC =
      "How many rows of a target a scheduled verification reads a second at most; 0: no limit.";

  public static final String VERIFICATION_BYTES_CONFIG = "verification.bytes.per.second";
  private static final String VERIFICATION_BYTES_DOC =
      "How many bytes of keys and values a scheduled verification reads a second at most; 0: no"
          + " limit.";

  public static final String VERIFICATION_READ_UNITS_CONFIG = "verification.read.units.per.second";
  private static final String VERIFICATION_READ_UNITS_DOC =
      "How many read units of a DynamoDB table a scheduled verification takes a second at most;"
          + " 0: no limit.";

  /** A hundred years. */
  private static final long MAX_TOMBSTONE_MS = Duration.ofDays(36_500).toMillis();

  public static final String TOMBSTONE_RETENTION_CONFIG = "verification.row.tombstone.retention.ms";
  private static final String TOMBSTONE_RETENTION_DOC =
      "Tombstones of rows: for how long the KV store's sink keeps them, which is its"
          + " row.tombstone.retention.ms. Those in DynamoDB say it themselves. A verification tells"
          + " those that are older as expired.";

  public static final String TOMBSTONE_REMOVAL_CONFIG = "verification.row.tombstone.removal.ms";
  private static final String TOMBSTONE_REMOVAL_DOC =
      "Tombstones of rows: how much longer they may stay before a verification tells them as"
          + " expired: twice the KV store sink's row.tombstone.removal.interval.ms, if its scans end"
          + " within that, and two days for the time to live of DynamoDB, which may take as long.";

  /** Keys passed to Kafka's clients, without this prefix. */
  public static final String KAFKA_PREFIX = "kafka.";

  ServerConfig(ConfigDef definition, Map<String, String> values) {
    super(definition, values, false);
  }

  /**
   * Checks everything and gives the configuration.
   *
   * @throws io.indexview.schemas.config.InvalidConfigException naming all problems
   */
  public static ServerConfig parse(Map<String, String> values) {
    return new ServerConfigParser(values).parse();
  }

  /** The keys that have fixed names; the registry client's included. */
  public static ConfigDef definition() {
    ConfigDef definition = RegistryConfig.configDef();
    defineKafka(definition);
    StoreKeys.define(definition);
    TargetKeys.define(definition);
    HttpKeys.define(definition);
    defineReads(definition);
    defineVerification(definition);
    return definition;
  }

  private static void defineKafka(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Kafka");
    keys.addCluster();
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
        METADATA_MAX_AGE_CONFIG,
        Type.LONG,
        METADATA_MAX_AGE_DEFAULT,
        between(0, ReaderConfig.MAX_METADATA_AGE.toMillis()),
        Importance.LOW,
        METADATA_MAX_AGE_DOC);
    keys.add(
        PAGE_TOKEN_KEY_CONFIG,
        Type.PASSWORD,
        null,
        Checks.PAGE_TOKEN_KEY,
        Importance.MEDIUM,
        PAGE_TOKEN_KEY_DOC);
  }

  private static void defineVerification(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Verification");
    keys.add(
        VERIFICATION_DIR_CONFIG, Type.STRING, null, null, Importance.MEDIUM, VERIFICATION_DIR_DOC);
    keys.add(
        VERIFICATION_MEMORY_CONFIG,
        Type.LONG,
        VERIFICATION_MEMORY_DEFAULT,
        between(1 << 20, Long.MAX_VALUE),
        Importance.LOW,
        VERIFICATION_MEMORY_DOC);
    keys.add(
        VERIFICATION_INTERVAL_CONFIG,
        Type.LONG,
        0L,
        between(0, Long.MAX_VALUE),
        Importance.MEDIUM,
        VERIFICATION_INTERVAL_DOC);
    keys.add(
        VERIFICATION_OVERRIDES_CONFIG,
        Type.LIST,
        List.of(),
        Checks.VIEW_INTERVALS,
        Importance.LOW,
        VERIFICATION_OVERRIDES_DOC);
    keys.add(
        VERIFICATION_ROWS_CONFIG,
        Type.INT,
        0,
        between(0, Integer.MAX_VALUE),
        Importance.MEDIUM,
        VERIFICATION_ROWS_DOC);
    keys.add(
        VERIFICATION_BYTES_CONFIG,
        Type.LONG,
        0L,
        between(0, Long.MAX_VALUE),
        Importance.LOW,
        VERIFICATION_BYTES_DOC);
    keys.add(
        VERIFICATION_READ_UNITS_CONFIG,
        Type.INT,
        0,
        between(0, Integer.MAX_VALUE),
        Importance.LOW,
        VERIFICATION_READ_UNITS_DOC);
    defineTombstones(keys);
  }

  private static void defineTombstones(ConfigKeys keys) {
    keys.add(
        TOMBSTONE_RETENTION_CONFIG,
        Type.LONG,
        TombstoneRetention.DEFAULT.retention().toMillis(),
        between(0, MAX_TOMBSTONE_MS),
        Importance.LOW,
        TOMBSTONE_RETENTION_DOC);
    keys.add(
        TOMBSTONE_REMOVAL_CONFIG,
        Type.LONG,
        TombstoneRetention.DEFAULT.removal().toMillis(),
        between(0, MAX_TOMBSTONE_MS),
        Importance.LOW,
        TOMBSTONE_REMOVAL_DOC);
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

  public StoreKeys stores() {
    return new StoreKeys(this);
  }

  /** The databases of generic JDBC sinks, by the names of their targets. */
  public Map<String, JdbcTarget> jdbcTargets() {
    return TargetKeys.read(this);
  }

  public HttpSettings http() {
    return HttpKeys.settings(this);
  }

  public VerificationWorker.Settings verification() {
    String directory = getString(VERIFICATION_DIR_CONFIG);
    return new VerificationWorker.Settings(
        directory == null
            ? Path.of(System.getProperty("java.io.tmpdir"), topics().prefix() + "-verifications")
            : Path.of(directory),
        getLong(VERIFICATION_MEMORY_CONFIG));
  }

  /** How long targets keep tombstones. */
  public TombstoneRetention tombstoneRetention() {
    return new TombstoneRetention(
        Duration.ofMillis(getLong(TOMBSTONE_RETENTION_CONFIG)),
        Duration.ofMillis(getLong(TOMBSTONE_REMOVAL_CONFIG)),
        Clock.systemUTC());
  }

  /** How often views are verified though nobody asks. */
  public VerificationSchedule.Every verificationSchedule() {
    return new VerificationSchedule.Every(
        Duration.ofMillis(getLong(VERIFICATION_INTERVAL_CONFIG)),
        Checks.viewIntervals(VERIFICATION_OVERRIDES_CONFIG, getList(VERIFICATION_OVERRIDES_CONFIG)),
        new Limits(
            getInt(VERIFICATION_ROWS_CONFIG),
            getLong(VERIFICATION_BYTES_CONFIG),
            getInt(VERIFICATION_READ_UNITS_CONFIG)));
  }

  public int pageMaxRows() {
    return getInt(PAGE_MAX_CONFIG);
  }

  public Duration timeoutMax() {
    return Duration.ofMillis(getLong(TIMEOUT_MAX_CONFIG));
  }

  public Duration metadataMaxAge() {
    return Duration.ofMillis(getLong(METADATA_MAX_AGE_CONFIG));
  }

  /** The tokens of pages. */
  public PageTokens pageTokens() {
    Password key = getPassword(PAGE_TOKEN_KEY_CONFIG);
    return key == null
        ? PageTokens.ofThisProcess()
        : PageTokens.of(key.value().getBytes(StandardCharsets.UTF_8));
  }
}
