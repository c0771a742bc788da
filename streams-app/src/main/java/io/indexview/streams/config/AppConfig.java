package io.indexview.streams.config;

import static org.apache.kafka.common.config.ConfigDef.NO_DEFAULT_VALUE;
import static org.apache.kafka.common.config.ConfigDef.Range.atLeast;
import static org.apache.kafka.common.config.ConfigDef.Range.between;

import io.indexview.schemas.Topics;
import io.indexview.schemas.config.ConfigKeys;
import io.indexview.schemas.registry.RegistryConfig;
import io.indexview.views.definition.KnownTargets;
import io.indexview.views.layout.ViewMetadata;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.CommonClientConfigs;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.AbstractConfig;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.common.config.ConfigDef.Importance;
import org.apache.kafka.common.config.ConfigDef.NonEmptyString;
import org.apache.kafka.common.config.ConfigDef.Type;
import org.apache.kafka.common.config.ConfigDef.ValidList;
import org.apache.kafka.common.config.ConfigException;
import org.apache.kafka.common.config.TopicConfig;

/** The configuration of the streams application; {@link #parse} is the way in. */
public final class AppConfig extends AbstractConfig {
  public static final String APPLICATION_ID_CONFIG = "application.id";
  public static final String APPLICATION_ID_DEFAULT = "indexview";
  private static final String APPLICATION_ID_DOC =
      "Identity of the application: its consumer group, the prefix of its changelog topics and of"
          + " its transactional ids. Another value starts another application with empty state.";

  public static final String BOOTSTRAP_SERVERS_CONFIG = ConfigKeys.BOOTSTRAP_SERVERS_CONFIG;
  public static final String TOPIC_PREFIX_CONFIG = ConfigKeys.TOPIC_PREFIX_CONFIG;

  public static final String TOPIC_REPLICATION_CONFIG = "topic.replication.factor";
  public static final short TOPIC_REPLICATION_DEFAULT = -1;
  private static final String TOPIC_REPLICATION_DOC =
      "Replication factor of the topics that the application creates; -1 takes the brokers'"
          + " default.";

  public static final String COMPACTION_LAG_CONFIG = "topic.max.compaction.lag.ms";
  public static final long COMPACTION_LAG_DEFAULT = -1;
  private static final long COMPACTION_LAG_MIN = Duration.ofMinutes(1).toMillis();
  private static final String COMPACTION_LAG_DOC =
      "How long a value that was replaced or deleted may stay on the topics that hold values of"
          + " records: sets max.compaction.lag.ms and segment.ms of view and changelog topics, and"
          + " segment.ms of dead-letter topics, when the application creates them. -1 leaves them"
          + " to the brokers. Shorter ones make more, smaller segments and more work for the"
          + " brokers' cleaners.";

  public static final String RECORD_SETS_CONFIG = "record.sets";
  private static final String RECORD_SETS_DOC =
      "Names of the record sets, comma-separated; each is described by the keys"
          + " record.set.<name>.*. Append new ones at the end.";

  public static final String VIEWS_DIR_CONFIG = "views.dir";
  private static final String VIEWS_DIR_DOC =
      "Directory of view definitions, one file per view (.json, .yaml, .yml), that are applied at"
          + " every start: a view that is new is made, one that differs is changed. None is dropped"
          + " when its file is gone. Without the key, views come from elsewhere alone.";

  public static final String GENERATION_GRACE_CONFIG = "generation.grace.ms";
  public static final long GENERATION_GRACE_DEFAULT = Duration.ofMinutes(10).toMillis();
  private static final String GENERATION_GRACE_DOC =
      "How long the rows of a generation that no longer serves are kept, counted from when its target"
          + " shows so. Until then a rollback is quick, and readers finish their pages. They stay for"
          + " 10 s at least, as readers go by metadata of a moment ago.";

  public static final String FRESHNESS_INTERVAL_CONFIG = "freshness.interval.ms";
  public static final long FRESHNESS_INTERVAL_DEFAULT = 10_000;
  private static final String FRESHNESS_INTERVAL_DOC =
      "How often, at most, the app says of each view before when changes are visible in its rows"
          + " (visibleBefore). Each time is a record on view-states and a write of the sink.";

  public static final String STATE_DIR_CONFIG = "state.dir";
  private static final String STATE_DIR_DOC =
      "Directory of the local state. It is a copy of the changelog topics: losing it costs a"
          + " restore, not data.";

  public static final String STATE_MEMORY_CONFIG = "state.memory.bytes";
  public static final long STATE_MEMORY_DEFAULT = 128L << 20;
  private static final String STATE_MEMORY_DOC =
      "Bound of the native memory of all state stores of the process together: block cache,"
          + " indexes, filters and write buffers.";

  public static final String STATE_CACHE_CONFIG = "state.cache.bytes";
  public static final long STATE_CACHE_DEFAULT = 64L << 20;
  private static final String STATE_CACHE_DOC =
      "Bound of the heap that entries of RocksDB take, of all stream threads together: those used"
          + " last, which are neither read again nor written at each change. An entry takes some 50"
          + " bytes beside its key, versions and value where values keep their length, and up to 1.5"
          + " times the whole where they do not. 0: none. A stream thread uses 8 GiB at most, and"
          + " nothing of a share that is less than a kilobyte.";

  public static final String TOMBSTONE_RETENTION_CONFIG = "tombstone.retention.ms";
  public static final long TOMBSTONE_RETENTION_DEFAULT = Duration.ofDays(15).toMillis();
  private static final String TOMBSTONE_RETENTION_DOC =
      "Tombstones of primary records: how long the deletion of one is remembered, in record time. A"
          + " late older event within it never brings the record back. Keep it above the longest"
          + " delay of a source (SQS: 14 days), and give it to the sources that have this key.";

  public static final String STANDBY_CONFIG = "num.standby.replicas";
  private static final String STANDBY_DOC =
      "Copies of each state store kept ready on other instances; they shorten a failover.";

  public static final String THREADS_CONFIG = "num.stream.threads";
  public static final int THREADS_DEFAULT = 2;
  private static final String THREADS_DOC =
      "Threads that derive; more than the source topics have partitions stay idle.";

  /** Default in milliseconds. A wait that outlives its transaction costs a restore of the state. */
  private static final int UNKNOWN_ID_TIMEOUT_DEFAULT = 3_000;

  private static final int MAX_UNKNOWN_ID_TIMEOUT = 5_000;

  public static final String COMMIT_INTERVAL_CONFIG = "commit.interval.ms";
  public static final long COMMIT_INTERVAL_DEFAULT = 100;
  private static final String COMMIT_INTERVAL_DOC =
      "Length of a transaction. Rows become visible when it ends, so it bounds their latency;"
          + " longer ones cost less per row. One that its process leaves open is aborted 10 s"
          + " after twice that time. A shorter one while there is little to do:"
          + " commit.interval.min.ms.";

  public static final String COMMIT_INTERVAL_MIN_CONFIG = "commit.interval.min.ms";
  public static final long COMMIT_INTERVAL_MIN_DEFAULT = 20;
  private static final String COMMIT_INTERVAL_MIN_DOC =
      "How soon after an event a thread commits that has little to do: whose events and builds take"
          + " less than an eighth of the time. A millisecond for each partition that it writes, if"
          + " that is longer. Rows are visible sooner, for more transactions. From"
          + " commit.interval.ms on: never sooner than that.";

  public static final String BUILD_CHUNK_CONFIG = "build.chunk.ms";
  public static final long BUILD_CHUNK_DEFAULT = 10;
  private static final String BUILD_CHUNK_DOC =
      "How long a thread builds new views from its state before it looks for events again; while"
          + " events come it then leaves the building alone for as long. Longer ones build a"
          + " little faster and keep events waiting.";

  public static final String SHUTDOWN_TIMEOUT_CONFIG = "shutdown.timeout.ms";
  public static final long SHUTDOWN_TIMEOUT_DEFAULT = 30_000;
  private static final String SHUTDOWN_TIMEOUT_DOC =
      "How long an orderly stop may take before the process ends anyway.";

  /** Largest message of the producer, which bounds state entries and dead letters. */
  static final String MAX_REQUEST_SIZE_CONFIG =
      "streams.producer." + ProducerConfig.MAX_REQUEST_SIZE_CONFIG;

  /** The producer's default, and the least that is allowed: rows may be nearly as large. */
  static final int MAX_REQUEST_SIZE_DEFAULT = 1 << 20;

  /** Settings of topics of views, without this prefix. */
  public static final String VIEW_TOPIC_PREFIX = "view.topic.";

  /** Keys passed to Kafka Streams and its clients, without this prefix. */
  public static final String STREAMS_PREFIX = "streams.";

  static final String CLIENT_ID_CONFIG = STREAMS_PREFIX + CommonClientConfigs.CLIENT_ID_CONFIG;

  private final ConfigDef definition;
  private final List<RecordSetConfig> recordSets;
  private final Map<String, TargetConfig> targets;
  private final boolean atLeastOnce;

  AppConfig(
      ConfigDef definition,
      Map<String, String> values,
      List<RecordSetConfig> recordSets,
      Map<String, TargetConfig> targets,
      boolean atLeastOnce) {
    super(definition, values, false);
    this.definition = definition;
    this.recordSets = List.copyOf(recordSets);
    this.targets = Map.copyOf(targets);
    this.atLeastOnce = atLeastOnce;
  }

  /**
   * Checks everything and gives the configuration.
   *
   * @throws io.indexview.schemas.config.InvalidConfigException naming all problems
   */
  public static AppConfig parse(Map<String, String> values) {
    return new AppConfigParser(values).parse();
  }

  /**
   * Returns a copy that runs without transactions. No key sets that: only benchmarks use it, to
   * measure what transactions cost.
   */
  public AppConfig withoutTransactions() {
    return new AppConfig(definition, originalsStrings(), recordSets, targets, true);
  }

  public boolean isAtLeastOnce() {
    return atLeastOnce;
  }

  /**
   * The keys that do not depend on the names of the record sets; the registry client's included.
   */
  public static ConfigDef definition() {
    ConfigDef definition =
        RegistryConfig.configDef(UNKNOWN_ID_TIMEOUT_DEFAULT, MAX_UNKNOWN_ID_TIMEOUT);
    defineKafka(definition);
    defineViews(definition);
    TargetKeys.define(definition);
    defineState(definition);
    HttpKeys.define(definition);
    return definition;
  }

  private static void defineKafka(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Kafka");
    keys.add(
        APPLICATION_ID_CONFIG,
        Type.STRING,
        APPLICATION_ID_DEFAULT,
        new NonEmptyString(),
        Importance.HIGH,
        APPLICATION_ID_DOC);
    keys.addCluster();
    keys.add(
        TOPIC_REPLICATION_CONFIG,
        Type.SHORT,
        TOPIC_REPLICATION_DEFAULT,
        between(-1, Short.MAX_VALUE),
        Importance.MEDIUM,
        TOPIC_REPLICATION_DOC);
    keys.add(
        COMPACTION_LAG_CONFIG,
        Type.LONG,
        COMPACTION_LAG_DEFAULT,
        ConfigDef.LambdaValidator.with(
            AppConfig::requireCompactionLag, () -> "-1, or " + COMPACTION_LAG_MIN + " or more"),
        Importance.MEDIUM,
        COMPACTION_LAG_DOC);
  }

  private static void requireCompactionLag(String key, Object value) {
    long lag = (Long) value;
    if (lag != COMPACTION_LAG_DEFAULT && lag < COMPACTION_LAG_MIN) {
      throw new ConfigException(
          key, value, "Use %d ms or more, or -1".formatted(COMPACTION_LAG_MIN));
    }
  }

  private static void defineViews(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Views");
    keys.add(
        RECORD_SETS_CONFIG,
        Type.LIST,
        NO_DEFAULT_VALUE,
        ValidList.anyNonDuplicateValues(false, false),
        Importance.HIGH,
        RECORD_SETS_DOC);
    keys.add(
        VIEWS_DIR_CONFIG, Type.STRING, null, new NonEmptyString(), Importance.HIGH, VIEWS_DIR_DOC);
    keys.add(
        GENERATION_GRACE_CONFIG,
        Type.LONG,
        GENERATION_GRACE_DEFAULT,
        atLeast(0),
        Importance.MEDIUM,
        GENERATION_GRACE_DOC);
    keys.add(
        FRESHNESS_INTERVAL_CONFIG,
        Type.LONG,
        FRESHNESS_INTERVAL_DEFAULT,
        atLeast(1_000),
        Importance.LOW,
        FRESHNESS_INTERVAL_DOC);
    keys.add(
        TOMBSTONE_RETENTION_CONFIG,
        Type.LONG,
        TOMBSTONE_RETENTION_DEFAULT,
        atLeast(1),
        Importance.MEDIUM,
        TOMBSTONE_RETENTION_DOC);
  }

  private static void defineState(ConfigDef definition) {
    ConfigKeys keys = new ConfigKeys(definition, "Work and state");
    keys.add(
        STATE_DIR_CONFIG,
        Type.STRING,
        NO_DEFAULT_VALUE,
        new NonEmptyString(),
        Importance.HIGH,
        STATE_DIR_DOC);
    keys.add(
        STATE_MEMORY_CONFIG,
        Type.LONG,
        STATE_MEMORY_DEFAULT,
        atLeast(8 << 20),
        Importance.MEDIUM,
        STATE_MEMORY_DOC);
    keys.add(
        STATE_CACHE_CONFIG,
        Type.LONG,
        STATE_CACHE_DEFAULT,
        atLeast(0),
        Importance.MEDIUM,
        STATE_CACHE_DOC);
    keys.add(THREADS_CONFIG, Type.INT, THREADS_DEFAULT, atLeast(1), Importance.MEDIUM, THREADS_DOC);
    keys.add(STANDBY_CONFIG, Type.INT, 0, atLeast(0), Importance.MEDIUM, STANDBY_DOC);
    keys.add(
        COMMIT_INTERVAL_CONFIG,
        Type.LONG,
        COMMIT_INTERVAL_DEFAULT,
        between(1, 30_000),
        Importance.MEDIUM,
        COMMIT_INTERVAL_DOC);
    keys.add(
        COMMIT_INTERVAL_MIN_CONFIG,
        Type.LONG,
        COMMIT_INTERVAL_MIN_DEFAULT,
        between(1, 30_000),
        Importance.LOW,
        COMMIT_INTERVAL_MIN_DOC);
    keys.add(
        BUILD_CHUNK_CONFIG,
        Type.LONG,
        BUILD_CHUNK_DEFAULT,
        between(1, 5_000),
        Importance.LOW,
        BUILD_CHUNK_DOC);
    keys.add(
        SHUTDOWN_TIMEOUT_CONFIG,
        Type.LONG,
        SHUTDOWN_TIMEOUT_DEFAULT,
        atLeast(1),
        Importance.LOW,
        SHUTDOWN_TIMEOUT_DOC);
  }

  public String applicationId() {
    return getString(APPLICATION_ID_CONFIG);
  }

  /** What the ids of all clients of this instance are to begin with; empty: it may choose. */
  public Optional<String> clientId() {
    return Optional.ofNullable(originals().get(CLIENT_ID_CONFIG))
        .map(id -> id.toString().strip())
        .filter(id -> !id.isEmpty());
  }

  public Topics topics() {
    return new Topics(getString(TOPIC_PREFIX_CONFIG));
  }

  public short topicReplication() {
    return getShort(TOPIC_REPLICATION_CONFIG);
  }

  /** What bounds how long topics keep replaced values; empty: nothing of the application's. */
  public Map<String, String> compactionSettings() {
    long lag = getLong(COMPACTION_LAG_CONFIG);
    return lag == COMPACTION_LAG_DEFAULT
        ? Map.of()
        : Map.of(
            TopicConfig.MAX_COMPACTION_LAG_MS_CONFIG,
            Long.toString(lag),
            // Only closed segments are compacted.
            TopicConfig.SEGMENT_MS_CONFIG,
            Long.toString(lag));
  }

  /** What the application sets beside its own settings when it creates the topic of a view. */
  public Map<String, String> viewTopicSettings() {
    Map<String, String> settings = new HashMap<>();
    originalsWithPrefix(VIEW_TOPIC_PREFIX)
        .forEach((name, value) -> settings.put(name, value.toString()));
    return settings;
  }

  /** The record sets in the order of {@code record.sets}. */
  public List<RecordSetConfig> recordSets() {
    return recordSets;
  }

  /** Where Kafka Streams keeps the state of a record set. */
  public String changelogTopic(RecordSetConfig recordSet) {
    return changelogOf(recordSet.storeName());
  }

  /** Where Kafka Streams keeps what the tasks of a record set remember beside it. */
  public String memoryTopic(RecordSetConfig recordSet) {
    return changelogOf(recordSet.memoryStoreName());
  }

  private String changelogOf(String store) {
    return applicationId() + "-" + store + "-changelog";
  }

  /** The record set of a name, if it is configured. */
  public Optional<RecordSetConfig> recordSet(String name) {
    return recordSets.stream().filter(set -> set.name().equals(name)).findFirst();
  }

  /**
   * A target of view definitions.
   *
   * @throws IllegalArgumentException if there is none of that name
   */
  public TargetConfig target(String name) {
    TargetConfig target = targets.get(name);
    if (target == null) {
      throw new IllegalArgumentException(
          "no such target: %s; name it in %s while there are views of it"
              .formatted(name, TargetKeys.CONNECT_TARGETS));
    }
    return target;
  }

  /** All targets of view definitions. */
  public Collection<TargetConfig> targets() {
    return targets.values();
  }

  /** What view definitions are checked against. */
  public KnownTargets knownTargets() {
    return new KnownTargets(
        targets.values().stream()
            .filter(TargetConfig::isFenced)
            .map(TargetConfig::name)
            .collect(Collectors.toSet()),
        Set.copyOf(getList(TargetKeys.CONNECT_TARGETS)));
  }

  /** View definitions that are applied at start; empty: none. */
  public Optional<Path> viewsDir() {
    return Optional.ofNullable(getString(VIEWS_DIR_CONFIG)).map(Path::of);
  }

  public Duration generationGrace() {
    return Duration.ofMillis(
        Math.max(ViewMetadata.MIN_GRACE.toMillis(), getLong(GENERATION_GRACE_CONFIG)));
  }

  public Duration freshnessInterval() {
    return Duration.ofMillis(getLong(FRESHNESS_INTERVAL_CONFIG));
  }

  public Duration tombstoneRetention() {
    return Duration.ofMillis(getLong(TOMBSTONE_RETENTION_CONFIG));
  }

  public Path stateDir() {
    return Path.of(getString(STATE_DIR_CONFIG));
  }

  /** {@code max.request.size} of the producer, bytes. */
  public int maxRequestBytes() {
    Object set = originals().get(MAX_REQUEST_SIZE_CONFIG);
    return set == null ? MAX_REQUEST_SIZE_DEFAULT : Integer.parseInt(set.toString().strip());
  }

  public Duration commitInterval() {
    return Duration.ofMillis(getLong(COMMIT_INTERVAL_CONFIG));
  }

  public Duration minCommitInterval() {
    return Duration.ofMillis(getLong(COMMIT_INTERVAL_MIN_CONFIG));
  }

  public Duration buildChunk() {
    return Duration.ofMillis(getLong(BUILD_CHUNK_CONFIG));
  }

  public Duration shutdownTimeout() {
    return Duration.ofMillis(getLong(SHUTDOWN_TIMEOUT_CONFIG));
  }

  public String httpHost() {
    return getString(HttpKeys.HTTP_HOST_CONFIG);
  }

  public int httpPort() {
    return getInt(HttpKeys.HTTP_PORT_CONFIG);
  }
}
